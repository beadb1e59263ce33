import { expect, test } from 'vitest'
import type { AskedCell } from '../../engine/judge/cells.ts'
import { judgeBank, openProofContext } from '../../proof/run/judge-bank.ts'
import { jws } from '../../suites/values/jws.ts'
import { UNASKED } from '../../suites/values/jws-groups.ts'
import type { Jws } from '../../suites/values/jws-rows.ts'
import { rowsOf } from '../../suites/values/value-type.ts'
import { openDirectory } from '../directory.ts'

test('each wrong JWT is sent to a bank as each of its kinds, or the reason stands in the table', async () => {
  const context = await openProofContext(openDirectory())
  const only = context.suites.checks
    .filter(({ options }) => options.asks?.includes(jws))
    .map(({ id }) => id)
  const asked = new Set<string>()
  /** Of each client and approval: a value that one id lacks, such as a letter, need not be asked. */
  const rights = new Map<Jws['kind'], Jws[]>()
  const onCell = (cell: AskedCell | undefined) => {
    if (cell?.type !== jws.name) return
    const right = cell.right as Jws
    asked.add(`${right.kind} ${cell.cell.value}`)
    rights.set(right.kind, [...(rights.get(right.kind) ?? []), right])
  }
  await judgeBank(context, [], { scope: { profile: 'exhaustive', only }, onCell })

  const wrong = [...rights].flatMap(([kind, all]) =>
    rowsOf(jws)
      .filter((row) => !row.lawful && row.level !== 'observe')
      .filter((row) => all.every((right) => row.make(right) !== undefined))
      .map((row) => ({ name: `${kind} ${row.id}`, kind, row })),
  )
  const explained = wrong.filter(({ kind, row }) =>
    UNASKED.some(({ kinds, rows }) => kinds.includes(kind) && rows(row)),
  )
  const names = (all: typeof wrong) => all.map(({ name }) => name).sort()
  expect(rights.size).toBe(4)
  expect(names(wrong.filter(({ name }) => !asked.has(name)))).toEqual(names(explained))
  for (const { because } of UNASKED) expect(because).toMatch(/^[A-Z].*\.$/)
}, 300_000)
