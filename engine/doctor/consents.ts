import { fundsConfirmationBody, SCHEMES } from '../client-session/consent.ts'
import { member } from '../judge/data-rows.ts'
import type { Exchange } from '../wire/exchange.ts'
import { type Case, tppOf } from './case.ts'
import { tokenKey } from './clients.ts'
import { type Examination, type Finding, note, ok, skipped, wrong } from './finding.ts'
import { placeOf } from './network.ts'
import { answerWords } from './words.ts'

/** Creates a consent that nobody will approve, and queries it; it is deleted at the end. */
export function consentExamination(known: Case): Examination {
  const { target, timeout } = known
  const { accounts } = target.clients.first.scopes
  return {
    name: 'consent',
    needs: [`first: token for ${accounts}`, ...placeOf(known, 'consents and data')],
    async run() {
      const tpp = tppOf(known, 'first')
      const bearer = known.tokens.get(tokenKey('first', accounts)) ?? null
      const body = { Data: { Permissions: ['ReadAccountsBasic'] }, Risk: {} }
      const created = await tpp.call('create-account-access-consent', { bearer, body, timeout })
      const id = member(created.response?.json, 'Data', 'ConsentId')
      if (!succeeded(created) || typeof id !== 'string') {
        return [refused('not created', created, 'addresses.base_url or overrides.aisp')]
      }
      known.consentId = id
      const query = { subject: id, bearer, timeout }
      const queried = await tpp.call('query-account-access-consent', query)
      if (succeeded(queried)) return [ok('created and queried')]
      return [refused('created, not queried', queried, 'overrides.aisp')]
    },
  }
}

/** Deletes the consent of this visit; always the last of what is asked. */
export function deletionExamination(known: Case): Examination {
  const { timeout, target } = known
  return {
    name: 'consent deleted',
    needs: [],
    async run() {
      const bearer = known.tokens.get(tokenKey('first', target.clients.first.scopes.accounts))
      const subject = known.consentId
      if (subject === undefined) return [skipped('because none was created')]
      const exchange = await tppOf(known, 'first').call('delete-account-access-consent', {
        subject,
        bearer: bearer ?? null,
        timeout,
      })
      return [succeeded(exchange) ? ok('deleted') : refused('not deleted', exchange)]
    },
  }
}

/** Which of the three addresses that the document gives is this bank's. */
export function fundsExamination(known: Case): Examination {
  const { target, timeout } = known
  const scope = target.clients.first.scopes.fundsConfirmation
  return {
    name: 'funds confirmation',
    needs:
      scope === undefined || target.absent.has('funds-confirmation')
        ? []
        : [`first: token for ${scope}`, ...placeOf(known, 'consents and data')],
    async run() {
      if (target.absent.has('funds-confirmation')) {
        return [skipped('the target declares it absent')]
      }
      if (scope === undefined) {
        return [skipped('the target names no scope for it: clients.first.scopes.fundsConfirmation')]
      }
      const tpp = tppOf(known, 'first')
      const bearer = known.tokens.get(tokenKey('first', scope)) ?? null
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
      const id = member(created.exchange.response?.json, 'Data', 'ConsentId')
      if (!succeeded(created.exchange) || typeof id !== 'string') {
        return [fundsRefused(created.exchange, panScheme)]
      }
      const deleted = await firstKnown(remove, (address) => {
        const path = `${address}/${encodeURIComponent(id)}`
        return tpp.call('delete-funds-confirmation-consent', { path, subject: id, bearer, timeout })
      })
      if (!succeeded(deleted.exchange)) {
        return [refused('created, not deleted', deleted.exchange, 'fundsConfirmation.delete')]
      }
      const addresses = [...new Set([created.address, deleted.address])].map(
        (address) => new URL(address).pathname,
      )
      const ending = target.document.customers.first.cardEnding
      return [
        ok(`created and deleted at ${addresses.join(' and ')}`),
        ...(ending === undefined
          ? [note('customers.first has no cardEnding: 1234 is sent, a bank may refuse it')]
          : []),
      ]
    },
  }
}

/** Tries addresses until one is known to the bank. */
async function firstKnown(
  addresses: string[],
  send: (address: string) => Promise<Exchange>,
): Promise<{ address: string; exchange: Exchange }> {
  const [address = '', ...others] = addresses
  const exchange = await send(address)
  const unknown = [404, 405].includes(exchange.response?.status ?? 0)
  return unknown && others.length > 0 ? firstKnown(others, send) : { address, exchange }
}

function fundsRefused(exchange: Exchange, scheme: string | undefined): Finding {
  if (exchange.response?.status !== 400) {
    return refused('not created', exchange, 'fundsConfirmation.create')
  }
  const sent =
    scheme === undefined ? `a scheme that is a guess: ${SCHEMES.join(', ')}` : `scheme ${scheme}`
  const text = `not created, with ${sent}: ${answerWords(exchange)}`
  const mend = 'Correct literals.panScheme and customers.first.cardEnding.'
  return wrong('your configuration', text, mend)
}

function refused(what: string, exchange: Exchange, path?: string): Finding {
  const text = `${what}: ${answerWords(exchange)}`
  const missing = exchange.response?.status === 404 && path !== undefined
  return missing
    ? wrong('your configuration', text, `Correct ${path}.`)
    : wrong('the bank', text, 'Ask the bank.')
}

function succeeded({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 200 && response.status < 300
}
