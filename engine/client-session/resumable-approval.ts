import type { ConsentFacts } from '../wire/exchange.ts'
import type { NamedConsent } from './consent.ts'
import type { TokenSet } from './tokens.ts'
import type { Visit } from './visit.ts'

/** An approval as a run that was interrupted leaves it; exchanges by their ids. */
export interface ResumableApproval {
  consent: NamedConsent
  /** Of the client that asked for it: another client's tokens are of no use. */
  clientId: string
  facts: ConsentFacts
  visit: Visit & { kind: 'granted' }
  /** Exchanges of the steps; absent where a browser or a person saw the answer. */
  created?: string
  before?: string
  first?: string
  last?: string
  exchanged?: string
  tokens?: TokenSet
}
