import type { Customer } from './data/customers.ts'
import type { Services } from './state/services.ts'
import type { ListenerName } from './state/settings.ts'
import type { Target } from './target.ts'

/** A running bank. Middleware of the alterations gets it as `ctx.state.bank`. */
export interface Bank {
  /** How to reach it, with all credentials inline: the form of a target file. */
  target: Target
  /** The placeholders of the document's address table. */
  addresses: Record<string, string>
  /** Address of the facts listener: POST {operatorUrl}/facts/{name}. */
  operatorUrl: string
  /** The address of each of its own listeners, and its local port. */
  listeners: { name: string; mutual: boolean; port: number; address: string }[]
  /** Where a customer sees and revokes consents. */
  servicingUrl: string
  customers: Customer[]
  /** Alteration id → number of times it took effect. */
  firedBy: Map<string, number>
  /** Internal errors; a correct bank has none. */
  problems: unknown[]
  /** A JWT that is accepted as signed by any TPP; only in a bank that has alterations. */
  signAsClient(claims: Record<string, unknown>): string
  /** A JWT of the bank itself, such as an ID token. */
  signAsBank(claims: Record<string, unknown>, header?: Record<string, unknown>): string
  /** For alterations: everything that the routes use. */
  services: Services
  /** Renews the bank's own certificate: new connections get another one. */
  renewCertificate(): void
  /**
   * Another party answers in the bank's place, at every listener or at one: with a certificate of an untrusted authority,
   * or with one of the directory's authority for another host. False when the directory has none.
   */
  impersonate(by: 'stranger' | 'other-host', at?: ListenerName): Promise<boolean>
  /** Renews the first TPP's certificate: the previous one is no longer accepted. */
  renewTransport(): void
  close(): Promise<void>
}
