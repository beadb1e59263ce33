export type { Approval } from '../client-session/caller.ts'
export {
  type ConsentData,
  consent,
  DATA_PERMISSIONS,
  daysFromNow,
  fundsConfirmationBody,
  type NamedConsent,
} from '../client-session/consent.ts'
export type { ClientName } from '../configuration/target.ts'
