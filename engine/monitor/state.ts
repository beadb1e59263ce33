import { DAY } from '../record/durations.ts'
import { keep, readKept } from '../record/kept-json.ts'
import type { CheckResult } from '../report/report.ts'
import type { PartSeen } from './round.ts'

/** What a monitor knows from one round to the next: schemas/assay/monitor.schema.json. It contains no secrets. */
export interface MonitorState {
  /** Start of the first round, UTC. */
  since: string
  /** Each part that was ever served or away; since when, and why. */
  parts: Record<string, { up: boolean; since: string; why?: string }>
  /** Thumbprints of the keys that the bank served last. */
  keys?: string[]
  /** Rules that are broken, and since when. */
  broken: Record<string, string>
  /** The days left that were last reported, by what expires. */
  told: Record<string, number>
  /** When data were last read, UTC. */
  dataAt?: string
}

/** Something that changed between two rounds. */
export interface Change {
  kind: 'outage began' | 'outage ended' | 'rule broken' | 'rule mended' | 'keys' | 'certificate'
  /** One sentence, without secrets. */
  text: string
  /** Ids of rules, names of parts. */
  ids: string[]
}

/** A certificate and its expiry. */
export interface Ending {
  /** Host, or client. */
  what: string
  /** UTC, RFC 3339. */
  notAfter: string
}

export interface Seen {
  parts: PartSeen[]
  /** Thumbprints; undefined if no keys were served. */
  keys?: string[]
  /** Results of the rules in this round. */
  rules: readonly Pick<CheckResult, 'id' | 'outcome' | 'message' | 'level'>[]
  certificates: Ending[]
  /** Start of the round, milliseconds since the epoch. */
  at: number
  data: boolean
}

/** The state of a monitor; a new one if the file does not exist. */
export function readState(file: string, at: number): MonitorState {
  const mend = 'Remove it: the monitor then begins again.'
  return (
    readKept<MonitorState>(file, { schema: 'monitor', mend }) ?? {
      ...{ since: instant(at), parts: {}, broken: {}, told: {} },
    }
  )
}

export const keepState = (file: string, state: MonitorState): void => keep(file, state)

/** The state after a round, and the changes to report. */
export function stateAfter(
  before: MonitorState,
  seen: Seen,
): { state: MonitorState; changes: Change[] } {
  const parts = partsAfter(before, seen)
  const rules = rulesAfter(before, seen)
  const ends = endsAfter(before, seen)
  const state: MonitorState = {
    since: before.since,
    parts: parts.parts,
    ...((seen.keys ?? before.keys) ? { keys: seen.keys ?? before.keys } : {}),
    broken: rules.broken,
    told: ends.told,
    ...(seen.data ? { dataAt: instant(seen.at) } : before.dataAt && { dataAt: before.dataAt }),
  }
  return {
    state,
    changes: [...parts.changes, ...rules.changes, ...keysChanged(before, seen), ...ends.changes],
  }
}

const instant = (at: number): string => new Date(at).toISOString().replace(/\.\d+Z$/, 'Z')

/** Reports together the parts that go away for the same reason, and those that are served again. */
function partsAfter(before: MonitorState, seen: Seen) {
  const parts = { ...before.parts }
  const began = new Map<string, { parts: string[]; at: number }>()
  const ended: { part: string; since: string; at: number }[] = []
  for (const { part, is, at, why = 'not served' } of seen.parts) {
    const known = before.parts[part]
    if (is === 'limited') continue
    const up = is === 'served'
    if (known?.up === up) {
      if (!up) parts[part] = { ...known, why }
      continue
    }
    if (up) {
      parts[part] = { up, since: instant(at) }
      if (known) ended.push({ part, since: known.since, at })
      continue
    }
    const alike = began.get(why) ?? { parts: [], at }
    alike.parts.push(part)
    began.set(why, alike)
    // One outage has one start: that of the first request that met it.
    parts[part] = { up, since: instant(alike.at), why }
  }
  const changes: Change[] = [...began].map(([why, { parts: all, at }]) => ({
    kind: 'outage began',
    text: `away since ${instant(at)}: ${all.join(', ')} (${why})`,
    ids: all,
  }))
  const bySince = new Map<string, typeof ended>()
  for (const each of ended) bySince.set(each.since, [...(bySince.get(each.since) ?? []), each])
  for (const [since, all] of bySince) {
    const at = Math.min(...all.map((each) => each.at))
    const ids = all.map(({ part }) => part)
    const took = lasting(at - Date.parse(since))
    const text = `served again since ${instant(at)}: ${ids.join(', ')} (away since ${since}, ${took})`
    changes.push({ kind: 'outage ended', text, ids })
  }
  return { parts, changes }
}

/** `2 h 5 min`, `40 s` */
export function lasting(milliseconds: number): string {
  const seconds = Math.max(0, Math.round(milliseconds / 1000))
  if (seconds < 120) return `${seconds} s`
  const minutes = Math.round(seconds / 60)
  if (minutes < 120) return `${minutes} min`
  return `${Math.floor(minutes / 60)} h ${minutes % 60} min`
}

/** A rule that judged nothing in this round keeps its state: data are not read in every round. */
function rulesAfter(before: MonitorState, { rules, at }: Seen) {
  const broken = { ...before.broken }
  const changes: Change[] = []
  for (const { id, outcome, message, level } of rules) {
    if (outcome === 'fail' || outcome === 'warn') {
      if (broken[id] === undefined) {
        broken[id] = instant(at)
        changes.push({ kind: 'rule broken', text: `${id} (${level}): ${message}`, ids: [id] })
      }
    } else if (outcome === 'pass' && broken[id] !== undefined) {
      const text = `${id} is kept again, broken since ${broken[id]}`
      changes.push({ kind: 'rule mended', text, ids: [id] })
      delete broken[id]
    }
  }
  return { broken, changes }
}

function keysChanged({ keys: before }: MonitorState, { keys }: Seen): Change[] {
  if (!before || !keys) return []
  const added = keys.filter((key) => !before.includes(key))
  const gone = before.filter((key) => !keys.includes(key))
  if (added.length === 0 && gone.length === 0) return []
  const text = `the bank’s keys changed: ${added.length} new, ${gone.length} gone, ${keys.length} now`
  return [{ kind: 'keys', text, ids: [...added, ...gone] }]
}

/** Days left at which a warning is given; 0: it has expired. */
const TELL_AT = [0, 7, 30]

/** Whole days until an instant; negative if it has passed. */
export const daysLeft = (notAfter: string, at: number): number =>
  Math.floor((Date.parse(notAfter) - at) / DAY)

function endsAfter(before: MonitorState, { certificates, at }: Seen) {
  const told = { ...before.told }
  const changes: Change[] = []
  for (const { what, notAfter } of certificates) {
    const left = daysLeft(notAfter, at)
    const due = TELL_AT.find((days) => (days === 0 ? left < 0 : left < days))
    if (due === undefined) delete told[what]
    else if (told[what] === undefined || due < told[what]) {
      told[what] = due
      const when =
        left < 0
          ? `ended on ${notAfter.slice(0, 10)}`
          : `ends in ${left} days, on ${notAfter.slice(0, 10)}`
      changes.push({ kind: 'certificate', text: `the certificate of ${what} ${when}`, ids: [what] })
    } else if (due > told[what]) told[what] = due
  }
  return { told, changes }
}

/** The parts that are away, as far as is known. */
export const isAway = ({ parts }: MonitorState): string[] =>
  Object.entries(parts).flatMap(([part, { up }]) => (up ? [] : [part]))
