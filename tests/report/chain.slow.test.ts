import { createHash } from 'node:crypto'
import fc from 'fast-check'
import { describe, expect, test } from 'vitest'
import { CHAIN_START, chainedLine, chainHash } from '../../engine/record/chain.ts'
import { recorded } from './recorded.ts'
import { verifyChain } from './verify-chain.ts'

const { exchanges: all } = await recorded('correct')

describe('the chain of exchanges', () => {
  test('a hash is SHA-256 over the hash before, a line feed and the line without its hash', () => {
    const by = (text: string) => createHash('sha256').update(text).digest('hex')
    expect(chainHash(CHAIN_START, { id: 'x1' })).toBe(by('\n{"id":"x1"}'))
    expect(chainHash('ab', { id: 'x1', hash: 'old' })).toBe(by('ab\n{"id":"x1"}'))
  })

  test('a recorded chain holds and ends in the hash of its last line', () => {
    expect(verifyChain(all)).toEqual({ head: all.at(-1)?.hash, breaks: [] })
    expect(verifyChain([])).toEqual({ head: CHAIN_START, breaks: [] })
  })

  test('a changed, a removed and a moved line break it where they stand', () => {
    const exchanges = all.slice(0, 10)
    const changed = exchanges.map((e, i) => (i === 4 ? { ...e, durationMs: 1 } : e))
    expect(verifyChain(changed).breaks.map(({ line }) => line)).toEqual([5])
    const removed = exchanges.filter((_, i) => i !== 4)
    expect(verifyChain(removed).breaks.map(({ line }) => line)).toEqual([5])
    const moved = [...exchanges.slice(1, 2), ...exchanges.slice(0, 1), ...exchanges.slice(2)]
    expect(verifyChain(moved).breaks.map(({ line }) => line)).toEqual([1, 2, 3])
  })

  test('what is written and read again keeps its hash, whatever the strings and keys', () => {
    fc.assert(
      fc.property(
        fc.array(fc.dictionary(fc.string({ unit: 'binary' }), fc.jsonValue())),
        (records) => {
          let previous = CHAIN_START
          const lines = records.map((record) => {
            const { hash, line } = chainedLine(previous, record)
            previous = hash
            return line
          })
          const read = lines.map((line) => JSON.parse(line) as { hash: string })
          expect(verifyChain(read)).toEqual({ head: previous, breaks: [] })
        },
      ),
    )
  })
})
