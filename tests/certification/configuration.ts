import type { Briefing } from '../../engine/certification/client.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'

/** What an application is configured with once, from what the bank hands over. */
export function configurationOf(
  document: TargetDocument,
  issuer: string,
): Omit<Briefing, 'customer' | 'folder' | 'goal'> {
  const { addresses, trust = [], clients } = document
  const { transport, signing, softwareStatement = '', redirectUris, scopes } = clients.first
  const places = addresses as Record<string, string>
  return {
    scenario: { id: 'any', title: 'any' },
    customerPresent: true,
    bank: {
      discovery: `${places.discovery_url}/.well-known/openid-configuration`,
      issuer,
      addresses: places,
      api: `${places.base_url}/open-banking/v3.1`,
      products: `${places.product_api_url}/open-banking/v1/consumer-credit-cards`,
      trust,
    },
    client: {
      transport: transport as { certificate: string; key: string },
      signing,
      softwareStatement,
      redirectUris,
      scopes: { accounts: scopes.accounts, fundsConfirmation: scopes.fundsConfirmation ?? '' },
    },
  }
}
