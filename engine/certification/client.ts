import type { Goal, Said } from './scenario.ts'

/** All that a client is told of the bank that it meets, and of itself. */
export interface Briefing {
  scenario: { id: string; title: string }
  goal: Goal
  /** Is the customer there while the goal is pursued? */
  customerPresent: boolean
  bank: {
    /** Address of the well-known configuration. */
    discovery: string
    issuer: string
    /** The placeholders of the document's address table. */
    addresses: Record<string, string>
    /** Where consents and data are: up to and without /aisp. */
    api: string
    products: string
    /** PEM of the authorities behind the bank's certificates. */
    trust: string[]
  }
  client: {
    /** Absent where the TPP has a certificate of its own. */
    transport?: { certificate: string; key: string }
    /** Absent where the TPP signs with keys of its own. */
    signing?: { key: string; kid: string }
    softwareStatement: string
    redirectUris: string[]
    scopes: { accounts: string; fundsConfirmation: string }
  }
  customer: {
    /**
     * The customer: GET this with the authorisation link appended, percent-encoded. The answer is
     * the final redirect as text.
     */
    visit: string
    /** For a client whose customer is sent to the bank's pages in a browser. */
    username: string
    password: string
    decision: 'approve' | 'deny'
    /** Last four digits of the customer's card. */
    cardEnding: string
  }
  /** A folder of the scenario's own, for what the client keeps from one goal to the next. */
  folder: string
}

/** The client could not be driven: no word of it, and nothing to judge. */
export class ClientTrouble extends Error {}

/** How a client under judgement is driven. */
export interface ClientDriver {
  /**
   * Has the client pursue one goal.
   *
   * @throws ClientTrouble when it could not be started, or did not end.
   */
  pursue(briefing: Briefing): Promise<Omit<Said, 'goal'>>
  close(): Promise<void>
}
