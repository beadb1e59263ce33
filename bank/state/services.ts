import type { Provider } from 'oidc-provider'
import type { Records } from '../authorisation-server/adapter.ts'
import type { SigningKey } from '../authorisation-server/signature.ts'
import type { Customer } from '../data/customers.ts'
import type { Directory } from '../directory/directory.ts'
import type { Endpoints } from '../listeners/endpoints.ts'
import type { Age } from '../policies/consents.ts'
import type { Policies } from '../policies.ts'
import type { Consent, Consents } from './consents.ts'
import type { Settings } from './settings.ts'

/** Everything inside one bank that its routes use. */
export interface Services {
  settings: Settings
  policies: Policies
  directory: Directory
  endpoints: Endpoints
  provider: Provider
  records: Records
  consents: Consents
  customers: Customer[]
  /** When the bank started, in milliseconds since 1970: its transactions do not change when a new day begins. */
  started: number
  /** The bank signs with the first. */
  keys: SigningKey[]
  /** Key of the AccountIds of this bank. */
  secret: Buffer
  /** Thumbprints of transport certificates that were replaced. */
  withdrawn: Set<string>
  /** Which customer has logged in during which visit of the authorisation page: visit → customer. */
  visitors: Map<string, Customer>
}

/** How the passing of time affects a consent. */
export function ageOf(
  { policies, settings }: Pick<Services, 'policies' | 'settings'>,
  consent: Consent,
): Age {
  return {
    expired: policies.consentExpired(consent),
    reconfirmationDue: policies.reconfirmationDue(consent, settings),
  }
}

/** The customer revokes the consent: its status changes, and its tokens end. */
export function revoke(services: Pick<Services, 'policies' | 'records'>, consent: Consent): void {
  const { policies } = services
  consent.status = policies.statusAfterRevocation(consent.status)
  consent.statusUpdated = policies.statusUpdated(consent.statusUpdated)
  if (policies.tokensDie('revoked')) revokeGrants(services, consent)
}

/** Invalidates every code and token of the consent. */
export function revokeGrants({ records }: Pick<Services, 'records'>, consent: Consent): void {
  for (const grant of consent.grants) records.revokeGrant(grant)
}
