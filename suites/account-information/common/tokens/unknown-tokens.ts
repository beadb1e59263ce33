import { randomBytes } from 'node:crypto'
import { requireValue } from '../../../../engine/suite-api/flow.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { everything } from '../../../consents.ts'
import { bearerCredential } from '../../../values/bearer-credential.ts'
import { rowsOf } from '../../../values/value-type.ts'
import { newestRefreshToken } from './refreshed-access.ts'

/** A text that nobody issued, made from one that was issued. */
export interface Altered {
  text: string
  /** How it differs, behind “a code” or “a refresh token”. */
  words: string
}

/** None where all letters are of one case: hexadecimal digits, a UUID or base32 mean the same in both cases. */
export const OTHER_CASE = ['other-case']

/**
 * A series and a secret, behind a sign or a UUID: who sends a right series with a wrong secret may have stolen it. A JWT is
 * none.
 */
export const OF_PARTS = /^(?!eyJ)(?:[^.:~|]+[.:~|]|[\da-f]{8}(?:-[\da-f]{4}){3}-[\da-f]{12}[-_])/i

/** A store that compares beginnings alone finds what was issued by each of these. */
export const OTHER_END = ['last-changed', 'more-behind', 'cut']

/** What these rows of the table of credentials make of a text that was issued. */
export function alteredBy(ids: readonly string[], issued: string): Altered[] {
  return rowsOf(bearerCredential)
    .filter(({ id }) => ids.includes(id))
    .flatMap(({ words, make }) => {
      const text = make({ token: issued })?.bearer
      return typeof text === 'string' ? [{ text, words }] : []
    })
}

/** A random value as long as a real one. */
function made({ length }: string): string {
  return randomBytes(length).toString('base64url').slice(0, length)
}

/** The answer to a code that nobody issued, as long as one that was exchanged. */
export const unknownCode = sharedFixture([everything], async ({ approved, steps }) => {
  const { tpp, visit } = await approved(everything)
  requireValue(await steps.exchange(everything))
  const { code, request } = visit
  const grant = { code: made(code), redirect_uri: request.redirectUri } as const
  return tpp.token({ grant_type: 'authorization_code', ...grant }, { deviation: 'a made-up code' })
})

/** The answer to a refresh token that nobody issued, as long as one that works. */
export const unknownRefreshToken = sharedFixture([everything], async (context) => {
  const refresh_token = made(await newestRefreshToken(context, everything))
  const { tpp } = await context.approved(everything)
  const deviation = 'a made-up refresh token'
  return tpp.token({ grant_type: 'refresh_token', refresh_token }, { deviation })
})
