import type { Level } from '../../engine/suite-api/check.ts'
import type { JwtDeviation } from '../../engine/suite-api/jwt.ts'
import type { Part, Value } from './value-type.ts'

/** The JWTs of this interface; each is a JWS. The TPP makes all but the ID token. */
export type JwsKind =
  | 'client-assertion'
  | 'request-object'
  | 'registration'
  | 'software-statement'
  | 'id-token'

/** A correct JWS, which the bank must accept, or, for an ID token, the client. */
export interface Jws {
  kind: JwsKind
  claims: Readonly<Record<string, unknown>>
  parties: {
    /** The client_id of the client that sends the JWT, or that an ID token is for. */
    own: string
    /** The target's other client, if there is one. */
    other?: { id: string; kid: string; jwksUri?: string }
    /** The issuer in the bank's configuration. */
    issuer: string
  }
  /** Seconds since 1970. */
  now: number
}

export type JwsRow = Value<Jws, JwtDeviation>
export type JwsPart = Part<Jws, JwtDeviation>

/** For each kind, the reason for a row and its level. A kind without an entry has no such row. */
export type Grounds = Partial<Record<JwsKind, { level: Level; because: string }>>

const WORDS: Record<JwsKind, { short: string; words: string }> = {
  'client-assertion': { short: 'assertion', words: 'client assertion' },
  'request-object': { short: 'request', words: 'request object' },
  registration: { short: 'registration', words: 'registration' },
  'software-statement': { short: 'statement', words: 'software statement' },
  'id-token': { short: 'id-token', words: 'ID token' },
}

/** A row for each level in the grounds; the id stays as given if there is only one level. */
export function split(
  grounds: Grounds,
  { id, words, lawful, make }: Pick<JwsRow, 'id' | 'words' | 'lawful' | 'make'>,
): JwsRow[] {
  const entries = Object.entries(grounds) as [JwsKind, { level: Level; because: string }][]
  const levels = [...new Set(entries.map(([, { level }]) => level))]
  return levels.map((level) => {
    const alike = entries.filter(([, ground]) => ground.level === level)
    const kinds = alike.map(([kind]) => kind)
    const whole = levels.length === 1
    return {
      id: whole ? id : `${id}-in-${kinds.map((kind) => WORDS[kind].short).join('-')}`,
      words: whole ? words : `${words}, as ${kinds.map((kind) => WORDS[kind].words).join(' or ')}`,
      ...(lawful && { lawful }),
      level,
      because: [...new Set(alike.map(([, { because }]) => because))].join(' '),
      make: (right) => (kinds.includes(right.kind) ? make(right) : undefined),
    }
  })
}

/** The same ground for several kinds. */
export function grounds(level: Level, because: string, ...kinds: JwsKind[]): Grounds {
  return Object.fromEntries(kinds.map((kind) => [kind, { level, because }]))
}

/** JWTs that the TPP signs itself, so that it can choose everything in them. */
export const OF_THE_TPP: readonly JwsKind[] = ['client-assertion', 'request-object', 'registration']

const ASSERTION =
  '“| client_assertion | no | JWT signed by the TPP, per OpenID Connect Core section 9. |”'

/** Not signed by the party that it claims to be from. */
export const UNSIGNED: Grounds = {
  'client-assertion': { level: 'must', because: ASSERTION },
  'request-object': {
    level: 'must',
    because:
      '“JWS containing a request object”, and OpenID Connect Core 6.3.2: “The signature MUST be validated against the appropriate key for that client_id and algorithm.”',
  },
  'software-statement': {
    level: 'must',
    because:
      '“a software statement assertion issued to the TPP by the open banking directory”, which alone signs one.',
  },
  registration: {
    level: 'should',
    because: '“Request: JWT string with Content-Type application/jwt.”, which its holder signs.',
  },
  'id-token': {
    level: 'should',
    because:
      'OpenID Connect Core 3.2.2.11 (1): “The Client MUST validate the signature of the ID Token”.',
  },
}

/** Signed by the correct party, with an algorithm other than the registered one. */
export const OTHER_ALGORITHM: Grounds = {
  'client-assertion': {
    level: 'must',
    because: '“Algorithm the client uses to sign its client assertion; PS256 is used.”',
  },
  'request-object': {
    level: 'must',
    because: '“Algorithm for signing request objects; PS256 is used.”',
  },
  'id-token': {
    level: 'should',
    because: '“Algorithm the service uses to sign the ID token; PS256 is used.”',
  },
  registration: {
    level: 'observe',
    because: 'The document names no algorithm of the JWT of Registration 2.',
  },
}

/** Signed by the correct party, but not a JWS, or with a parameter that must not be ignored. */
export const malformed = (because: string): Grounds =>
  grounds('should', because, ...OF_THE_TPP, 'id-token')

/** Left open by the documents. */
export const open = (because: string, ...kinds: JwsKind[]): Grounds =>
  grounds('observe', because, ...(kinds.length > 0 ? kinds : [...OF_THE_TPP, 'id-token' as const]))

/** The same deviation for every JWS. */
export const fixed = (deviation: JwtDeviation) => (): JwtDeviation => deviation

/** Changes only how the JSON is written. */
export const spelled =
  (part: 'header' | 'payload', spelling: (json: string) => string | Buffer) =>
  (): JwtDeviation => ({
    written: { [part]: spelling },
  })

/** Changes only how the JWS is sent: as text, or by its three parts. */
export const sent =
  (change: (jws: string, parts: [string, string, string]) => string) => (): JwtDeviation => ({
    sent: (jws) => {
      const [header = '', payload = '', signature = ''] = jws.split('.')
      return change(jws, [header, payload, signature])
    },
  })

export const base64url = (text: string): string => Buffer.from(text).toString('base64url')
