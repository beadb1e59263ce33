import { generateKeyPairSync } from 'node:crypto'
import type { ClientDocument, TargetDocument } from './target.ts'

/** A target file for which only the products are judged may leave out clients, customers and authorisation. */
export type TargetFileDocument = Omit<TargetDocument, Personal> &
  Partial<Pick<TargetDocument, Personal>>

type Personal = 'clients' | 'customers' | 'authorisation'

/** True if only the products are judged. */
export function isProductsAlone({ absent }: Pick<TargetDocument, 'absent'>): boolean {
  return absent?.includes('account-information') === true
}

/**
 * The document as the rest of the engine reads it: placeholders without certificate, redirect URI and credentials
 * replace what is left out. Nothing is ever sent for them.
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

/** A client whose signing key was just generated, so that it belongs to nobody. */
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
