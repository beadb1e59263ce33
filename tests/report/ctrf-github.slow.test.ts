import { validate } from 'ctrf'
import { describe, expect, test } from 'vitest'
import { causesOf } from '../../engine/report/causes.ts'
import { consoleSummary } from '../../engine/report/console-summary.ts'
import { ctrf } from '../../engine/report/ctrf.ts'
import { curl } from '../../engine/report/curl.ts'
import { annotations, stepSummary } from '../../engine/report/github.ts'
import type { CheckResult } from '../../engine/report/report.ts'
import { ATTACK, hostileRun, MEGABYTE } from './hostile.ts'
import { copied, recorded } from './recorded.ts'

const every = await recorded('every')
const faulty = await recorded('faulty')
const hostile = await hostileRun()

/** A report with `n` failures like the first one. */
function failing(n: number, change: Partial<CheckResult> = {}) {
  const { report } = copied(every)
  const like = report.checks.find(({ id }) => id === 'ACC-05/gbp') as CheckResult
  const checks = Array.from({ length: n }, (_, i) => ({ ...like, ...change, id: `ACC-05/${i}` }))
  return { ...report, checks }
}

describe('ctrf.json', () => {
  test.each([
    ['every outcome', every],
    ['an attacking bank', hostile],
    ['no check at all', copied(every, { checks: [], requirements: [] })],
  ])('is valid for %s', (_, { report, exchanges }) => {
    const document: unknown = JSON.parse(ctrf(report, exchanges))
    const result = validate(document)
    expect(result).toMatchObject({ valid: true })
    const { summary, tests } = (
      document as { results: { summary: Record<string, number>; tests: unknown[] } }
    ).results
    expect(tests).toHaveLength(report.checks.length)
    expect(
      (summary.passed ?? 0) +
        (summary.failed ?? 0) +
        (summary.skipped ?? 0) +
        (summary.pending ?? 0) +
        (summary.other ?? 0),
    ).toBe(tests.length)
  })

  test('is the same for the same run', () => {
    expect(ctrf(every.report, every.exchanges)).toBe(ctrf(every.report, every.exchanges))
  })

  test('shows the lines of the body around what is wrong', () => {
    const { results } = JSON.parse(ctrf(every.report, every.exchanges))
    const failed = results.tests.find(({ name }: { name: string }) => name === 'ACC-05/gbp')
    expect(failed.trace).toMatch(/\n> *\d+ +"Currency": "EUR",\n/)
  })
})

describe('the step summary of GitHub', () => {
  test('shows verdict, failures and causes', () => {
    const markdown = stepSummary(faulty.report, faulty.exchanges)
    expect(markdown).toContain('## Assay: nonconformant, 3 warnings, staging')
    expect(markdown).toContain('\n### fail <code>TXN-17/to-alone</code>')
    // The row that decides, marked, as a block of code.
    expect(markdown).toMatch(/\n\n( {4}[ >] *\d+ .*\n)+ {4}> *\d+ +"BookingDateTime": "[^"]*",?\n/)
    expect(markdown).toMatch(
      /<code>TXN-17\/to-alone<\/code> row \d+ is not booked before \S+ \(the bank · GET \/transactions · keeps \d+ from being judged · /,
    )
  })

  test('stays below its limit and says what is left out', () => {
    const markdown = stepSummary(failing(20_000, { message: 'm'.repeat(3000) }), [])
    expect(Buffer.byteLength(markdown)).toBeLessThan(1024 * 1024)
    expect(markdown).toMatch(/… [0-9,]+ more findings in report\.html/)
  })

  test('holds no markup, link or mention of a bank', async () => {
    const { report, exchanges } = await hostileRun(MEGABYTE)
    const markdown = stepSummary(report, exchanges)
    // A block of code begins after an empty line, and each of its lines is indented: nothing there is markup.
    const prose = markdown.replaceAll(/(?<=\n\n)( {4}[ >] *\d+ .*\n)+(?=\n)/g, '')
    expect(prose.length).toBeLessThan(markdown.length)
    expect(prose.replaceAll(/<\/?(code|details|summary)>/g, '')).not.toMatch(/[<>@[\]`]/)
    expect(prose).not.toContain('http://')
  })
})

describe('annotations', () => {
  test('are ten at most, the last one counting the rest', () => {
    expect(annotations(failing(10))).toHaveLength(10)
    const many = annotations(failing(31))
    expect(many).toHaveLength(10)
    expect(many.at(-1)).toContain('22 more failures')
  })

  test('leave known deviations alone, and speak when a run is not conformant without a failure', () => {
    const known = every.report.checks.filter((check) => check.deviation)
    const { report } = copied(every, { checks: known, verdict: 'nonconformant', exitCode: 1 })
    const lines = annotations(report)
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^::error title=Assay%3A nonconformant%2C \d+ warnings::/)
    expect(annotations(copied(every, { checks: [], exitCode: 0 }).report)).toEqual([])
  })

  test('are one command a line, whatever a bank sends', () => {
    for (const line of annotations(hostile.report)) {
      expect(line).toMatch(/^::error title=[^:,\n\r]*::[^\n\r]*$/)
    }
  })
})

describe('the summary on the terminal', () => {
  test('obeys nothing that a bank sends, and stays short', async () => {
    const { report, exchanges } = await hostileRun(MEGABYTE)
    const text = consoleSummary(report, exchanges)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the point
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2066]/)
    expect(text.length).toBeLessThan(45_000)
  })

  test('writes out twenty causes and counts the rest', () => {
    const report = failing(50)
    report.causes = causesOf(report.checks, new Map())
    expect(consoleSummary(report, [])).toMatch(/… and \d+ more causes in the report/)
  })
})

describe('curl', () => {
  test('holds variables where a secret or signature belongs', () => {
    const correct = every.exchanges.filter(({ about }) => about.deviation === undefined)
    const lines = (endpoint: string, sent: RegExp) =>
      curl(
        correct.find(
          ({ endpoint: name, request }) => name === endpoint && sent.test(request.body ?? ''),
        ) as never,
      )
        .replace(/127\.0\.0\.1:\d+/, 'bank')
        .split('\n')
        .filter((line) => !/-H '(accept|user-agent|x-fapi-interaction-id)|client_id=/i.test(line))
    expect(lines('token', /client_credentials/)).toEqual([
      'curl -i -X POST https://bank/open-banking/oauth/token \\',
      '  --cert "$FIRST_CERT" --key "$FIRST_KEY" --cacert "$BANK_CA" \\',
      "  -H 'Content-Type: application/x-www-form-urlencoded' \\",
      '  --data grant_type=client_credentials \\',
      '  --data scope=accounts \\',
      '  --data client_assertion_type=urn%3Aietf%3Aparams%3Aoauth%3Aclient-assertion-type%3Ajwt-bearer \\',
      '  --data-urlencode "client_assertion=$CLIENT_ASSERTION"',
    ])
    const accounts = lines('accounts', /^$/)
    expect(accounts[0]).toMatch(/^curl -i https:\/\/bank\/open-banking\/v3\.1\/aisp\/accounts \\$/)
    expect(accounts.join('\n')).toMatch(/-H "authorization: Bearer \$ACCESS_TOKEN"/i)
  })

  test('turns pseudonyms of known kinds into variables, and lets no bank name one', () => {
    const [exchange] = every.exchanges
    const url = 'https://bank/a/<code:123abc>/<HOME:123abc>'
    const asked = { ...exchange, request: { method: 'GET', url, headers: [] } }
    expect(curl(asked as never).split(' \\')[0]).toBe(
      `curl -i https://bank/a/"$CODE"/'<HOME:123abc>'`,
    )
  })

  test('is words for a shell, whatever a bank sends', async () => {
    const { execFileSync } = await import('node:child_process')
    const { existsSync } = await import('node:fs')
    for (const exchange of (await hostileRun(ATTACK)).exchanges) {
      const script = `curl() { printf '%s\\n' "$#"; }\n${curl(exchange)}\n`
      expect(Number(execFileSync('sh', ['-c', script]).toString())).toBeGreaterThan(3)
    }
    expect(existsSync('/tmp/pwned')).toBe(false)
  })
})
