import type { ConsentFacts, Exchange } from '../wire/exchange.ts'
import type { Caller } from './caller.ts'
import type { CustomerName } from './parties.ts'
import type { TokenSet } from './tokens.ts'
import type { Visit } from './visit.ts'

/** A customer's approval of a consent, and the TPP client that may use it. */
export interface Approval extends Caller {
  readonly name: string
  readonly consentId: string
  readonly facts: ConsentFacts
  readonly visit: Visit & { kind: 'granted' }
  readonly customer: CustomerName
  /** The tokens in use now; a refresh replaces them. */
  tokens(): Promise<TokenSet>
  use(tokens: TokenSet): void
  /**
   * The refresh token is exchanged, and what comes of it is in use from then on.
   *
   * @throws NotApplicable where the bank issued none, or ended the approval when a newer one was given
   */
  refresh(): Promise<{ exchange: Exchange; tokens: TokenSet | undefined }>
}
