import type { HostedBank } from './bank-host.ts'
import type { Goal, Said, Scenario } from './scenario.ts'

/** Goals for which the customer uses the client interactively, however it is driven. */
const PRESENT: readonly Goal[] = [
  'connect',
  'connect-another',
  'reconfirm',
  'disconnect',
  'confirm-funds',
]

/** Is the customer there while this client pursues a goal? */
export const isPresent = (goal: Goal, client: Pick<ClientDriver, 'attended'>): boolean =>
  PRESENT.includes(goal) || client.attended?.(goal) === true

/** The customer of the bank for whom a goal is pursued. */
export const customerFor = (goal: Goal): 'first' | 'second' =>
  goal === 'connect-another' ? 'second' : 'first'

export type Briefing = ReturnType<typeof briefingOf>

interface Places {
  visit: string
  folder: string
  customerPresent?: boolean
}

/**
 * All that a client is told about the bank and about itself.
 *
 * @param places the customer: GET `visit` with the authorisation link appended, percent-encoded; the answer is the
 *   final redirect as text. Also the scenario's own folder, for what the client keeps from one goal to the next.
 */
export function briefingOf(
  { document, issuer, own }: HostedBank,
  { id, title, decision = 'approve' }: Scenario,
  goal: Goal,
  { visit, folder, customerPresent = PRESENT.includes(goal) }: Places,
) {
  const { addresses, trust = [], clients, customers } = document
  const { transport, signing, softwareStatement = '', redirectUris, scopes } = clients.first
  const { credentials, cardEnding = '' } = customers[customerFor(goal)] ?? customers.first
  const places = addresses as Record<string, string>
  const base = places.base_url ?? places.sandbox_api_url ?? ''
  const { certificate, key } = transport as { certificate: string; key: string }
  const { accounts, fundsConfirmation = accounts } = scopes
  return {
    scenario: { id, title },
    goal,
    customerPresent,
    bank: {
      discovery: `${places.discovery_url ?? places.sandbox_discovery_url}/.well-known/openid-configuration`,
      issuer,
      /** The placeholders of the document's address table. */
      addresses: places,
      /** Base address of consents and data, up to but without /aisp. */
      api: `${base}/open-banking/v3.1`,
      products: `${places.product_api_url}/open-banking/v1/consumer-credit-cards`,
      /** PEM of the authorities that issued the bank's certificates. */
      trust: [trust].flat(),
    },
    client: {
      /** Absent if the TPP has its own certificate. */
      ...(!own.transport && { transport: { certificate, key } }),
      /** Absent if the TPP signs with its own keys. */
      ...(!own.signing && { signing: { key: signing.key, kid: signing.kid } }),
      softwareStatement,
      redirectUris,
      scopes: { accounts, fundsConfirmation },
    },
    customer: {
      visit,
      /** For a client that sends its customer to the bank's pages in a browser. */
      username: credentials.username ?? '',
      password: credentials.password ?? '',
      decision,
      /** Last four digits of the customer's card. */
      cardEnding,
    },
    folder,
  }
}

/** The client could not be driven: there is nothing to judge. */
export class ClientTrouble extends Error {}

/** How a client under test is driven. */
export interface ClientDriver {
  /**
   * Makes the client pursue one goal.
   *
   * @throws ClientTrouble when it could not be started, or did not end.
   */
  pursue(briefing: Briefing): Promise<Omit<Said, 'goal'>>
  /** Is it used by a customer also where others pursue the goal by themselves? Absent: no. */
  attended?(goal: Goal): boolean
  close(): Promise<void>
}
