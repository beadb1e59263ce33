import type { Catalogue } from '../../engine/catalogue/catalogue.ts'
import type { Proof } from '../run/prove.ts'
import type { Matrix } from './matrix.ts'

/** The matrix as a Markdown page: fault → what caught it, check → what it catches. */
export function matrixPage(matrix: Matrix, proofs: Proof[], catalogue: Catalogue): string {
  const catches = new Map<string, string[]>()
  // Sorted, so that the order of the proofs does not matter.
  const caught = Object.entries(matrix.caught).sort(([one, ids], [other, others]) =>
    `${ids[0]} ${one}`.localeCompare(`${others[0]} ${other}`, 'en'),
  )
  for (const [fault, ids] of caught) {
    for (const id of ids) catches.set(id, [...(catches.get(id) ?? []), fault])
  }
  const rate = `${Math.round(matrix.killRate * 1000) / 10} %`
  const faults = caught.map(
    ([fault, ids]) => `| ${fault} | ${ids.map((id) => `\`${id}\``).join(', ')} |`,
  )
  const checks = [...catalogue.owners].map(([id, { level, notTested }]) => {
    const by = catches.get(id) ?? []
    const words = by.length > 0 ? by.join(', ') : level === 'observe' ? 'observes' : 'mutants'
    return notTested ? '' : `| \`${id}\` | ${level} | ${words} |`
  })
  const lawful = proofs
    .filter(({ kind }) => !['fault', 'mixed', 'table'].includes(kind))
    .sort((one, other) => one.id.localeCompare(other.id, 'en'))
    .map(({ id, judged, complaints }) => {
      const said = [
        ...judged.warns.map((w) => `warns ${w}`),
        ...judged.blocks.map((b) => `blocks ${b}`),
      ]
      return `| ${id} | ${complaints.length === 0 ? 'no false alarm' : 'FALSE ALARM'} | ${said.join(', ')} |`
    })
  return [
    '# What the proof shows',
    '',
    `${matrix.faults} wrong banks, ${rate} of them caught by exactly the checks that name what is`,
    `broken; ${matrix.variants} lawful banks, ${matrix.falseAlarms.length} false alarms.`,
    '',
    '## Wrong bank: what catches it',
    '',
    '| fault | fails or warns |',
    '| --- | --- |',
    ...faults,
    '',
    '## Check or rule: which wrong banks it catches',
    '',
    '| id | level | caught by it |',
    '| --- | --- | --- |',
    ...checks.filter((row) => row !== ''),
    '',
    '## Lawful bank: no alarm',
    '',
    '| variant | result | what it costs |',
    '| --- | --- | --- |',
    ...lawful,
    '',
  ].join('\n')
}
