import type { TokenSet } from '../tokens.ts'
import type { Ledger } from './events.ts'
import { ageOf, type RefusedToken, type Replacement } from './refused-token.ts'
import { why } from './why.ts'

/** Another token for consents, where the bank refused one of a client; undefined: the refusal stands. */
export async function anotherForClient(
  ledger: Ledger,
  client: string,
  { token, answer }: RefusedToken,
  renewed: () => Promise<TokenSet | undefined>,
): Promise<Replacement | undefined> {
  const reason = why(ledger.events, token, answer)
  if (reason === 'the request' || reason === 'no right') return undefined
  const newest = reason !== 'superseded'
  const instead = { ...ageOf(ledger.events, token, answer), newest }
  const next = await renewed()
  if (!next) return undefined
  if (!newest) ledger.add({ kind: 'superseded', client })
  return { token: next.accessToken, ...(reason !== 'expired' && { instead }) }
}
