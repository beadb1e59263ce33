import { writeFileSync } from 'node:fs'
import { judgeBank, openProofContext, summed } from '../run/judge-bank.ts'
import { loadFaults } from '../run/load.ts'
import { surplus } from '../run/proof.ts'
import { hiddenOf, targetOf, unionOf } from '../run/prove.ts'
import { apart, type Chaptered, groupFaults } from './grouping.ts'
import { TOGETHER, TOGETHER_FILE } from './together.ts'

/**
 * `npm run regroup`: finds which faults can share a bank, and writes proof/together/together.json. It starts with the
 * groups in that file. A fault that is hidden by others, or that joined a group in which something unexpected then
 * occurred, tries another group, until it has a place or has tried all groups.
 */

/** Maximum number of faults in one bank. */
const LARGEST = 36

/** Maximum number of faults that join a group at once. If something unexpected occurs, they leave again. */
const NEWCOMERS = 4

/** Number of banks at once, because each sometimes waits. */
const AT_ONCE = 4

export interface Group {
  /** Members that shared a bank without unexpected results. */
  held: Chaptered[]
  /** Members to be tried with them next. */
  joining: Chaptered[]
  /** Former members that left. */
  left: Chaptered[]
}

/** The result of a group: which faults were hidden, and whether anything unexpected occurred. */
export interface Seen {
  hidden: Chaptered[]
  surplus: boolean
}

/** Updates a group with its result. Returns the faults that leave it. */
export function settle(group: Group, seen: Seen): Chaptered[] {
  const all = [...group.held, ...group.joining]
  const leaving = leavingOf(group, seen)
  const stay = all.filter((each) => !leaving.includes(each))
  const isNew = group.held.length === 0
  group.left.push(...leaving)
  group.held = seen.surplus ? group.held : stay
  group.joining = seen.surplus && isNew ? stay : []
  return leaving
}

function leavingOf({ held, joining }: Group, { hidden, surplus }: Seen): Chaptered[] {
  if (!surplus) return hidden
  if (held.length > 0) return joining
  // In a new group the cause of the surplus is not known yet.
  if (hidden.length > 0) return hidden
  return joining.filter((_, place) => place % 4 === 3 || joining.length < 4)
}

/** Puts each fault into a group that it has not tried, or else into a new one. Returns those that must wait. */
export function place(loose: Chaptered[], groups: Group[], largest = LARGEST): Chaptered[] {
  const waiting: Chaptered[] = []
  for (const each of loose) {
    const others = groups.filter(({ left }) => !left.includes(each))
    const suiting = others.filter(({ held, joining }) => {
      const all = [...held, ...joining]
      return all.length > 0 && all.length < largest && all.every((other) => apart(each, other))
    })
    const room = suiting
      .filter(({ held, joining }) => held.length > 0 && joining.length < NEWCOMERS)
      .sort((one, other) => one.joining.length - other.joining.length)
    if (room[0]) room[0].joining.push(each)
    else if (suiting.length > 0) waiting.push(each)
    else groups.push({ held: [], joining: [each], left: [] })
  }
  return waiting
}

/** The content of proof/together/together.json, in the style of the formatter. */
export function togetherText(groups: string[][]): string {
  const rows = groups.map((ids) => {
    const quoted = ids.map((id) => JSON.stringify(id))
    const line = `  [${quoted.join(', ')}]`
    return line.length < 100 ? line : `  [\n${quoted.map((id) => `    ${id}`).join(',\n')}\n  ]`
  })
  return `[\n${rows.join(',\n')}\n]\n`
}

async function regroup(): Promise<void> {
  const [context, faults] = await Promise.all([openProofContext(), loadFaults()])
  const groups = groupFaults(faults, LARGEST, TOGETHER)
    .filter(({ length }) => length > 1)
    .map((joining): Group => ({ held: [], joining, left: [] }))
  let loose: Chaptered[] = []
  const judge = async (group: Group) => {
    const all = [...group.held, ...group.joining]
    const run = await judgeBank(context, all, { target: targetOf(all) })
    const judged = summed(all.map(({ id }) => id).join(' + '), run)
    const complaints = surplus(unionOf('fault', all), judged)
    loose.push(
      ...settle(group, { hidden: hiddenOf(all, judged, run), surplus: complaints.length > 0 }),
    )
  }
  for (;;) {
    loose = place(loose, groups)
    const queue = groups.filter(({ joining }) => joining.length > 0)
    if (queue.length === 0) break
    const many = queue.length
    const work = async () => {
      for (let next = queue.pop(); next; next = queue.pop()) await judge(next)
    }
    await Promise.all(Array.from({ length: AT_ONCE }, work))
    console.log(`${many} banks judged, ${groups.length} groups, ${loose.length} faults without one`)
  }
  const found = groups.map(({ held }) => held.map(({ id }) => id)).filter((ids) => ids.length > 1)
  writeFileSync(TOGETHER_FILE, togetherText(found))
  console.log(
    `proof/together/together.json: ${found.flat().length} faults in ${found.length} banks`,
  )
  await context.directory.close()
}

if (process.argv[1] === import.meta.filename) await regroup()
