import { generateKeyPairSync } from 'node:crypto'
import type { ClientDocument, TargetDocument } from './target.ts'

/** A target file of which the products alone are judged may name nobody who registers, logs in or leads through pages. */
export type TargetFileDocument = Omit<TargetDocument, Personal> &
  Partial<Pick<TargetDocument, Personal>>

type Personal = 'clients' | 'customers' | 'authorisation'

/** Is nothing judged but the products? */
export function isProductsAlone({ absent }: Pick<TargetDocument, 'absent'>): boolean {
  return absent?.includes('account-information') === true
}

/**
 * The document as the rest of the engine reads it: nobody has no certificate, no redirect URI and no credentials, and
 * nothing is ever sent for them.
 */
export function withNobody(document: TargetFileDocument): TargetDocument {
  const { clients, customers, authorisation } = document
  return {
    ...document,
    clients: clients ?? { first: nobody() },
    customers: customers ?? { first: { credentials: {} } },
    authorisation: authorisation ?? { driver: 'http', forms: [] },
  }
}

/** What is signed with a key that was made up on the spot is nobody's. */
function nobody(): ClientDocument {
  const { privateKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
  const key = privateKey.export({ type: 'pkcs8', format: 'pem' }) as string
  return {
    transport: {},
    signing: { key, kid: 'nobody' },
    redirectUris: [],
    scopes: { accounts: 'accounts' },
  }
}
