import { WHOSE } from '../../engine/report/counts.ts'
import type { GatewayProof } from './prove-gateways.ts'
import { RIGHT } from './right-gateways.ts'

/** The matrix as a Markdown page: each gateway in front of the bank, and how `assay run` judges it. */
export function gatewaysPage(proofs: readonly GatewayProof[]): string {
  const right = proofs.filter(({ gateway }) => RIGHT.includes(gateway))
  const wrong = proofs.filter(({ gateway }) => !RIGHT.includes(gateway))
  return [
    '# Real gateways',
    '',
    'The reference bank, which is correct, stands behind nginx, HAProxy, Apache httpd, Squid and Varnish in',
    'turn (`assay bank --behind-gateway`). `npm run gateways` judges it behind each that is installed.',
    '',
    '## Right gateways',
    '',
    ...table(right),
    '',
    '## Wrong gateways',
    '',
    ...table(wrong),
    '',
  ].join('\n')
}

function table(proofs: readonly GatewayProof[]): string[] {
  const head = '| gateway | what it does | verdict | at fault | found by |'
  return [head, '| --- | --- | --- | --- | --- |', ...proofs.map(row)]
}

const VERDICTS: Record<number, string> = {
  0: 'CONFORMANT',
  1: 'NONCONFORMANT',
  3: 'not judged',
  4: 'INCOMPLETE',
}

function row({ gateway, taken, lacks, complaints }: GatewayProof): string {
  const wrong = complaints.length === 0 ? '' : ` **${complaints.join('; ')}**`
  const verdict = taken ? (VERDICTS[taken.exit ?? -1] ?? `exit code ${taken.exit}`) : ''
  const shown = (taken?.ids ?? []).slice(0, 3).join(', ')
  const title = taken?.title?.replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:PORT')
  const found = lacks ? `not tried: no ${lacks}` : shown || (title ?? '')
  const whose = taken?.whose ? WHOSE[taken.whose] : ''
  return `| ${[gateway.id, gateway.story + wrong, verdict, whose, found].join(' | ')} |`
}
