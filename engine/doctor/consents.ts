import { createdId, fundsConfirmationBody, SCHEMES } from '../client-session/consent.ts'
import { succeeded } from '../judge/matchers.ts'
import { percentEncoded } from '../record/percent.ts'
import type { Exchange } from '../wire/exchange.ts'
import { correctAddress } from './address-mistake.ts'
import { type Case, tppOf } from './case.ts'
import { type DoctorFinding, type Examination, note, ok, skipped, wrong } from './finding.ts'
import { placeOf } from './places.ts'
import { answerWords } from './words.ts'

/** Creates a consent that nobody will approve, and queries it. It is deleted at the end. */
export function consentExamination(known: Case): Examination {
  const { timeout, tokens } = known
  const { accounts } = known.target.clients.first.scopes
  return {
    name: 'consent',
    needs: [`first: token for ${accounts}`, ...placeOf(known, 'consents and data')],
    async run() {
      const tpp = tppOf(known)
      const bearer = tokens.get(accounts) ?? null
      const body = { Data: { Permissions: ['ReadAccountsBasic'] }, Risk: {} }
      const created = await tpp.call('create-account-access-consent', { bearer, body, timeout })
      known.consentId = createdId(created)
      if (known.consentId === undefined) {
        return refused('not created', created, correctAddress('aisp', known.target.document))
      }
      const query = { subject: known.consentId, bearer, timeout }
      const queried = await tpp.call('query-account-access-consent', query)
      if (succeeded(queried)) return ok('created and queried')
      return refused('created, not queried', queried, correctAddress('aisp', known.target.document))
    },
  }
}

/** Deletes the consent that this doctor's visit created. */
export function deletionExamination(known: Case): Examination {
  const { timeout, target, tokens } = known
  return {
    name: 'consent deleted',
    async run() {
      const subject = known.consentId
      if (subject === undefined) return skipped('because none was created')
      const bearer = tokens.get(target.clients.first.scopes.accounts) ?? null
      const request = { subject, bearer, timeout }
      const exchange = await tppOf(known).call('delete-account-access-consent', request)
      return succeeded(exchange) ? ok('deleted') : refused('not deleted', exchange)
    },
  }
}

/** Finds out which of the three addresses that the document gives this bank uses. */
export function fundsExamination(known: Case): Examination {
  const { target, timeout, tokens } = known
  const scope = target.clients.first.scopes.fundsConfirmation
  const name = 'funds confirmation'
  if (target.absent.has('funds-confirmation')) {
    return { name, run: () => skipped('the target declares it absent') }
  }
  if (scope === undefined) {
    const text = 'the target names no scope for it: clients.first.scopes.fundsConfirmation'
    return { name, run: () => skipped(text) }
  }
  return {
    name,
    needs: [`first: token for ${scope}`, ...placeOf(known, 'consents and data')],
    async run() {
      const tpp = tppOf(known)
      const bearer = tokens.get(scope) ?? null
      const { create, delete: remove } = target.endpoints.cbpii
      const creating = (scheme: string) => {
        const body = fundsConfirmationBody(target, scheme)
        return firstKnown(create, (path) =>
          tpp.call('create-funds-confirmation-consent', { path, body, bearer, timeout }),
        )
      }
      const { panScheme } = target.document.literals ?? {}
      const [scheme = '', other] = panScheme ? [panScheme] : SCHEMES
      let created = await creating(scheme)
      if (other && created.exchange.response?.status === 400) created = await creating(other)
      const id = createdId(created.exchange)
      if (id === undefined) return fundsRefused(created.exchange, panScheme)
      const deleted = await firstKnown(remove, (address) => {
        const path = `${address}/${percentEncoded(id)}`
        return tpp.call('delete-funds-confirmation-consent', { path, subject: id, bearer, timeout })
      })
      if (!succeeded(deleted.exchange)) {
        return refused(
          'created, not deleted',
          deleted.exchange,
          'Correct fundsConfirmation.delete.',
        )
      }
      const addresses = new Set([created.address, deleted.address])
      const paths = [...addresses].map((address) => new URL(address).pathname)
      const found = [ok(`created and deleted at ${paths.join(' and ')}`)]
      if (target.document.customers.first.cardEnding === undefined) {
        found.push(note('customers.first has no cardEnding: 1234 is sent, a bank may refuse it'))
      }
      return found
    },
  }
}

/** Tries addresses until the bank knows one. */
async function firstKnown(
  [address = '', ...others]: string[],
  send: (address: string) => Promise<Exchange>,
): Promise<{ address: string; exchange: Exchange }> {
  const exchange = await send(address)
  const unknown = [404, 405].includes(exchange.response?.status ?? 0)
  return unknown && others.length > 0 ? firstKnown(others, send) : { address, exchange }
}

function fundsRefused(exchange: Exchange, scheme: string | undefined): DoctorFinding {
  if (exchange.response?.status !== 400) {
    return refused('not created', exchange, 'Correct fundsConfirmation.create.')
  }
  const sent = scheme ? `scheme ${scheme}` : `a scheme that is a guess: ${SCHEMES.join(', ')}`
  const text = `not created, with ${sent}: ${answerWords(exchange)}`
  return wrong('configuration', text, 'Correct literals.panScheme and customers.first.cardEnding.')
}

function refused(what: string, exchange: Exchange, mend?: string): DoctorFinding {
  const text = `${what}: ${answerWords(exchange)}`
  const missing = exchange.response?.status === 404 && mend !== undefined
  return missing ? wrong('configuration', text, mend) : wrong('bank', text)
}
