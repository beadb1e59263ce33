import { namesCredential } from '../record/credential-names.ts'

/** Members, form fields and query parameters whose value is always secret. */
const SECRET_NAMES =
  `access_token refresh_token id_token id_token_hint registration_access_token software_statement
  client_assertion client_secret assertion password passwd passcode pin otp one_time_code
  onetimecode securitycode accesstoken refreshtoken sessionid`.split(/\s+/)

/** Secret in a URL or a form; in JSON these names have harmless uses as well. */
const PARAMETER_NAMES = [
  ...SECRET_NAMES,
  ...`code request token api_key apikey api-key x-api-key subscription-key
  ocp-apim-subscription-key sig`.split(/\s+/),
]

/** JSON members with a customer's name or address. "Name" is OBIE's account holder. */
const PERSONAL_NAMES =
  `Name Nickname SecondaryIdentification FullLegalName PartyName EmailAddress PhoneNumber
  given_name family_name email phone_number`.split(/\s+/)

const anyCase = (names: string[]) =>
  names.map((name) => name.replace(/[a-z]/g, (c) => `[${c}${c.toUpperCase()}]`)).join('|')

/** "access_token": "…", also in a body that is truncated or not quite JSON. */
export const JSON_SECRET = new RegExp(
  `("(${anyCase(SECRET_NAMES)}|${PERSONAL_NAMES.join('|')})"\\s*:\\s*")((?:[^"\\\\]|\\\\.)*)"`,
  'g',
)

/** A private member of a JWK, where the text contains any JWK (RFC 7518 section 6). */
export const JWK_SECRET = /("(?:d|p|q|dp|dq|qi|k|r|t)"\s*:\s*")([A-Za-z0-9_+/=-]{16,})/g
export const OF_A_JWK = /"kty"\s*:/

/** code=…, in a query, a fragment or a form. */
export const PARAMETER_SECRET = new RegExp(
  `(^|[?&#;\\s"'])(${anyCase(PARAMETER_NAMES)})=([^&#\\s"'<>]+)`,
  'g',
)

/** An input tag of a page, up to the end of its attributes. */
export const HTML_INPUT = /<input\b(?:[^<>"']|"[^"]*"?|'[^']*'?)*/gi

/** The value that a password field shows again, and its position in the tag. */
export function shownPassword(tag: string): { value: string; at: number } | undefined {
  if (!/\btype\s*=\s*["']?password\b/i.test(tag)) return undefined
  const found = /\bvalue\s*=\s*(?:"([^"]+)|'([^']+)|([^\s"']+))/i.exec(tag)
  const value = found?.slice(1).find((one) => one !== undefined)
  return found && value ? { value, at: found.index + found[0].length - value.length } : undefined
}

/** Bearer … in any text, long enough not to be part of a sentence; headers are found by name. */
export const SCHEME_CREDENTIALS = /\b(Bearer|Basic|DPoP) +([A-Za-z0-9._~+/=-]{20,})/g

/** A compact JWS, or the first three parts of a JWE; of text that only begins like one, just the beginning. */
export const JWT =
  /(eyJ[A-Za-z0-9_-]{4,})(?:\.([A-Za-z0-9_-]*)\.([A-Za-z0-9_-]*(?:\.[A-Za-z0-9_-]+)*))?/g

export const PEM_KEY = /-----BEGIN [A-Z ]*PRIVATE KEY-----[\s\S]*?(?:-----END [A-Z ]*KEY-----|$)/g

/**
 * 13 to 19 digits that begin as card numbers do, optionally in groups or one by one, separated by any space, dash or
 * dot; 15 or 16 of them also after letters, because identifiers contain them.
 */
export const CARD_NUMBER =
  /(?<![0-9A-Za-z])(?:2[2-7]|[3-6]\d)\d{2}(?:[\s.\-\u00ad\u00b7\u2010-\u2015\u2060\u200b_/]?\d{2,7}){2,4}(?![0-9A-Za-z])|(?<!\d)(?:2[2-7]|[3-6]\d)\d{13,14}(?!\d)|(?<![0-9A-Za-z])[2-6](?:[\s.-]\d){12,18}(?![0-9A-Za-z])/g

/** True if a text has the digits of a card number: ISO/IEC 7812, Luhn checksum. */
export function luhn(text: string): boolean {
  const digits = text.replace(/\D/g, '')
  if (digits.length < 13 || digits.length > 19) return false
  let sum = 0
  for (const [index, digit] of [...digits].reverse().entries()) {
    const doubled = Number(digit) * (index % 2 === 1 ? 2 : 1)
    sum += doubled > 9 ? doubled - 9 : doubled
  }
  return sum % 10 === 0
}

/** Label of a header with credentials; undefined for other headers. */
export function credentialHeader(name: string): string | undefined {
  const plain = name.toLowerCase()
  if (plain === 'cookie' || plain === 'set-cookie') return 'cookie'
  return namesCredential(plain) ? 'credential' : undefined
}

const LABELS: Record<string, string> = {
  bearer: 'access_token',
  dpop: 'access_token',
  request: 'request-object',
}

/** The label of a pseudonym, from the name of the place where the secret stands. */
export function labelOf(name: string): string {
  const plain = name.toLowerCase()
  return LABELS[plain] ?? plain
}
