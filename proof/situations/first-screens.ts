import { DEFECT_SITUATIONS } from './defects.ts'
import type { SituationProof } from './prove-situations.ts'

/**
 * What a user sees first of a run that went wrong: the end of the terminal output, and the beginning of the page. It
 * must name who is responsible, the place, and what to do.
 */

/** Ten defects of a bank, ten mistakes in a target file, ten failures of networks and gateways. */
const SHOWN: readonly string[] = [
  ...DEFECT_SITUATIONS.map(({ id }) => id),
  ...['kid-wrong', 'scope-wrong', 'statement-of-another-directory', 'customer-unknown'],
  ...['accounts-missing', 'password-wrong', 'forms-of-another-page', 'trust-missing'],
  ...['clients.first-transport-expired', 'clients.first-redirect-uri-not-in-the-statement'],
  ...['every-down', 'every-silent', 'every-reset', 'every-cut', 'every-plain', 'api-down'],
  ...['authorisation-down', '502-everywhere', '504-at-data', '503-everywhere'],
]

/** Number of visible lines of the terminal. */
const LINES = 30

/** The screens of the tried situations as a Markdown page. */
export function firstScreensPage(proofs: readonly SituationProof[]): string {
  const shown = SHOWN.flatMap((id) => proofs.filter(({ situation }) => situation.id === id))
  return [
    '# First screens',
    '',
    `What ${shown.length} runs that went wrong show first: the end of the terminal, and the beginning of the page.`,
    'Ports, times, numbers of exchanges and folders are left out.',
    ...shown.flatMap(({ situation, taken }, index) => [
      '',
      `## ${index + 1}. ${situation.id}`,
      '',
      '```text',
      ...atRest(taken.run.said, portsIn(taken.run)).trimEnd().split('\n').slice(-LINES),
      '```',
      ...(taken.run.page
        ? ['', '```text', ...atRest(taken.run.page, portsIn(taken.run)).split('\n'), '```']
        : []),
    ]),
    '',
  ].join('\n')
}

/** Text that differs from run to run. */
const MOVING: readonly [RegExp, string][] = [
  [/\/\S*assay-situation-\w+/g, 'FOLDER'],
  [/\bx\d+\b/g, 'xN'],
  [/\d{4}-\d\d-\d\dT[\d:.]+Z/g, 'TIME'],
  [/\d{4}-\d\d-\d\d/g, 'DATE'],
  [/\b\d+(\.\d+)? (s|ms|min)\b/g, 'N $2'],
  [/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'UUID'],
  [/\d[\d,]* requests/g, 'N requests'],
]

/** The ports on a screen, each once, so that a reader sees which addresses differ. */
function portsIn({ said, page = '' }: SituationProof['taken']['run']): string[] {
  return [...new Set(`${said}${page}`.match(PORT))]
}

const PORT = /(?<=127\.0\.0\.1:)\d+/g

function atRest(text: string, ports: readonly string[]): string {
  const named = text.replace(PORT, (port) => `PORT${ports.indexOf(port) + 1}`)
  return MOVING.reduce((said, [pattern, word]) => said.replaceAll(pattern, word), named)
}
