import { expect, test } from 'vitest'
import type { AskedCell } from '../../engine/judge/cells.ts'
import { judgeBank, openProofContext } from '../../proof/run/judge-bank.ts'
import { jws } from '../../suites/values/jws.ts'
import type { Jws } from '../../suites/values/jws-rows.ts'
import { UNASKED } from '../../suites/values/unasked.ts'
import { rowsOf, type Value, type ValueType } from '../../suites/values/value-type.ts'
import { openDirectory } from '../directory.ts'

/** A row of a type, in one kind of JWT, and the correct values from which checks made its values. */
interface RowAsked {
  name: string
  type: string
  kind: string
  row: Value<unknown, unknown>
  rights: Set<unknown>
}

test('each row of each table is sent to a bank, or the reason stands in the list', async () => {
  const context = await openProofContext(openDirectory())
  const asking = context.suites.checks.filter(({ options }) => options.asks !== undefined)
  const types = new Set(asking.flatMap(({ options }) => options.asks ?? []))
  const asked = new Set<string>()
  /** Type, and kind of JWT → correct values of each client and approval. */
  const rights = new Map<string, Set<unknown>>()
  const onCell = (cell: AskedCell | undefined) => {
    if (!cell) return
    const group = groupOf(cell.type, cell.right)
    asked.add(`${group}: ${cell.cell.value}`)
    rights.set(group, (rights.get(group) ?? new Set()).add(cell.right))
  }
  const only = asking.map(({ id }) => id)
  await judgeBank(context, [], { scope: { profile: 'exhaustive', only }, onCell })

  const all = [...types].flatMap((type) => rowsAsked(type as ValueType<unknown, unknown>, rights))
  const unasked = all.filter(({ name }) => !asked.has(name))
  const explained = UNASKED.map(({ because, ...rows }) => ({
    because,
    names: unasked.filter((one) => isOf(rows, one)).map(({ name }) => name),
  }))
  const reasons = new Set(explained.flatMap(({ names }) => names))
  expect(unasked.map(({ name }) => name).filter((name) => !reasons.has(name))).toEqual([])
  for (const { because } of explained) expect(because).toMatch(/^[A-Z].*\.$/)
  const needless = explained.filter(({ names }) => names.length === 0)
  expect(needless.map(({ because }) => because)).toEqual([])
}, 300_000)

const groupOf = (type: string, right: unknown) =>
  type === jws.name ? `${type}, ${(right as Jws).kind}` : type

/** Rows that are judged, and that exist for one of the correct values. */
function rowsAsked(
  type: ValueType<unknown, unknown>,
  rights: ReadonlyMap<string, Set<unknown>>,
): RowAsked[] {
  const groups = [...rights].filter(([group]) => group.split(', ')[0] === type.name)
  expect(groups.length, type.name).toBe(type.name === jws.name ? 4 : 1)
  return groups.flatMap(([group, of]) =>
    rowsOf(type)
      .filter(({ level }) => level !== 'observe')
      .filter((row) => !(type.name === jws.name && row.lawful))
      .filter((row) => [...of].every((right) => row.make(right) !== undefined))
      .map((row) => ({
        ...{ name: `${group}: ${row.id}`, type: type.name, kind: group.split(', ')[1] ?? '' },
        ...{ row, rights: of },
      })),
  )
}

function isOf(
  { types, kinds, rows }: Omit<(typeof UNASKED)[number], 'because'>,
  { type, kind, row }: RowAsked,
): boolean {
  if (kinds && !kinds.some((one) => one === kind)) return false
  return types.includes(type) && rows.some((pattern) => pattern.test(row.id))
}
