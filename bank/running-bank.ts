import type { Customer } from './data/customers.ts'
import type { Services } from './state/services.ts'
import type { Target } from './target.ts'

/** A bank that answers; middleware of the alterations has it as `ctx.state.bank`. */
export interface Bank {
  /** How to reach it, every credential inline: the shape of a target file. */
  target: Target
  /** The placeholders of the document's address table. */
  addresses: Record<string, string>
  /** Listener of the facts: POST {operatorUrl}/facts/{name}. */
  operatorUrl: string
  /** Where each of its own listeners is reached, and on which local port it listens. */
  listeners: { name: string; mutual: boolean; port: number; address: string }[]
  /** Where a customer sees and revokes consents. */
  servicingUrl: string
  customers: Customer[]
  /** Alteration id → times it showed itself. */
  firedBy: Map<string, number>
  /** What went wrong inside; of a bank that is right, nothing. */
  problems: unknown[]
  /** A JWT that counts as signed by any TPP; only in a bank that has alterations. */
  signAsClient(claims: Record<string, unknown>): string
  /** A JWT of the bank itself, such as an ID token. */
  signAsBank(claims: Record<string, unknown>, header?: Record<string, unknown>): string
  /** For alterations: everything that the routes work with. */
  services: Services
  /** The bank's own certificate is renewed: whoever connects from now on is shown another one. */
  renewCertificate(): void
  /**
   * Somebody else is in the bank's place: with a certificate of an authority that nobody trusts, or one of the
   * directory's authority for another host. False where the directory has none.
   */
  impersonate(by: 'stranger' | 'other-host'): Promise<boolean>
  /** The first TPP's certificate is renewed: the one before is worth nothing from now on. */
  renewTransport(): void
  close(): Promise<void>
}
