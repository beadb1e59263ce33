import type { ExchangeRecord, Report } from '../../engine/report/report.ts'
import { copied, excerptOfRun, recorded } from './recorded.ts'

/** What an attacking bank may send, in one string: markup, script, breakouts of every context. */
export const ATTACK = [
  '</script><script>window.pwned=1</script>',
  '<img src=x onerror="window.pwned=2">',
  '"><svg onload=window.pwned=3>',
  "' onfocus='window.pwned=4' autofocus='",
  '<!--<script>--><iframe srcdoc="<script>parent.pwned=5</script>">',
  '<a href="javascript:window.pwned=6">x</a>',
  '<style>@import url(http://127.0.0.1:9/x)</style><link rel=stylesheet href=http://127.0.0.1:9/y>',
  ']]>&amp;&#0;<?xml?>',
  // biome-ignore lint/suspicious/noTemplateCurlyInString: a template of somebody else
  '${window.pwned=7}{{7*7}}',
  '::error title=x::y',
  '| [x](javascript:alert(1)) `code` @everyone #1 http://example.com',
  '$(touch /tmp/pwned)`touch /tmp/pwned`\'"; touch /tmp/pwned',
  '\u0000\u0001\u001b[2J\u001b]0;title\u0007\u0008\u007f\u009b31m\ufffe\uffff',
  '\u202eevil\u2066\u2069\u200b\u2028\u2029\ufeff',
  '\ud800 lone \udfff',
  'line\r\nbreak\ttab',
].join(' ')

export const MEGABYTE = `${ATTACK}${'x'.repeat(1024 * 1024)}${ATTACK}`

/** Every string of a recorded run that a bank can influence holds the attack; on the wire it is `sent`,
 * since a recorder bounds what it keeps. */
export async function hostileRun(
  attack = ATTACK,
  sent = ATTACK,
): Promise<{ report: Report; exchanges: ExchangeRecord[] }> {
  const run = excerptOfRun(await recorded('every'))
  const { report } = copied(run)
  const ids = new Set(report.checks.map(({ id }) => id))
  report.target.name = attack
  report.partial = attack
  report.problems = [attack]
  report.leftBehind = [{ kind: 'consent', id: attack, why: attack }]
  report.observations = [
    { requirement: report.requirements[0]?.id ?? '', what: attack, value: attack, exchange: 'x1' },
  ]
  for (const visit of report.approvals) visit.name = attack
  for (const check of report.checks) {
    check.title = attack
    check.message = attack
    check.expected = attack
    check.actual = attack
    check.place = `/${attack}`
    if (check.blockedBy && !ids.has(check.blockedBy)) check.blockedBy = attack
    if (check.deviation)
      check.deviation = { reason: attack, owner: attack, ticket: attack, expires: attack }
  }
  for (const cause of report.causes) Object.assign(cause, { title: attack, where: attack })
  for (const requirement of report.requirements) {
    requirement.text = attack
    requirement.quote = [attack]
    requirement.source = attack
    requirement.open = attack
    requirement.decision = { id: attack, text: attack }
  }
  const told = new Set(report.checks.flatMap((check) => check.exchanges))
  const exchanges = run.exchanges.map(
    (record, i): ExchangeRecord => ({
      ...record,
      endpoint: sent,
      about: { client: sent, check: sent, deviation: sent, approval: sent },
      request: {
        method: i % 2 ? 'GET' : sent,
        url: `https://127.0.0.1/${sent}?request=${sent}`,
        headers: [
          [sent, sent],
          ['content-type', i % 3 ? 'application/json' : 'application/x-www-form-urlencoded'],
        ],
        body: sent,
      },
      response: {
        status: 200,
        headers: [[sent, sent]],
        // Of what a finding names, lines are shown.
        body:
          i % 2 || told.has(record.id)
            ? JSON.stringify({ [sent]: [sent, { [sent]: sent }] })
            : sent,
        bytes: sent.length,
      },
      connection: { protocol: sent, cipher: sent, identity: sent },
    }),
  )
  return { report, exchanges }
}
