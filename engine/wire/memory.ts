import { getHeapStatistics, setFlagsFromString } from 'node:v8'
import { runInNewContext } from 'node:vm'
import { WireLimit } from './failure.ts'

/** Minimum size, in bytes, of a body for which memory is checked. */
const LARGE = 1024 * 1024

/**
 * Bytes of memory per byte of JSON, as measured: its text, the parsed objects, and what checks record for each row
 * while they compare three answers.
 */
const FOR_A_BYTE = 12

/** The share of the process's memory that the rest of a run may still need. */
const RESERVE = 0.1

const MEBIBYTE = 1024 * 1024

/**
 * Reports a shortage before memory runs out: a process that runs out of it dies at once, and its results are lost.
 *
 * @throws WireLimit `too-large` for a body that does not fit, with the number to change.
 */
export function assertRoomFor(bytes: number, memory = heap, collect = collectGarbage): void {
  if (bytes < LARGE) return
  // With histories of 100,000 rows, V8 would let garbage grow to half a gigabyte before it collects. From the first
  // large body on, it collects once the heap has grown by a quarter.
  setFlagsFromString('--heap-growing-percent=25')
  const needed = bytes * FOR_A_BYTE
  const { limit } = memory()
  const most = limit * (1 - RESERVE)
  if (memory().used + needed <= most) return
  // Much of the used memory may be garbage that was not collected yet.
  collect()
  const { used } = memory()
  if (used + needed <= most) return
  const enough = Math.ceil((used + needed) / (1 - RESERVE) / MEBIBYTE / 256) * 256
  throw new WireLimit(
    'too-large',
    'MEMORY',
    `${mib(bytes)} of JSON need about ${mib(needed)} of memory, ${mib(Math.max(0, most - used))} are left. ` +
      `NODE_OPTIONS=--max-old-space-size=${enough} gives as much`,
  )
}

const mib = (bytes: number) => `${Math.ceil(bytes / MEBIBYTE)} MiB`

function heap(): { used: number; limit: number } {
  const { used_heap_size: used, heap_size_limit: limit } = getHeapStatistics()
  return { used, limit }
}

/** Node exposes its garbage collector only on demand. */
function collectGarbage(): void {
  setFlagsFromString('--expose-gc')
  const collect = runInNewContext('gc') as () => void
  setFlagsFromString('--no-expose-gc')
  collect()
}
