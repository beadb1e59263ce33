import type { Recorded } from './recorded.ts'

/** Maximum exchanges that wait for earlier ones: logs are written at the answer, and files are read in turn. */
const WAITING = 2000

/**
 * The exchanges of a recording in the order of sending, within a window. An exchange that comes later than that is
 * marked: rules with memory do not judge it.
 */
export async function* inOrder(
  exchanges: AsyncIterable<Recorded>,
  waiting = WAITING,
): AsyncGenerator<Recorded> {
  const heap: Recorded[] = []
  let latest = Number.NEGATIVE_INFINITY
  const given = (next: Recorded) => {
    if (next.at < latest) next.lacks.add('the order of requests at the same time')
    latest = Math.max(latest, next.at)
    return next
  }
  for await (const exchange of exchanges) {
    push(heap, exchange)
    if (heap.length > waiting) yield given(pop(heap))
  }
  while (heap.length > 0) yield given(pop(heap))
}

/** A binary heap, the earliest first (Williams 1964). */
function push(heap: Recorded[], one: Recorded): void {
  let at = heap.length
  heap.push(one)
  while (at > 0) {
    const above = (at - 1) >> 1
    if ((heap[above] as Recorded).at <= one.at) break
    heap[at] = heap[above] as Recorded
    at = above
  }
  heap[at] = one
}

function pop(heap: Recorded[]): Recorded {
  const [first] = heap as [Recorded]
  const last = heap.pop() as Recorded
  if (heap.length === 0) return first
  let at = 0
  for (;;) {
    const left = 2 * at + 1
    if (left >= heap.length) break
    const right = left + 1
    const [one, other] = [heap[left] as Recorded, heap[right]]
    const below = other !== undefined && other.at < one.at ? right : left
    const next = heap[below] as Recorded
    if (next.at >= last.at) break
    heap[at] = next
    at = below
  }
  heap[at] = last
  return first
}

/** Reports for each exchange whether another one with the same subject was still running when it was sent. */
export function createOverlaps() {
  const ends = new Map<string, number>()
  return (thing: string, { at, durationMs, vague }: Recorded): boolean => {
    const before = ends.get(thing) ?? Number.NEGATIVE_INFINITY
    const overlaps = at - vague < before
    ends.set(thing, Math.max(before, at + durationMs + vague))
    if (ends.size > MOST) ends.delete(ends.keys().next().value as string)
    return overlaps
  }
}

const MOST = 50_000
