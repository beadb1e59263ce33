import { WHOSE } from '../../engine/report/counts.ts'
import type { SituationProof } from './prove-situations.ts'
import type { Situation } from './situation.ts'

const KINDS: readonly [Situation['kind'], title: string][] = [
  ['file', 'Mistakes in the target file, or in what it names'],
  ['network', 'Trouble between here and the bank'],
  ['gateway', 'What answers in the bank’s place'],
  ['interruption', 'Ctrl-C'],
  ['defect', 'Defects of the bank'],
]

/** The matrix as a Markdown page: what is wrong, how run and doctor end, and who is said to be responsible. */
export function situationsPage(proofs: readonly SituationProof[]): string {
  const held = proofs.filter(({ complaints }) => complaints.length === 0).length
  return [
    '# Whose fault it is',
    '',
    `${proofs.length} situations, each with one thing wrong in or around a bank; ${held} are taken as they should`,
    'be by `assay run` and by `assay doctor`.',
    ...KINDS.flatMap(([kind, title]) => {
      const rows = proofs.filter(({ situation }) => situation.kind === kind).map(row)
      if (rows.length === 0) return []
      const head = [
        '| situation | what is wrong | run | at fault | doctor |',
        '| --- | --- | --- | --- | --- |',
      ]
      return ['', `## ${title}`, '', ...head, ...rows.sort()]
    }),
    '',
  ].join('\n')
}

function row({ situation, taken: { run, doctor }, complaints }: SituationProof): string {
  const whose = run.exit === 2 ? 'configuration' : run.exit === 0 ? undefined : run.whose
  const wrong = complaints.length === 0 ? '' : ` **${complaints.join('; ')}**`
  const cells = [
    situation.id,
    situation.story + wrong,
    run.exit,
    whose ? WHOSE[whose] : '',
    doctor.exit,
  ]
  return `| ${cells.join(' | ')} |`
}
