import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { assertRoomFor } from '../../engine/wire/memory.ts'

const MEBIBYTE = 1024 * 1024

/** What is said of a body, or undefined where there is room for it. */
function said(
  bytes: number,
  memory: { used: number; limit: number },
  collect?: () => void,
): string | undefined {
  try {
    assertRoomFor(bytes, () => memory, collect)
    return undefined
  } catch (error) {
    expect(error).toMatchObject({ kind: 'too-large', code: 'MEMORY' })
    return (error as Error).message
  }
}

describe('room for a body', () => {
  test('a body that fits is read, a small one whatever is left', () => {
    expect(said(40 * MEBIBYTE, { used: 100 * MEBIBYTE, limit: 1024 * MEBIBYTE })).toBeUndefined()
    expect(said(1000, { used: 100 * MEBIBYTE, limit: 100 * MEBIBYTE })).toBeUndefined()
  })

  test('one that does not fit is told with the number to change', () => {
    expect(said(64 * MEBIBYTE, { used: 100 * MEBIBYTE, limit: 512 * MEBIBYTE })).toBe(
      '64 MiB of JSON need about 768 MiB of memory, 361 MiB are left. NODE_OPTIONS=--max-old-space-size=1024 gives as much',
    )
  })

  test('whatever the sizes, the number that is told is enough, and is more than there was', () => {
    const size = fc.integer({ min: 1, max: 4096 })
    fc.assert(
      fc.property(size, size, size, (body, used, limit) => {
        const bytes = body * MEBIBYTE
        // The collector, which takes its time, has had its turn above.
        const room = (limit: number) =>
          said(bytes, { used: used * MEBIBYTE, limit: limit * MEBIBYTE }, () => {})
        const message = room(limit)
        if (message === undefined) return
        const enough = Number(/max-old-space-size=(\d+)/.exec(message)?.[1])
        expect(enough).toBeGreaterThan(limit)
        expect(room(enough)).toBeUndefined()
      }),
    )
  })
})
