import type { Level } from '../../engine/suite-api/check.ts'
import type { JwtDeviation } from '../../engine/suite-api/jwt.ts'
import type { Part, Value } from './value-type.ts'

/** The JWTs of this interface, each a JWS. All but the ID token are made by the TPP. */
export type JwsKind =
  | 'client-assertion'
  | 'request-object'
  | 'registration'
  | 'software-statement'
  | 'id-token'

/** A correct JWS: what the bank, and at the TPP's side the client, must take. */
export interface Jws {
  kind: JwsKind
  /** Its correct claims. */
  claims: Readonly<Record<string, unknown>>
  parties: {
    /** The client_id of the client that sends it, or that an ID token is for. */
    own: string
    /** The target's other client, where there is one. */
    other?: { id: string; kid: string }
    /** The bank, as its configuration names it. */
    issuer: string
  }
  /** Seconds since 1970. */
  now: number
}

export type JwsRow = Value<Jws, JwtDeviation>
export type JwsPart = Part<Jws, JwtDeviation>

/** Why a row holds for a kind, and how much it binds there. Kinds that are left out have no such row. */
export type Grounds = Partial<Record<JwsKind, { level: Level; because: string }>>

const WORDS: Record<JwsKind, { short: string; words: string }> = {
  'client-assertion': { short: 'assertion', words: 'client assertion' },
  'request-object': { short: 'request', words: 'request object' },
  registration: { short: 'registration', words: 'registration' },
  'software-statement': { short: 'statement', words: 'software statement' },
  'id-token': { short: 'id-token', words: 'ID token' },
}

/** A row for each level that its grounds give to kinds of JWS; the id is as given where they agree. */
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

/** What the TPP signs by itself, so that everything in it can be chosen. */
export const OF_THE_TPP: readonly JwsKind[] = ['client-assertion', 'request-object', 'registration']

const ASSERTION =
  '“| client_assertion | no | JWT signed by the TPP, per OpenID Connect Core section 9. |”'

/** It is not signed by the party that it is of. */
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

/** The right party signed it, by another algorithm than the registered one. */
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

/** The right party signed something that is no JWS, or says something that must not be ignored. */
export const malformed = (because: string): Grounds =>
  grounds('should', because, ...OF_THE_TPP, 'id-token')

/** What no sentence settles. */
export const open = (because: string, ...kinds: JwsKind[]): Grounds =>
  grounds('observe', because, ...(kinds.length > 0 ? kinds : [...OF_THE_TPP, 'id-token' as const]))

/** The same deviation of every one. */
export const fixed = (deviation: JwtDeviation) => (): JwtDeviation => deviation

/** What is only written otherwise in its JSON. */
export const spelled =
  (part: 'header' | 'payload', spelling: (json: string) => string | Buffer) =>
  (): JwtDeviation => ({
    written: { [part]: spelling },
  })

/** What is only sent otherwise: as text, and by its three parts. */
export const sent =
  (change: (jws: string, parts: [string, string, string]) => string) => (): JwtDeviation => ({
    sent: (jws) => {
      const [header = '', payload = '', signature = ''] = jws.split('.')
      return change(jws, [header, payload, signature])
    },
  })

export const base64url = (text: string): string => Buffer.from(text).toString('base64url')
