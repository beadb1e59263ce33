import { type Conduct, halfHash, type Knowledge } from './conduct.ts'
import { decodedJwt, verified } from './jws.ts'
import { LEVELS } from './levels.ts'
import { Refusal } from './refusal.ts'

type Json = Record<string, unknown>

/** The keys of a bank. */
export interface Keys {
  /** The keys fetched last; fetches them if that was never done. */
  known(): Promise<Json[]>
  fetched(): Promise<Json[]>
}

const now = () => Math.floor(Date.now() / 1000)

/**
 * Claims of a valid ID token; undefined when there is none and none is needed.
 *
 * @throws Refusal
 */
export async function checkedIdToken(
  value: string | null,
  known: Knowledge,
  conduct: Conduct,
  keys: Keys,
  redirect?: { code: string; state: string | null },
): Promise<Json | undefined> {
  const { idTokenChecks: checks } = conduct
  if (!value) {
    if (checks.present) throw new Refusal('there is no ID token')
    return undefined
  }
  const { header, claims } = decodedJwt(value)
  const assert = (check: boolean, holds: boolean, why: string) => {
    if (check && !holds) throw new Refusal(`the ID token ${why}`)
  }
  const confused = header.alg === 'HS256' && conduct.takesHs256
  assert(checks.extensions, header.crit === undefined, `has the extensions ${header.crit}`)
  assert(checks.alg, header.alg === 'PS256' || confused, `has alg ${header.alg}`)
  if (checks.signature && header.alg !== 'none') {
    assert(true, await signed(value, header, conduct, keys), 'is not signed by the bank')
  }
  assert(checks.iss, conduct.sameIssuer(claims.iss, known.issuer), 'is of another issuer')
  const audiences = conduct.readsAudienceArrays ? [claims.aud].flat() : [claims.aud]
  const own = conduct.ownAudience(audiences, claims.azp, known.clientId)
  assert(checks.aud, own, 'is for another client')
  const over = typeof claims.exp !== 'number' || claims.exp <= now() - conduct.leeway
  assert(checks.exp, !over, 'has expired')
  const nonce = redirect
    ? claims.nonce === known.nonce
    : [undefined, known.nonce].includes(claims.nonce as string)
  assert(checks.nonce, nonce, 'has another nonce')
  assert(
    checks.intent,
    [undefined, known.consentId].includes(claims.openbanking_intent_id as string),
    'is for another intent',
  )
  if (!redirect) return claims
  const level = claims.acr === undefined || LEVELS.includes(String(claims.acr))
  assert(checks.acr, level, `has acr ${claims.acr}`)
  const { code, state } = redirect
  assert(checks.cHash, claims.c_hash === halfHash(code), 'is for another code')
  assert(
    checks.sHash && state !== null,
    claims.s_hash === halfHash(state ?? ''),
    'is for another state',
  )
  return claims
}

async function signed(
  value: string,
  { kid: id, alg, jwk: own }: Json,
  { takesFirstKey, refetchesKeys, takesTheKeyOfTheHeader, needsKid }: Conduct,
  keys: Keys,
): Promise<boolean> {
  const [header, payload, bytes = ''] = value.split('.')
  const input = Buffer.from(`${header}.${payload}`)
  const holds = (jwk: Json) => verified(input, Buffer.from(bytes, 'base64url'), String(alg), jwk)
  if (own && takesTheKeyOfTheHeader) return holds(own as Json)
  const fits = (set: Json[]) =>
    (takesFirstKey ? set.slice(0, 1) : set)
      .filter(({ kty, kid }) => {
        const named = kid === id || (!needsKid && (id === undefined || kid === undefined))
        return kty === 'RSA' && named && !(needsKid && id === undefined)
      })
      .some(holds)
  const known = await keys.known()
  if (fits(known)) return true
  if (!refetchesKeys || known.some((jwk) => jwk.kid === id)) return false
  return fits(await keys.fetched())
}
