import type { ClientSteps } from './client-steps.ts'
import type { CustomerSteps } from './customer-steps.ts'
import type { FundsSteps } from './funds-steps.ts'

/** The happy path, message by message; each step is sent once and remembered. */
export type Steps = Pick<
  ClientSteps,
  'discovery' | 'jwks' | 'registration' | 'registeredBefore' | 'management' | 'replace'
> &
  FundsSteps &
  Pick<CustomerSteps, 'consent' | 'visit' | 'exchange' | 'refresh' | 'accounts'> & {
    /** Owners of the steps taken so far. */
    owners(): Promise<Set<string>>
  }
