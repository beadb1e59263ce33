import {
  addressesFrom,
  type Part,
  PLACEHOLDERS,
  type StatedAddresses,
} from '../engine/configuration/addresses.ts'
import { isObject } from '../engine/record/json.ts'
import { fetched } from './init-fetch.ts'
import type { Answers } from './init-questions.ts'
import type { Seen } from './init-seen.ts'

const WELL_KNOWN = '/.well-known/openid-configuration'

type Document = Record<string, unknown>

/**
 * Reads the discovery document of a bank and reports the addresses in it.
 *
 * @param address of the document, or the part before /.well-known/openid-configuration
 * @param textAt the text of a file that an answer names
 * @param answers about trust and proxy; `aisp`, when the address of the API is known
 */
export async function readDiscovery(
  address: string,
  answers: Answers,
  textAt: (answer: string) => string | undefined,
): Promise<Seen> {
  const url = wellKnown(address)
  const read = await fetched(url, answers, textAt)
  if (typeof read === 'string') return { says: [read], again: true }
  if (typeof read.issuer === 'string') return addressesIn(read, url, answers.aisp)
  return { says: [`${url} serves no discovery document: it has no issuer.`], again: true }
}

/** The full address of a discovery document. */
export function wellKnown(address: string): string {
  return address.includes('/.well-known/')
    ? address
    : `${address.replace(/(?<!\/)\/+$/, '')}${WELL_KNOWN}`
}

/** The answers that a discovery document contains. */
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

/** Clears overrides from other sources, because the bank's document is newer. */
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

/** Endpoints of a discovery document; the address for mutual TLS (RFC 8705, 5) where there is one. */
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
