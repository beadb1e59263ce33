import type { HostedBank } from './bank-host.ts'
import type { Goal, Said, Scenario } from './scenario.ts'

/** Goals at which the customer sits in front of the client. */
export const PRESENT: readonly Goal[] = ['connect', 'reconfirm', 'disconnect', 'confirm-funds']

export type Briefing = ReturnType<typeof briefingOf>

/**
 * All that a client is told of the bank that it meets, and of itself.
 *
 * @param places the customer: GET `visit` with the authorisation link appended, percent-encoded, and the answer
 *   is the final redirect as text; and a folder of the scenario's own, for what the client keeps from one goal
 *   to the next.
 */
export function briefingOf(
  { document, issuer, own }: HostedBank,
  { id, title, decision = 'approve' }: Scenario,
  goal: Goal,
  { visit, folder }: { visit: string; folder: string },
) {
  const { addresses, trust = [], clients, customers } = document
  const { transport, signing, softwareStatement = '', redirectUris, scopes } = clients.first
  const { credentials, cardEnding = '' } = customers.first
  const places = addresses as Record<string, string>
  const base = places.base_url ?? places.sandbox_api_url ?? ''
  const { certificate, key } = transport as { certificate: string; key: string }
  const { accounts, fundsConfirmation = accounts } = scopes
  return {
    scenario: { id, title },
    goal,
    customerPresent: PRESENT.includes(goal),
    bank: {
      discovery: `${places.discovery_url ?? places.sandbox_discovery_url}/.well-known/openid-configuration`,
      issuer,
      /** The placeholders of the document's address table. */
      addresses: places,
      /** Where consents and data are: up to and without /aisp. */
      api: `${base}/open-banking/v3.1`,
      products: `${places.product_api_url}/open-banking/v1/consumer-credit-cards`,
      /** PEM of the authorities behind the bank's certificates. */
      trust: [trust].flat(),
    },
    client: {
      /** Absent where the TPP has a certificate of its own. */
      ...(!own.transport && { transport: { certificate, key } }),
      /** Absent where the TPP signs with keys of its own. */
      ...(!own.signing && { signing: { key: signing.key, kid: signing.kid } }),
      softwareStatement,
      redirectUris,
      scopes: { accounts, fundsConfirmation },
    },
    customer: {
      visit,
      /** For a client whose customer is sent to the bank's pages in a browser. */
      username: credentials.username ?? '',
      password: credentials.password ?? '',
      decision,
      /** Last four digits of the customer's card. */
      cardEnding,
    },
    folder,
  }
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
