import type { ClientName } from '../configuration/target.ts'
import { answerOf } from '../judge/answer-words.ts'
import { member } from '../judge/data-rows.ts'
import { succeeded } from '../judge/matchers.ts'
import { isObject } from '../record/json.ts'
import { keepLine, keepLines, readKeptLines } from '../record/kept-json.ts'
import { percentEncoded } from '../record/percent.ts'
import { ASSAY } from '../record/program.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { ClientSteps } from './client-steps.ts'
import type { FundsSteps } from './funds-steps.ts'

/** A consent or client that exists at the bank because of this run. */
export interface Leftover {
  kind: 'consent' | 'client'
  /** account-access-consents, funds-confirmation-consents; empty for a client. */
  path: string
  id: string
  /** Name of the TPP client that created it. */
  client: string
  /** A customer approved it, and a resumed run uses it. */
  kept?: true
}

/** Id of a consent that no longer exists. */
interface Gone {
  gone: string
}

/** Added to the reason of a consent that is left: it tells who removes it. */
const LATER = '; the next run tries again'

const isConsent = ({ kind }: Leftover) => kind === 'consent'

/** The consents that are still to be removed, according to the lines that runs wrote. */
export function readLeftovers(file: string): Leftover[] {
  const left = new Map<string, Leftover>()
  for (const line of readKeptLines(file)) {
    if (!isObject(line)) continue
    const { gone, id, path, client } = line
    if (typeof gone === 'string') left.delete(gone)
    else if ([id, path, client].every((text) => typeof text === 'string')) {
      left.set(String(id), line as unknown as Leftover)
    }
  }
  return [...left.values()]
}

export type Leftovers = ReturnType<typeof createCleanup>

/**
 * What this run created and has not removed, taken from its own exchanges: it includes whatever the bank accepted, even
 * where it should have refused.
 *
 * @param file where created and removed consents are recorded, one per line, so that the next run removes what a killed
 *   run left; without it nothing outlives the run.
 */
export function createCleanup(file?: string) {
  const left = new Map(
    (file === undefined ? [] : readLeftovers(file)).map((each) => [`consent ${each.id}`, each]),
  )
  let begun = false
  const writeDown = (line: Leftover | Gone) => {
    if (file === undefined) return
    try {
      // Lines of earlier runs are rewritten without the consents that have gone since.
      if (!begun) keepLines(file, [...left.values()].filter(isConsent))
      begun = true
      keepLine(file, line)
    } catch {
      // The disk is full. This run still deletes what it created. A line may be truncated, so rewrite all.
      begun = false
    }
  }
  return {
    /** True if the list is kept in a file that the next run reads. */
    isKept: file !== undefined,
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
        if (typeof id !== 'string') return
        const made: Leftover = { kind: 'consent', path, id, client }
        left.set(`consent ${id}`, made)
        writeDown(made)
      }
      if (endpoint.startsWith('delete-') && left.delete(`consent ${about.subject}`)) {
        writeDown({ gone: about.subject ?? '' })
      }
    },
    /** A customer approved this consent: keep it as long as a run may resume. */
    keep(id: string): void {
      const consent = left.get(`consent ${id}`)
      if (!consent || consent.kept) return
      consent.kept = true
      writeDown(consent)
    },
    /** Someone else uses this consent, so no run removes it. */
    leave(id: string): void {
      if (left.delete(`consent ${id}`)) writeDown({ gone: id })
    },
    /** A run starts again with only these: consents kept for others are no longer needed. */
    keepOnly(ids: string[]): void {
      for (const consent of left.values()) {
        if (consent.kept && !ids.includes(consent.id)) {
          delete consent.kept
          writeDown(consent)
        }
      }
    },
    /** Ids of consents that a resumed run uses. */
    kept: () => new Set([...left.values()].flatMap(({ id, kept }) => (kept ? [id] : []))),
    list: () => [...left.values()],
    /** @param why the reason that a consent is still there. */
    told(why: (id: string) => string) {
      const unable = 'the interface cannot remove clients, and nobody needs to act'
      return [...left.values()].map(({ kind, id }) => {
        return { kind, id, why: kind === 'client' ? unable : why(id) }
      })
    },
  }
}

/**
 * Removes every consent of the run except those that a resumed run uses; returns what is still there, and why.
 *
 * @param spared ids of the excepted consents.
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
      reasons.set(id, `kept for the run that goes on; ${ASSAY} run --fresh deletes it`)
      continue
    }
    try {
      const caller = await clients.caller(client as ClientName)
      const exchange = path.startsWith('funds')
        ? await funds.deleteFunds(caller, id)
        : await caller.delete(`/${path}/${percentEncoded(id)}`)
      reasons.set(id, `deletion answered ${answerOf(exchange)}${leftovers.isKept ? LATER : ''}`)
    } catch (error) {
      reasons.set(id, (error as Error).message)
    }
  }
  return leftovers.told((id) => reasons.get(id) ?? 'it was not deleted')
}
