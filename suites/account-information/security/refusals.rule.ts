import { claimsOf } from '../../../engine/suite-api/jwt.ts'
import {
  type Endpoint,
  type Exchange,
  member,
  otherRowsOf,
  rowsOf,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { OWNERS } from '../../owners.ts'
import { CONSENTS, DATA } from '../common/endpoints.ts'

/** Contents of refusals. Requirements: specs/account-information/security.yaml */

/**
 * Every 4xx or 5xx to a wrong request of these endpoints. Fails: it has what it refuses: an access token, a
 * client with its redirect URIs, a consent that has not ended or is of another client, rows of data. An error may repeat
 * the request.
 */
rule(
  'SEC-14/nothing-given',
  'An answer with the status of a refusal does not contain what it refuses',
  {
    endpoints: ['registration', 'token', ...CONSENTS, ...DATA],
    unseen: 'no answer to a request that is to be refused was read',
    follows: [
      ...[OWNERS.query, OWNERS.consent, OWNERS.fundsConfirmation, 'CONS-22/after-approval'],
      ...[OWNERS.accounts, OWNERS.balances, OWNERS.transactions],
    ],
  },
  (exchange, { earlier }) => {
    const { status = 0 } = exchange.response ?? {}
    const id = consentIn(exchange)
    if (CREATIONS.includes(exchange.endpoint) && succeeded(exchange) && id !== undefined)
      earlier.set(id, exchange.about.client)
    // A refusal of a correct request is judged by the check of that request.
    if (status < 400 || exchange.about.deviation === undefined) return undefined
    const owner = id === undefined ? undefined : earlier.get(id)
    const given = givenIn(exchange, owner !== undefined && owner !== exchange.about.client)
    if (given === undefined) return []
    const message = `the answer with status ${status} holds ${given}`
    return [{ message, expected: 'an error alone', actual: given }]
  },
)

const CREATIONS: readonly Endpoint[] = [
  'create-account-access-consent',
  'create-funds-confirmation-consent',
]

function consentIn({ response }: Exchange): string | undefined {
  const id = member(response?.json, 'Data', 'ConsentId')
  return typeof id === 'string' ? id : undefined
}

/** Values of Status of a consent that has not ended. How one has ended, the refusal may say to its own client. */
const OPEN: unknown[] = ['AwaitingAuthorisation', 'Authorised']

/** @param isForeign is the consent in the answer that of another client? */
function givenIn(exchange: Exchange, isForeign: boolean): string | undefined {
  const { endpoint, request, response } = exchange
  const json = response?.json
  const text = (...path: string[]) => typeof member(json, ...path) === 'string'
  if (endpoint === 'token') return text('access_token') ? 'an access token' : undefined
  if (endpoint === 'registration') {
    const isRepeated = member(json, 'client_id') === claimsOf(request.body ?? '')?.client_id
    const isStored = text('client_id') && Array.isArray(member(json, 'redirect_uris'))
    return isStored && !isRepeated ? 'a registered client' : undefined
  }
  if (CONSENTS.includes(endpoint)) {
    const isGiven = isForeign
      ? text('Data', 'Status')
      : OPEN.includes(member(json, 'Data', 'Status'))
    const id = consentIn(exchange)
    if (id === undefined || request.body?.includes(JSON.stringify(id))) return undefined
    return isGiven ? 'a consent with its Status' : undefined
  }
  if (!DATA.includes(endpoint)) return undefined
  const rows = rowsOf(exchange).length + otherRowsOf(exchange).length
  return rows > 0 ? `${rows} rows of data` : undefined
}
