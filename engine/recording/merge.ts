import type { Recorded } from './recorded.ts'

/** Merges the exchanges of several sorted recordings: the earliest of all comes next. */
export async function* merged(recordings: AsyncGenerator<Recorded>[]): AsyncGenerator<Recorded> {
  const heads: { from: AsyncGenerator<Recorded>; next: Recorded }[] = []
  const advance = async (from: AsyncGenerator<Recorded>) => {
    const { value, done } = await from.next()
    return done ? undefined : { from, next: value }
  }
  try {
    for (const from of recordings) {
      const head = await advance(from)
      if (head) heads.push(head)
    }
    while (heads.length > 0) {
      const first = heads.reduce((one, other) => (other.next.at < one.next.at ? other : one))
      yield first.next
      const head = await advance(first.from)
      if (head) heads[heads.indexOf(first)] = head
      else heads.splice(heads.indexOf(first), 1)
    }
  } finally {
    for (const from of recordings) await from.return(undefined)
  }
}
