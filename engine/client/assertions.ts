import type { Target } from '../configuration/resolve.ts'
import { assertionsAhead } from './assertions-ahead.ts'
import { assertionClaims, type BankFacts } from './claims.ts'
import { type JwtDeviation, jwt, type Signer } from './jwt.ts'

export type Assertions = ReturnType<typeof createAssertions>

/**
 * The client assertions of a TPP client.
 *
 * @param parts.sibling another client at the same bank, which finds the audience and the times that this one uses too
 */
export function createAssertions(parts: {
  target: Target
  facts: BankFacts
  signer: Signer
  sibling?: { audience(): string; isBrief(): boolean }
}) {
  const { target, facts, signer, sibling } = parts
  let brief = false

  const audience = (): string =>
    sibling?.audience() ??
    target.document.assertionAudience ??
    facts.tokenEndpoint ??
    target.endpoints.token

  /** Are they good for less than a minute? */
  const isBrief = (): boolean => sibling?.isBrief() ?? brief

  const claims = (clientId: string) =>
    assertionClaims(clientId, facts, { audience: audience(), isBrief: isBrief() })

  const signing = () => assertionsAhead((clientId) => jwt(claims(clientId), signer))
  let ahead = signing()

  return {
    audience,
    isBrief,
    claims,
    /** From now on they are good for less than a minute. */
    becomeBrief() {
      brief = true
      ahead = signing()
    },
    /** A new one. */
    signed: (clientId: string, deviation?: JwtDeviation): string =>
      deviation ? jwt(claims(clientId), signer, deviation) : ahead(clientId, audience()),
  }
}
