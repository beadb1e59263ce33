import { member } from '../judge/rows.ts'
import type { Exchange } from '../wire/exchange.ts'

/** A consent or client that exists at the bank because of this run. */
export interface Leftover {
  kind: 'consent' | 'client'
  /** account-access-consents, funds-confirmation-consents; empty for a client. */
  path: string
  id: string
  /** Name of the TPP client that made it. */
  client: string
}

/**
 * What this run made and has not removed, read off its own exchanges: whatever a bank accepted is
 * in it, also where it should have refused.
 */
export function createLeftovers() {
  const left = new Map<string, Leftover>()
  return {
    note(exchange: Exchange): void {
      const status = exchange.response?.status ?? 0
      if (status < 200 || status > 299) return
      const { endpoint, about } = exchange
      const client = about.client ?? 'first'
      if (endpoint === 'registration' && exchange.request.method === 'POST') {
        const id = member(exchange.response?.json, 'client_id')
        if (typeof id === 'string')
          left.set(`client ${id}`, { kind: 'client', path: '', id, client })
        return
      }
      const path = endpoint.includes('funds')
        ? 'funds-confirmation-consents'
        : 'account-access-consents'
      if (endpoint.startsWith('create-')) {
        const id = member(exchange.response?.json, 'Data', 'ConsentId')
        if (typeof id === 'string') left.set(`consent ${id}`, { kind: 'consent', path, id, client })
      }
      if (endpoint.startsWith('delete-')) left.delete(`consent ${about.subject}`)
    },
    list: (): Leftover[] => [...left.values()],
  }
}
