import type { Records } from '../authorisation-server/adapter.ts'
import type { Consent } from './consents.ts'
import type { Services } from './services.ts'

/** State that survives a restart of the bank: clients, grants and tokens, consents, and the key of its AccountIds. */
export interface KeptState {
  records: ReturnType<Records['all']>
  consents: (Omit<Consent, 'grants'> & { grants: string[] })[]
  /** base64 */
  secret: string
}

/** Visits and sessions are not kept: a customer starts again. */
const passing = /^(Interaction|Session|ReplayDetection) /

/** The bank's state as a JSON value. It contains tokens. */
export function packState({ records, consents, secret }: Services): KeptState {
  return {
    records: records.all().filter(([key]) => !passing.test(key)),
    consents: consents.all().map((consent) => ({ ...consent, grants: [...consent.grants] })),
    secret: secret.toString('base64'),
  }
}

export function unpackState({ records, consents, secret }: KeptState) {
  return {
    records,
    consents: consents.map((consent) => ({ ...consent, grants: new Set(consent.grants) })),
    secret: Buffer.from(secret, 'base64'),
  }
}
