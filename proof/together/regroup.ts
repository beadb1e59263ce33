import { writeFileSync } from 'node:fs'
import { judgeBank, openProofContext, summed } from '../run/judge-bank.ts'
import { loadFaults } from '../run/load.ts'
import { surplus } from '../run/proof.ts'
import { hiddenOf, targetOf, unionOf } from '../run/prove.ts'
import { apart, type Chaptered, groupFaults } from './grouping.ts'
import { TOGETHER, TOGETHER_FILE } from './together.ts'

/**
 * `npm run regroup`: finds which faults can share a bank, and writes proof/together/together.json. It begins with the
 * groups that stand there. Who does not show beside others, or joined them when something else came, tries
 * another group, until each has its place or has been everywhere.
 */

/** Faults at most in one bank. */
const LARGEST = 36

/** New faults at most that join a group at once: where it then shows something else, they leave again. */
const NEWCOMERS = 4

/** Banks at once: now and then each waits for something. */
const AT_ONCE = 4

export interface Group {
  /** They shared a bank, and nothing else came. */
  held: Chaptered[]
  /** They are to be tried with them. */
  joining: Chaptered[]
  /** They were here, and left. */
  left: Chaptered[]
}

/** What came of a group: who did not show, and whether anything came that none of them says. */
export interface Seen {
  hidden: Chaptered[]
  surplus: boolean
}

/** Takes down what came of a group; who leaves it. */
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
  // Who of a new group brings it, nobody knows yet.
  if (hidden.length > 0) return hidden
  return joining.filter((_, place) => place % 4 === 3 || joining.length < 4)
}

/** Gives each a group in which it was not yet; those who have been everywhere begin a group of their own. */
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

/** The text of proof/together/together.json, as the formatter would write it. */
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
