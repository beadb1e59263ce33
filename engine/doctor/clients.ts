import type { Part } from '../configuration/addresses.ts'
import type { TargetClient } from '../configuration/resolve.ts'
import type { TargetDocument } from '../configuration/target.ts'
import { member } from '../judge/data-rows.ts'
import { now } from '../record/clock.ts'
import type { Exchange } from '../wire/exchange.ts'
import { correctAddress, isNothingThere } from './address-mistake.ts'
import { ask, type Case, tppOf } from './case.ts'
import { certificateFindings } from './certificate.ts'
import { clockReading } from './clock.ts'
import { type DoctorFinding, type Examination, note, ok, skipped, wrong } from './finding.ts'
import { TRUST_MEND } from './network.ts'
import { placeOf } from './places.ts'
import { audienceMistake } from './refused-mistakes.ts'
import {
  publishedKeyFinding,
  redirectFindings,
  statementFindings,
  statementOf,
} from './statement.ts'
import { answerWords } from './words.ts'

/** What an examination needs to ask an address. */
export type Asking = Pick<Case, 'wire' | 'timeout' | 'clocks'>

/** What the target file says of a client that is to be registered: no bank accepts what is wrong there. */
export const statedExaminations = (known: Asking, client: TargetClient): Examination[] => [
  ...paperExaminations(client),
  publishedExamination(known, client),
]

/** The checks of a client that need no request to the bank. */
export function paperExaminations(client: TargetClient): Examination[] {
  const { name } = client
  return [
    { name: `${name}: certificate`, run: () => certificateFindings(client, now()) },
    { name: `${name}: statement`, run: () => statementFindings(client, now()) },
    { name: `${name}: redirect URIs`, run: () => redirectFindings(client) },
  ]
}

/** Compares the signing key with the copy that the directory publishes. */
export function publishedExamination(known: Asking, client: TargetClient): Examination {
  return {
    name: `${client.name}: signing key`,
    async run() {
      const { registrationClaims = {} } = client
      if ('jwks_uri' in registrationClaims || 'jwks' in registrationClaims) {
        return note('registrationClaims names other keys than the directory’s: not compared')
      }
      const url = statementOf(client)?.software_jwks_endpoint
      if (typeof url !== 'string' || !URL.canParse(url)) {
        return note('the statement names no software_jwks_endpoint: kid and key not compared')
      }
      const exchange = await ask(known, url, 'reads the keys of the directory')
      const keys = member(exchange.response?.json, 'keys')
      if (!Array.isArray(keys)) {
        return note(`not compared: ${url} gives no keys here (${answerWords(exchange)})`)
      }
      const reading = clockReading('directory', exchange)
      if (reading) known.clocks.push(reading)
      return publishedKeyFinding(client, keys)
    },
  }
}

/** Finds a client_id: given in the target file, kept from an earlier run, or newly registered if that is allowed. */
export function registrationExamination(known: Case, { name }: TargetClient): Examination {
  const { target, kept, timeout } = known
  const own = ['certificate', 'statement', 'redirect URIs', 'signing key', 'mutual TLS']
  return {
    name: `${name}: registration`,
    needs: [
      ...placeOf(known, 'registration'),
      'discovery',
      ...own.map((what) => `${name}: ${what}`),
    ],
    async run() {
      const tpp = tppOf(known, name)
      if (tpp.registered) return ok(`client_id ${tpp.registered.client_id}, of the target file`)
      const earlier = kept?.find(name)
      if (earlier) return ok(`client_id ${tpp.adopt(earlier).client_id}, kept from an earlier run`)
      if (target.document.freshRegistrations !== true) {
        return skipped(
          'no client yet: a run registers one, for good, and keeps it. With ' +
            'freshRegistrations: true the doctor does so now; else give clientId',
        )
      }
      const exchange = await tpp.register({ timeout })
      const { status = 500, json } = exchange.response ?? {}
      const id = member(json, 'client_id')
      if (isNothingThere(exchange)) return nothingThere('registration', exchange, target.document)
      if (status >= 300 || typeof id !== 'string') return registrationRefused(exchange, name)
      const registered = tpp.adopt(json)
      kept?.keep(name, registered, exchange)
      return ok(`registered as ${id}${kept ? ', kept for later runs' : ''}`)
    },
  }
}

/**
 * A mistake in the target file that explains a refused registration: a statement that the bank does not accept, or a
 * scope that its configuration does not list. Undefined if the run must judge the refusal. A run stops before it sends
 * redirect URIs that the statement lacks, so refused ones are in the statement.
 *
 * @param configuration what the bank publishes about itself
 */
export function ownMistake(
  exchange: Exchange,
  { name, scopes }: TargetClient,
  configuration: unknown,
): DoctorFinding | undefined {
  const status = exchange.response?.status ?? 0
  if (status < 400 || status >= 500) return undefined
  if (isOfStatement(exchange)) return registrationRefused(exchange, name)
  const supported = member(configuration, 'scopes_supported')
  if (!Array.isArray(supported)) return undefined
  const [wanted] = Object.entries(scopes).filter(([, scope]) => !supported.includes(scope))
  if (!wanted) return undefined
  const [which, scope] = wanted
  const text = `refused: ${answerWords(exchange)}; the bank does not support the scope ${scope}: it supports ${supported.join(', ')}`
  // So `fundsconfirmations` is found for fundsConfirmation.
  const alike = supported.filter((one) => String(one).toLowerCase().startsWith(which.toLowerCase()))
  const right = alike.length === 1 ? alike[0] : 'one of these'
  return wrong('configuration', text, `Correct clients.${name}.scopes.${which}: write ${right}.`)
}

const OF_CERTIFICATE = /transport certificate|client certificate/i

/** True if the bank refuses the software statement (RFC 7591 3.2.2). */
const isOfStatement = ({ response }: Exchange): boolean =>
  ['invalid_software_statement', 'unapproved_software_statement'].includes(
    String(member(response?.json, 'error')),
  )

/** Explains a refusal by its error (RFC 7591 3.2.2) and names the claims that usually cause it. */
function registrationRefused(exchange: Exchange, name: string): DoctorFinding {
  const path = `clients.${name}`
  const text = `refused: ${answerWords(exchange)}`
  const error = member(exchange.response?.json, 'error')
  if (error === 'invalid_redirect_uri') {
    return wrong('configuration', text, `Correct ${path}.redirectUris.`)
  }
  if (isOfStatement(exchange)) {
    const mend = `Get ${path}.softwareStatement again from the directory that this bank trusts.`
    return wrong('configuration', text, mend)
  }
  if (OF_CERTIFICATE.test(text)) return wrong('bank', text, TRUST_MEND)
  const mend = `Compare with what this bank wants; ${path}.registrationClaims adds and replaces claims.`
  return wrong('bank', text, mend)
}

export function tokenExamination(known: Case, client: TargetClient, scope: string): Examination {
  const { name } = client
  return {
    name: `${name}: token for ${scope}`,
    needs: [`${name}: registration`, ...placeOf(known, 'token')],
    async run() {
      const exchange = await requestToken(known, client, scope)
      const { status, json } = exchange.response ?? {}
      const token = member(json, 'access_token')
      if (isNothingThere(exchange)) return nothingThere('token', exchange, known.target.document)
      const mistake = audienceMistake({ said: String(member(json, 'error')) }, known)
      if (mistake) return mistake
      if (status !== 200 || typeof token !== 'string') return tokenRefused(exchange, client, scope)
      if (name === 'first') known.tokens.set(scope, token)
      return ok(`issued, for ${String(member(json, 'expires_in'))} s`)
    },
  }
}

/** Requests a token for a scope. If the bank refuses one assertion, tries each audience and life that a run tries (AMB-25). */
export async function requestToken(
  known: Case,
  { name }: TargetClient,
  scope: string,
): Promise<Exchange> {
  const { target, timeout, issuer } = known
  const tpp = tppOf(known, name)
  const send = () => tpp.token({ grant_type: 'client_credentials', scope }, { timeout })
  const first = await send()
  if (!isUnknownClient(first)) return first
  const isOpen = target.document.assertionAudience === undefined
  const audiences = new Set([tpp.audience, ...(isOpen ? [target.endpoints.token, issuer] : [])])
  for (const life of ['usual', 'brief']) {
    if (life === 'brief') tpp.assertions.becomeBrief()
    for (const audience of audiences) {
      if (audience === undefined || (life === 'usual' && audience === tpp.audience)) continue
      tpp.learn({ token_endpoint: audience })
      const again = await send()
      if (!isUnknownClient(again)) return again
    }
  }
  return first
}

const isUnknownClient = ({ response }: Exchange): boolean =>
  response?.status === 401 || member(response?.json, 'error') === 'invalid_client'

/** Explains a refusal by its error (RFC 6749 5.2). */
export function tokenRefused(
  exchange: Exchange,
  client: TargetClient,
  scope: string,
): DoctorFinding {
  const text = `refused: ${answerWords(exchange)}`
  const path = `clients.${client.name}`
  const error = member(exchange.response?.json, 'error')
  if (OF_CERTIFICATE.test(text)) return wrong('bank', text, TRUST_MEND)
  if (error === 'invalid_scope') {
    const which = scope === client.scopes.accounts ? 'accounts' : 'fundsConfirmation'
    return wrong('configuration', text, `Correct ${path}.scopes.${which}.`)
  }
  if (error === 'invalid_client') {
    const mend = client.clientId
      ? `Compare ${path}.clientId and ${path}.signing with the registration.`
      : 'The bank may no longer have this client: delete its entry in .assay/ beside the target file.'
    return wrong('configuration', text, mend)
  }
  return wrong('bank', text)
}

const nothingThere = (part: Part, exchange: Exchange, document: TargetDocument): DoctorFinding =>
  wrong('configuration', `refused: ${answerWords(exchange)}`, correctAddress(part, document))
