import { member } from '../judge/data-rows.ts'
import { parsedJson } from '../record/json.ts'
import type { ConsentFacts, Exchange } from '../wire/exchange.ts'

/** Maximum number of consents that are remembered. */
const MOST = 50_000

/** What account access consents allow, according to the requests that created them. */
export function createConsents() {
  const known = new Map<string, ConsentFacts>()
  return {
    /** What a consent allows; undefined if its creation is not in the recording. */
    factsOf: (id: string | undefined): ConsentFacts | undefined =>
      id === undefined ? undefined : known.get(id),
    learn({ endpoint, request, response }: Exchange): void {
      if (endpoint !== 'create-account-access-consent') return
      const id = member(response?.json, 'Data', 'ConsentId')
      const asked = member(parsedJson(request.body ?? ''), 'Data')
      const permissions = member(asked, 'Permissions')
      if (typeof id !== 'string' || !isListOfTexts(permissions)) return
      // If two consents have one id, it is unknown which of them is meant.
      if (known.has(id)) return void known.delete(id)
      const date = (name: string) => {
        const value = member(asked, name)
        return typeof value === 'string' ? value : undefined
      }
      known.set(id, {
        id,
        permissions,
        expiration: date('ExpirationDateTime'),
        transactionFrom: date('TransactionFromDateTime'),
        transactionTo: date('TransactionToDateTime'),
      })
      if (known.size > MOST) known.delete(known.keys().next().value as string)
    },
  }
}

function isListOfTexts(value: unknown): value is string[] {
  return Array.isArray(value) && value.every((each) => typeof each === 'string')
}
