import { isDeepStrictEqual } from 'node:util'
import { claimsOf, headerOf } from '../wire/jwt-decode.ts'
import { spell } from '../yaml/explain.ts'
import type { Path, Source } from '../yaml/source.ts'
import { PLACEHOLDERS, repeatedPaths } from './addresses.ts'
import {
  areOfOneAuthority,
  type Finding,
  hasExpired,
  signingFinding,
  transportFindings,
  trustFinding,
} from './material.ts'
import { insteadOfContent } from './mistaken-files.ts'
import { isProductsAlone } from './products-alone.ts'
import type { Addresses, ClientDocument, TargetDocument } from './target.ts'

/** Reports what a schema can't detect: faulty keys and certificates, mixed layouts, contradictions of `absent`. */
export function checkSense(source: Source, document: TargetDocument): void {
  const complain = (path: Path, text: string) => source.complain(path, `${spell(path)} ${text}`)
  const { clients, customers, refusedCertificates, absent = [], hooks = {} } = document

  addresses(document.addresses, absent, complain)
  urls(document, complain)
  if (isProductsAlone(document)) {
    productsClient(document, complain)
    return
  }
  for (const [index, pem] of (document.trust ?? []).entries()) {
    const finding = trustFinding(pem)
    if (finding) complain(['trust', index], finding)
  }
  for (const [name, one] of Object.entries(clients)) {
    client(['clients', name], one, absent, complain)
  }
  for (const [name, one] of Object.entries(refusedCertificates ?? {})) {
    const path = ['refusedCertificates', name]
    const findings = transportFindings(one)
    below(path, findings, complain)
    if (name !== 'expired' || findings.length > 0 || hasExpired(one) !== false) continue
    complain([...path, 'certificate'], 'has not expired yet. Name one that a bank must refuse.')
  }
  alike(document, complain)
  if (!clients.second && !absent.includes('second-client')) {
    complain(['clients'], 'has no second. Describe it, or list second-client under absent.')
  }
  if (!customers.second && !absent.includes('second-customer')) {
    complain(['customers'], 'has no second. Describe it, or list second-customer under absent.')
  }
  if ((customers.first.accounts ?? 0) > 1 && absent.includes('second-account')) {
    const text = 'is more than one. Correct it, or take second-account out of absent.'
    complain(['customers', 'first', 'accounts'], text)
  }
  for (const [name, hook] of Object.entries(hooks)) {
    const ways = [hook?.http, hook?.command, hook?.ask].filter((way) => way !== undefined)
    if (ways.length === 1) continue
    complain(['hooks', name], 'needs http, command or ask. Write exactly one of them.')
  }
  const { requestsPerMinute, rateLimitBurst = 0 } = document
  if (requestsPerMinute !== undefined && rateLimitBurst > 0) {
    const text = 'cannot be reached within requestsPerMinute. Keep one of the two.'
    complain(['rateLimitBurst'], text)
  }
  productsClient(document, complain)
  driver(document, complain)
}

/** Complains of parties that are one and the same: whatever keeps them apart, no bank could pass. */
function alike(
  { clients, customers, refusedCertificates }: TargetDocument,
  complain: Complain,
): void {
  const { first, second } = clients
  const statement = ({ softwareStatement = '' }: ClientDocument) =>
    claimsOf(softwareStatement)?.software_id ?? (softwareStatement || undefined)
  // One software may be registered as two clients.
  const areTwo = second?.clientId !== undefined && !isSame(first.clientId, second.clientId)
  const isCopy = second && !areTwo && isSame(statement(first), statement(second))
  const ofOneId = second && isSame(first.clientId, second.clientId)
  const own = (what: string) =>
    `One of the two is wrong: give each client its own ${what}, or list second-client under absent.`
  if (isCopy) {
    const text = `is of the same software as clients.first.softwareStatement. ${own('software statement')}`
    complain(['clients', 'second', 'softwareStatement'], text)
  } else if (ofOneId) {
    const text = `is that of clients.first. ${own('client_id')}`
    complain(['clients', 'second', 'clientId'], text)
  }
  const { credentials = {} } = customers.first
  const hasSome = Object.keys(credentials).length > 0
  if (hasSome && isSame(credentials, customers.second?.credentials)) {
    const text =
      'are those of customers.first. Name another customer, or list second-customer under absent.'
    complain(['customers', 'second', 'credentials'], text)
  }
  const { untrusted } = refusedCertificates ?? {}
  const transports = Object.values(clients).map(({ transport }) => transport)
  if (untrusted && areOfOneAuthority(untrusted, transports)) {
    const text =
      'is of the authority that signed the certificate of a client. Name one that a bank must refuse, or leave it out.'
    complain(['refusedCertificates', 'untrusted', 'certificate'], text)
  }
}

const isSame = (one: unknown, other: unknown): boolean =>
  one !== undefined && isDeepStrictEqual(one, other)

/** Verifies the client whose certificate is used for the products. */
function productsClient({ products, clients }: TargetDocument, complain: Complain): void {
  const name = products?.client
  if (name === undefined) return
  const transport = clients[name]?.transport
  if (!transport || Object.keys(transport).length === 0) {
    complain(['products', 'client'], `is ${name}, and there is none. Describe it under clients.`)
  } else {
    below(['clients', name, 'transport'], transportFindings(transport), complain)
  }
}

type Complain = (path: Path, text: string) => void

function addresses(given: Addresses, absent: string[], complain: Complain): void {
  const has = (name: keyof Addresses) => given[name] !== undefined
  const first = PLACEHOLDERS.sandbox.find(has)
  if (first && PLACEHOLDERS.production.some(has)) {
    const text = 'stands beside production addresses. Write a target file for each.'
    complain(['addresses', first], text)
    return
  }
  const { discovery, registration, authorisation, token, aisp, products } = given.overrides ?? {}
  const complete = [discovery, registration, authorisation, token, aisp].every(Boolean)
  const wanted = PLACEHOLDERS[first ? 'sandbox' : 'production']
  for (const name of complete || absent.includes('account-information') ? [] : wanted) {
    if (!has(name)) complain(['addresses'], `has no ${name}. Add it.`)
  }
  if (!(given.product_api_url ?? products) && !absent.includes('products')) {
    complain(['addresses'], 'has no product_api_url. Add it, or list products under absent.')
  }
}

const isUrl = (text: string) => !/\s/.test(text) && URL.canParse(text)
const NO_URL = 'is not a URL: a space, the port or another character is wrong. Correct it.'

/** Complains of what only looks like a URL, and of addresses to which no path can be added. */
function urls(document: TargetDocument, complain: Complain): void {
  const { addresses: given, issuer, assertionAudience, proxy } = document
  const { overrides = {}, ...placeholders } = given
  const within = (path: Path, urls: object) =>
    Object.entries(urls).map(([name, url]): [Path, unknown] => [[...path, name], url])
  const all = [
    ...within(['addresses'], placeholders),
    ...within(['addresses', 'overrides'], overrides),
    ...within([], { issuer, assertionAudience, proxy }),
  ]
  for (const [path, url] of all) {
    if (typeof url === 'string' && !isUrl(url)) complain(path, NO_URL)
  }
  for (const [name, url] of Object.entries(placeholders)) {
    const text = 'has a query or a fragment. Leave it out: paths are added to the address.'
    if (/[?#]/.test(url)) complain(['addresses', name], text)
  }
  for (const { name, path } of repeatedPaths(given)) {
    complain(['addresses', name], `ends with ${path}, which is added to it. Leave that out.`)
  }
}

function client(path: Path, given: ClientDocument, absent: string[], complain: Complain): void {
  below([...path, 'transport'], transportFindings(given.transport), complain)
  below([...path, 'signing'], signingFinding(given.signing), complain)
  const { softwareStatement, clientId, redirectUris } = given
  for (const [index, uri] of redirectUris.entries()) {
    if (!isUrl(uri)) complain([...path, 'redirectUris', index], NO_URL)
  }
  // A decoder skips quotes and line breaks, and a bank does not.
  const isCompact = /^[\w-]+\.[\w-]+\.[\w-]+$/.test(softwareStatement ?? '')
  const isRead = headerOf(softwareStatement ?? '') && claimsOf(softwareStatement ?? '')
  if (softwareStatement && !isRead) {
    const text =
      insteadOfContent(softwareStatement) ??
      'is not a compact JWS. Paste the assertion that the directory issued: a.b.c.'
    complain([...path, 'softwareStatement'], text)
  } else if (softwareStatement && !isCompact) {
    const text = 'has quotes, spaces or line breaks. Write it as one line: a.b.c.'
    complain([...path, 'softwareStatement'], text)
  }
  if (absent.includes('registration')) {
    if (clientId === undefined) complain(path, 'has no clientId. Add that of its registration.')
  } else if (softwareStatement === undefined) {
    complain(path, 'has no softwareStatement. Add it, or list registration under absent.')
  }
}

function below(path: Path, findings: Finding[], complain: Complain): void {
  for (const { member, text } of findings) complain(member ? [...path, member] : path, text)
}

const NEEDS = { http: 'forms', browser: 'steps', command: 'command', ask: undefined } as const

function driver({ authorisation, clients }: TargetDocument, complain: Complain): void {
  const path = ['authorisation']
  const { catcher, attended } = authorisation
  if (authorisation.driver === 'ask' && attended === false) {
    complain([...path, 'attended'], 'is false. The driver ask needs a person: leave it out.')
  }
  if (catcher) {
    below([...path, 'catcher'], transportFindings(catcher), complain)
    const uris = Object.values(clients).flatMap(({ redirectUris }) => redirectUris)
    if (!uris.some((uri) => /^https:\/\/(localhost|127\.0\.0\.1)([:/]|$)/.test(uri))) {
      const text = 'serves no redirect URI. Name one that begins with https://localhost:PORT/.'
      complain([...path, 'catcher'], text)
    }
  }
  // A page before the decision may have one button for both.
  const denying = (authorisation.forms ?? []).filter(({ deny, only }) => deny ?? only === 'deny')
  if (denying.length > 0 && denying.every(({ approve, deny }) => isSame(approve, deny))) {
    const index = authorisation.forms?.findIndex(({ deny }) => deny !== undefined) ?? 0
    complain([...path, 'forms', index, 'deny'], 'is the button of approve. Name that of a denial.')
  }
  for (const [index, { has, follow }] of (authorisation.forms ?? []).entries()) {
    if ((has === undefined) !== (follow === undefined)) continue
    const text = has
      ? 'has both has and follow. A page is left by a form or by a link.'
      : 'has neither has nor follow. Name the fields of a form, or a link.'
    complain([...path, 'forms', index], text)
  }
  const member = NEEDS[authorisation.driver]
  if (member === undefined || authorisation[member] !== undefined) return
  complain(path, `has no ${member}. The driver ${authorisation.driver} needs it.`)
}
