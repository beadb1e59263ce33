import type { ClientName } from '../configuration/target.ts'
import { answerOf } from '../judge/answer-words.ts'
import { member } from '../judge/data-rows.ts'
import { succeeded } from '../judge/matchers.ts'
import { keep, readKept } from '../record/kept-json.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { ClientSteps } from './client-steps.ts'
import type { FundsSteps } from './funds-steps.ts'

/** A consent or client that exists at the bank because of this run. */
export interface Leftover {
  kind: 'consent' | 'client'
  /** account-access-consents, funds-confirmation-consents; empty for a client. */
  path: string
  id: string
  /** Name of the TPP client that made it. */
  client: string
  /** A customer approved it, and a run that goes on uses it. */
  kept?: true
}

export type Leftovers = ReturnType<typeof createCleanup>

/**
 * What this run made and has not removed, read off its own exchanges: whatever a bank accepted is
 * in it, also where it should have refused.
 *
 * @param file where consents are written down as they come and go, so that the run after one that
 * was killed removes what it left; without it nothing outlives the run.
 */
export function createCleanup(file?: string) {
  const earlier = file === undefined ? undefined : readKept(file)
  const known: Leftover[] = Array.isArray(earlier) ? earlier.filter(Boolean) : []
  const left = new Map(known.map((each) => [`consent ${each.id}`, each]))
  const writeDown = () => {
    if (file === undefined) return
    const consents = [...left.values()].filter(({ kind }) => kind === 'consent')
    try {
      keep(file, consents)
    } catch {
      // A full disk: this run knows what it made, and deletes it.
    }
  }
  return {
    note(exchange: Exchange): void {
      if (!succeeded(exchange)) return
      const { endpoint, about } = exchange
      const client = about.client ?? 'first'
      const { json } = exchange.response ?? {}
      if (endpoint === 'registration' && exchange.request.method === 'POST') {
        const id = member(json, 'client_id')
        if (typeof id === 'string')
          left.set(`client ${id}`, { kind: 'client', path: '', id, client })
        return
      }
      if (endpoint.startsWith('create-')) {
        const path = `${endpoint.slice('create-'.length)}s`
        const id = member(json, 'Data', 'ConsentId')
        if (typeof id === 'string') left.set(`consent ${id}`, { kind: 'consent', path, id, client })
      }
      if (endpoint.startsWith('delete-')) left.delete(`consent ${about.subject}`)
      if (/^(create|delete)-/.test(endpoint)) writeDown()
    },
    /** A customer approved this consent: while a run may go on, it stays. */
    keep(id: string): void {
      const consent = left.get(`consent ${id}`)
      if (!consent || consent.kept) return
      consent.kept = true
      writeDown()
    },
    /** A run begins anew but for these: what others kept is of no use any more. */
    keepOnly(ids: string[]): void {
      for (const consent of left.values()) if (!ids.includes(consent.id)) delete consent.kept
    },
    /** Ids of consents that a run which goes on uses. */
    kept: () => new Set([...left.values()].flatMap(({ id, kept }) => (kept ? [id] : []))),
    list: () => [...left.values()],
    /** @param why a consent is still there. */
    told(why: (id: string) => string) {
      const unable = 'the interface has no way to remove a client'
      return [...left.values()].map(({ kind, id }) => {
        return { kind, id, why: kind === 'client' ? unable : why(id) }
      })
    },
  }
}

/**
 * Removes every consent that a run made, but for those it goes on with; says what is still there, and why.
 *
 * @param spared ids of those.
 */
export async function deleteLeftovers(
  parts: { leftovers: Leftovers; clients: ClientSteps; funds: FundsSteps },
  spared: ReadonlySet<string>,
) {
  const { leftovers, clients, funds } = parts
  const reasons = new Map<string, string>()
  for (const { kind, path, id, client } of leftovers.list()) {
    if (kind === 'client') continue
    if (spared.has(id)) {
      reasons.set(id, 'kept for the run that goes on; assay run --fresh deletes it')
      continue
    }
    try {
      const caller = await clients.caller(client as ClientName)
      const exchange = path.startsWith('funds')
        ? await funds.deleteFunds(caller, id)
        : await caller.delete(`/${path}/${encodeURIComponent(id)}`)
      reasons.set(id, `its deletion answered ${answerOf(exchange)}`)
    } catch (error) {
      reasons.set(id, (error as Error).message)
    }
  }
  return leftovers.told((id) => reasons.get(id) ?? 'it was not deleted')
}
