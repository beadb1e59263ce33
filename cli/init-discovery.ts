import { Agent, ProxyAgent, request } from 'undici'
import {
  addressesFrom,
  type Part,
  PLACEHOLDERS,
  type StatedAddresses,
} from '../engine/configuration/addresses.ts'
import { isObject, parsedJson } from '../engine/record/json.ts'
import type { Answers } from './init-questions.ts'
import type { Seen } from './init-seen.ts'
import { textOf } from './usage.ts'

const WELL_KNOWN = '/.well-known/openid-configuration'

/** Milliseconds for the document: whoever pressed return waits for it. */
const PATIENCE = 10_000

/** Bytes of a discovery document that are read: a large one has some 10 KiB. */
const MOST = 512 * 1024

type Document = Record<string, unknown>

/**
 * Reads the discovery document of a bank and says which addresses are in it.
 *
 * @param address of the document, or of what stands before /.well-known/openid-configuration
 * @param answers of trust and proxy; `aisp`, where the API is known to stand
 */
export async function readDiscovery(address: string, answers: Answers): Promise<Seen> {
  const url = wellKnown(address)
  let document: Document
  try {
    document = await fetched(url, answers)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return { says: [`${url} cannot be read: ${reasonOf(code, message)}`], again: true }
  }
  return addressesIn(document, url, answers.aisp)
}

/** The whole address of a discovery document. */
export function wellKnown(address: string): string {
  return address.includes('/.well-known/')
    ? address
    : `${address.replace(/(?<!\/)\/+$/, '')}${WELL_KNOWN}`
}

/** What a discovery document answers. */
function addressesIn(document: Document, url: string, aisp?: string): Seen {
  const stated = addressesFrom({ ...partsOf(document), discovery: url, ...(aisp && { aisp }) })
  const { layout } = stated
  const found = answersOf(stated)
  const missing = PLACEHOLDERS[layout].filter((name) => !found[question(name)])
  const scopes = Array.isArray(document.scopes_supported) ? document.scopes_supported : []
  return {
    settled: { ...NO_OVERRIDES, ...found },
    hints: scopes.includes('fundsconfirmations') ? { 'funds-scope': 'fundsconfirmations' } : {},
    says: [
      `${url} was read: it has the addresses of ${layout === 'sandbox' ? 'a sandbox' : 'production'}.`,
      ...Object.entries(found).map(([name, value]) => `  ${name.padEnd(26)} ${value}`),
      ...(missing.length > 0 ? [`It does not say ${missing.join(', ')}.`] : []),
    ],
    confirm: 'Take these addresses?',
  }
}

/** What another source said of these is older than the document of the bank. */
const NO_OVERRIDES: Answers = Object.fromEntries(
  ['discovery', 'registration', 'authorisation', 'token', 'aisp'].map((part) => [
    `override-${part}`,
    '',
  ]),
)

const question = (placeholder: string) => placeholder.replaceAll('_', '-')

/** Addresses as answers to their questions. */
export function answersOf({ layout, placeholders, overrides }: StatedAddresses): Answers {
  const answers: Answers = { layout }
  for (const [name, url] of Object.entries(placeholders)) answers[question(name)] = url
  for (const [part, url] of Object.entries(overrides)) {
    if (part !== 'products') answers[`override-${part}`] = url
  }
  return answers
}

const ENDPOINTS: Record<string, Part> = {
  registration_endpoint: 'registration',
  authorization_endpoint: 'authorisation',
  token_endpoint: 'token',
}

/** Endpoints of a discovery document; where it has an address for mutual TLS (RFC 8705, 5), that one. */
export function partsOf(document: Document): Partial<Record<Part, string>> {
  const { mtls_endpoint_aliases: aliases } = document
  const parts: Partial<Record<Part, string>> = {}
  for (const [member, part] of Object.entries(ENDPOINTS)) {
    const alias = isObject(aliases) && part !== 'authorisation' ? aliases[member] : undefined
    const url = alias ?? document[member]
    if (typeof url === 'string' && /^https?:/.test(url) && URL.canParse(url)) parts[part] = url
  }
  return parts
}

/** @throws Error of the network, or one whose message says what is wrong with the answer */
async function fetched(url: string, { trust, proxy }: Answers): Promise<Document> {
  const ca = trust ? textOf('--trust', trust.replace(/^file:/, '')) : undefined
  const connect = ca === undefined ? {} : { ca }
  const dispatcher = proxy
    ? new ProxyAgent({ uri: proxy, requestTls: connect })
    : new Agent({ connect })
  try {
    const { statusCode, headers, body } = await request(url, {
      dispatcher,
      headers: { accept: 'application/json' },
      headersTimeout: PATIENCE,
      bodyTimeout: PATIENCE,
      signal: AbortSignal.timeout(PATIENCE),
    })
    const text = await limited(body)
    if (statusCode !== 200) {
      const to = statusCode >= 300 && statusCode < 400 ? `, which leads to ${headers.location}` : ''
      throw new Error(`the answer is ${statusCode}${to}`)
    }
    const document = parsedJson(text)
    if (isObject(document) && typeof document.issuer === 'string') return document
    throw new Error('the answer is no discovery document: JSON with an issuer')
  } finally {
    await dispatcher.destroy()
  }
}

async function limited(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > MOST) throw new Error(`the answer has more than ${MOST / 1024} KiB`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const UNKNOWN_AUTHORITY = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]

function reasonOf(code: string | undefined, message: string): string {
  if (code && UNKNOWN_AUTHORITY.includes(code)) {
    return `nobody known signed the certificate of its server (${code}). Name the PEM file of its authority with --trust.`
  }
  if (code === 'ENOTFOUND') return 'its host is unknown (ENOTFOUND). Look at the spelling.'
  if (code === 'ECONNREFUSED') return 'nobody listens there (ECONNREFUSED).'
  if (message.includes('aborted due to timeout')) return `no answer within ${PATIENCE / 1000} s.`
  return `${message}${code && !message.includes(code) ? ` (${code})` : ''}.`
}
