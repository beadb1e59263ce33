import { claimsOf, headerOf } from '../wire/jwt-decode.ts'
import { spell } from '../yaml/explain.ts'
import type { Path, Source } from '../yaml/source.ts'
import {
  type Finding,
  hasExpired,
  signingFindings,
  transportFindings,
  trustFinding,
} from './material.ts'
import type { Addresses, ClientDocument, TargetDocument, TransportDocument } from './target.ts'

/** Notes what a schema can't see: keys and certificates, addresses of one layout, what is absent. */
export function checkSense(source: Source, document: TargetDocument): void {
  const complain = (path: Path, text: string) => source.complain(path, `${spell(path)} ${text}`)
  const { clients, customers, refusedCertificates, absent = [], hooks = {} } = document

  addresses(document.addresses, absent, complain)
  for (const [index, pem] of (document.trust ?? []).entries()) {
    const finding = trustFinding(pem)
    if (finding) complain(['trust', index], finding)
  }
  for (const [name, one] of Object.entries(clients))
    client(['clients', name], one, absent, complain)
  for (const [name, one] of Object.entries(refusedCertificates ?? {})) {
    refused(['refusedCertificates', name], one, complain)
  }
  if (!clients.second && !absent.includes('second-client')) {
    complain(['clients'], 'has no second. Describe it, or list second-client under absent.')
  }
  if (!customers.second && !absent.includes('second-customer')) {
    complain(['customers'], 'has no second. Describe it, or list second-customer under absent.')
  }
  for (const [name, hook] of Object.entries(hooks)) {
    const ways = [hook?.http, hook?.command, hook?.ask].filter((way) => way !== undefined)
    if (ways.length !== 1) {
      complain(['hooks', name], 'needs http, command or ask. Write exactly one of them.')
    }
  }
  const { requestsPerMinute, rateLimitBurst = 0 } = document
  if (requestsPerMinute !== undefined && rateLimitBurst > 0) {
    const text = 'cannot be reached within requestsPerMinute. Keep one of the two.'
    complain(['rateLimitBurst'], text)
  }
  if (document.products?.client === 'second' && !clients.second) {
    complain(['products', 'client'], 'is second, and there is none. Write first, or describe it.')
  }
  driver(document, complain)
}

type Complain = (path: Path, text: string) => void

const PRODUCTION = ['base_url', 'auth_url', 'discovery_url'] as const
const SANDBOX = [
  'sandbox_discovery_url',
  'sandbox_api_url',
  'sandbox_registration_url',
  'sandbox_token_url',
] as const

function addresses(given: Addresses, absent: string[], complain: Complain): void {
  const production = PRODUCTION.filter((name) => given[name] !== undefined)
  const sandbox = SANDBOX.filter((name) => given[name] !== undefined)
  const first = sandbox[0]
  if (production.length > 0 && first) {
    complain(
      ['addresses', first],
      'stands beside production addresses. Write a target file for each.',
    )
    return
  }
  const wanted: readonly (keyof Addresses)[] = sandbox.length > 0 ? SANDBOX : PRODUCTION
  const { discovery, registration, authorisation, token, aisp } = given.overrides ?? {}
  const overridden = { discovery, registration, authorisation, token, aisp }
  const complete = Object.values(overridden).every((url) => url !== undefined)
  for (const name of complete || absent.includes('account-information') ? [] : wanted) {
    if (given[name] === undefined) complain(['addresses'], `has no ${name}. Add it.`)
  }
  const products = given.product_api_url ?? given.overrides?.products
  if (products === undefined && !absent.includes('products')) {
    complain(['addresses'], 'has no product_api_url. Add it, or list products under absent.')
  }
}

function client(path: Path, given: ClientDocument, absent: string[], complain: Complain): void {
  below([...path, 'transport'], transportFindings(given.transport), complain)
  below([...path, 'signing'], signingFindings(given.signing), complain)
  const { softwareStatement, clientId } = given
  const statement = softwareStatement ?? ''
  if (softwareStatement !== undefined && !(headerOf(statement) && claimsOf(statement))) {
    const text = 'is not a compact JWS. Paste the assertion that the directory issued: a.b.c.'
    complain([...path, 'softwareStatement'], text)
  }
  if (absent.includes('registration')) {
    if (clientId === undefined) complain(path, 'has no clientId. Add that of its registration.')
    return
  }
  if (softwareStatement === undefined) {
    complain(path, 'has no softwareStatement. Add it, or list registration under absent.')
  }
}

function refused(path: Path, given: TransportDocument, complain: Complain): void {
  const findings = transportFindings(given)
  below(path, findings, complain)
  if (path.at(-1) !== 'expired' || findings.length > 0) return
  if (hasExpired(given) !== false) return
  complain([...path, 'certificate'], 'has not expired yet. Name one that a bank must refuse.')
}

function below(path: Path, findings: Finding[], complain: Complain): void {
  for (const { member, text } of findings) complain(member ? [...path, member] : path, text)
}

const NEEDS = { http: 'forms', browser: 'steps', command: 'command', ask: undefined } as const

function driver({ authorisation, clients }: TargetDocument, complain: Complain): void {
  const { catcher, attended } = authorisation
  if (authorisation.driver === 'ask' && attended === false) {
    complain(
      ['authorisation', 'attended'],
      'is false. The driver ask needs a person: leave it out.',
    )
  }
  if (catcher) {
    below(['authorisation', 'catcher'], transportFindings(catcher), complain)
    const uris = Object.values(clients).flatMap(({ redirectUris }) => redirectUris)
    if (!uris.some((uri) => /^https:\/\/(localhost|127\.0\.0\.1)([:/]|$)/.test(uri))) {
      const text = 'serves no redirect URI. Name one that begins with https://localhost:PORT/.'
      complain(['authorisation', 'catcher'], text)
    }
  }
  for (const [index, { has, follow }] of (authorisation.forms ?? []).entries()) {
    if ((has === undefined) !== (follow === undefined)) continue
    const text = has
      ? 'has both has and follow. A page is left by a form or by a link.'
      : 'has neither has nor follow. Name the fields of a form, or a link.'
    complain(['authorisation', 'forms', index], text)
  }
  const member = NEEDS[authorisation.driver]
  if (member === undefined || authorisation[member] !== undefined) return
  complain(['authorisation'], `has no ${member}. The driver ${authorisation.driver} needs it.`)
}
