import type { ConsentFacts } from '../wire/exchange.ts'
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
}
