export type { Approval } from '../client-session/approvals.ts'
export {
  type ConsentData,
  consent,
  DATA_PERMISSIONS,
  daysFromNow,
  fundsConfirmationBody,
  type NamedConsent,
} from '../client-session/consent.ts'
export type { ClientName } from '../client-session/parties.ts'
