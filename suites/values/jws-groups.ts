import type { JwsRow } from './jws-rows.ts'

/** The wrong rows of a level in these groups. */
export const isWrong =
  (level: 'must' | 'should', ...groups: readonly RegExp[]) =>
  (row: JwsRow): boolean =>
    row.level === level && !row.lawful && groups.some((group) => group.test(row.id))

/** The lawful rows of a level. */
export const isLawful =
  (wanted: 'must' | 'should') =>
  ({ lawful, level }: JwsRow): boolean =>
    lawful === true && level === wanted

/** The rows of a JWS that one check judges together, by their ids. */
export const JWS_GROUPS = {
  unsigned: /^(alg-none|header-alg-twice-none)/,
  rs256: /^alg-(rs256|says-rs256-is-ps256)/,
  hs256: /^alg-hs/,
  otherAlgorithms: /^alg-(ps|es|eddsa|rs384|rs512)/,
  tampered: /^(claims-changed|header-changed|signature-)/,
  otherClient: /^(kid-and-key-of-another-client|key-of-another-client|jwks-uri-brings-key)/,
  otherKey:
    /^(alg-says-ps256|key-(unknown|weak)|kid-(missing-unknown-key|path|sql)|\w+-brings-|jwe|detached|two-parts|without-header|empty-text|claims-alone)/,
  audience: /^aud-/,
  expired: /^exp-/,
  notYetGood: /^nbf-/,
  critical: /^crit-/,
  /** Neither a compact JWS nor valid JSON, or another alg than PS256 as it is written. */
  malformed:
    /^(alg-(missing|lower-case|mixed-case|space|empty|null|number|array)|(header|claims)-(comma|comment|trailing|array|utf-16)|json-.*|foreign-characters|nul-behind|four-parts|(trailing|leading)-dot|bearer|quoted|in-a-list|twice|dots-encoded)$/,
} as const
