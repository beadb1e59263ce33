import { validate } from 'ctrf'
import { describe, expect, test } from 'vitest'
import { consoleSummary } from '../../engine/report/console-summary.ts'
import { ctrf } from '../../engine/report/ctrf.ts'
import { curl } from '../../engine/report/curl.ts'
import { annotations, stepSummary } from '../../engine/report/github.ts'
import type { CheckResult } from '../../engine/report/report.ts'
import { fixtureExchanges, fixtureReport } from './fixture.ts'
import { ATTACK, hostileRun, MEGABYTE } from './hostile.ts'

/** A report with `n` failures like the first one. */
function failing(n: number, change: Partial<CheckResult> = {}) {
  const report = fixtureReport()
  const like = report.checks.find(({ outcome }) => outcome === 'fail') as CheckResult
  const checks = Array.from({ length: n }, (_, i) => ({ ...like, ...change, id: `ACC-05/${i}` }))
  return { ...report, checks }
}

describe('ctrf.json', () => {
  test.each([
    ['every outcome', fixtureReport()],
    ['an attacking bank', hostileRun().report],
    ['no check at all', fixtureReport({ checks: [], requirements: [] })],
  ])('is valid for %s', (_, report) => {
    const document: unknown = JSON.parse(ctrf(report))
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
    expect(ctrf(fixtureReport())).toBe(ctrf(fixtureReport()))
  })
})

describe('the step summary of GitHub', () => {
  test('shows verdict, failures and causes', () => {
    const markdown = stepSummary(fixtureReport(), fixtureExchanges(40))
    expect(markdown).toContain('## Assay: nonconformant, staging')
    expect(markdown).toContain('\n### fail <code>ACC-05&#47;gbp</code>')
    expect(markdown).toContain('blocked: 2 checks by TXN-17&#47;to-alone')
  })

  test('stays below its limit and says what is left out', () => {
    const markdown = stepSummary(failing(20_000, { message: 'm'.repeat(3000) }), [])
    expect(Buffer.byteLength(markdown)).toBeLessThan(1024 * 1024)
    expect(markdown).toMatch(/… [0-9,]+ more findings in report\.html/)
  })

  test('holds no markup, link or mention of a bank', () => {
    const { report, exchanges } = hostileRun(MEGABYTE)
    const markdown = stepSummary(report, exchanges)
    expect(markdown.replaceAll(/<\/?code>/g, '')).not.toMatch(/[<>@[\]`]/)
    expect(markdown).not.toContain('http://')
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
    const known = fixtureReport().checks.filter((check) => check.deviation)
    const lines = annotations(fixtureReport({ checks: known }))
    expect(lines).toHaveLength(1)
    expect(lines[0]).toMatch(/^::error title=Assay%3A nonconformant::/)
    expect(annotations(fixtureReport({ checks: [], exitCode: 0 }))).toEqual([])
  })

  test('are one command a line, whatever a bank sends', () => {
    for (const line of annotations(hostileRun().report)) {
      expect(line).toMatch(/^::error title=[^:,\n\r]*::[^\n\r]*$/)
    }
  })
})

describe('the summary on the terminal', () => {
  test('says verdict, counts, failures with their evidence, causes, what is left, the path', () => {
    const text = consoleSummary(fixtureReport(), fixtureExchanges(40), {
      path: 'reports/x/report.html',
    })
    expect(text).toMatchInlineSnapshot(`
      "fail  ACC-05/gbp  Currency is GBP in every account
        requirement must · Account · Currency is GBP.
        message     Currency of the second account is "EUR".
        expected    "GBP"
        actual      "EUR"
        exchange    x14  GET /open-banking/v3.1/aisp/accounts → 200

      error  BAL-01/bulk  GET /balances answers for the consent
        requirement must · Data endpoints 4 · Balances are served for a consent with ReadBalances.
        message     Our own error: Cannot read properties of undefined.
        exchange    x18  GET /open-banking/v3.1/aisp/transactions?toBookingDateTime=2025-11-14T00%3A00%3A00Z → 200

      fail  TXN-17/to-alone  toBookingDateTime alone drops what was booked later
        requirement must · Data endpoints 5 · toBookingDateTime restricts the answer to transactions booked before it, also without fromBookingDateTime.
        message     8 transactions that were booked later are in the answer.
        expected    none of the 8 transactions booked after 2025-11-14T00:00:00Z
        actual      2025-11-14T09:12:44Z  4.50 Debit  Northgate Books
                    2025-11-15T09:12:44Z  5.50 Debit  Northgate Books
                    2025-11-16T09:12:44Z  6.50 Debit  Northgate Books
                    and 5 more
        exchange    x22  GET /open-banking/v3.1/aisp/transactions?toBookingDateTime=2025-11-14T00%3A00%3A00Z → 200

      fail  ACC-09/masked  no account shows a whole card number (known deviation until 2026-04-30)
        requirement must · Account · The card number is masked.
        message     Identification holds 16 digits.
        expected    a masked card number
        actual      <card_number:9f3102>
        exchange    x15  GET /open-banking/v3.1/aisp/accounts → 200

      blocked  2 checks by TXN-17/to-alone
      blocked  1 check by The target has no second client.
      left behind  consent aac-7f31: DELETE answered 503 three times.
      problem  The known deviation for TOK-02/expired no longer occurs: remove it.

      NONCONFORMANT  staging (full)
      5 of 11 musts in scope passed, 3 failed, 2 could not be judged, 1 not run, 2 not applicable, 1 not tested.
      6 pass · 1 error · 3 fail · 3 blocked · 2 not-run · 1 warn · 1 observed · 2 not-applicable
      40 requests, 3 visits, 9.4 s
      report  reports/x/report.html
      "
    `)
  })

  test('obeys nothing that a bank sends, and stays short', () => {
    const { report, exchanges } = hostileRun(MEGABYTE)
    const text = consoleSummary(report, exchanges)
    // biome-ignore lint/suspicious/noControlCharactersInRegex: their absence is the point
    expect(text).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f\u202e\u2066]/)
    expect(text.length).toBeLessThan(40_000)
  })

  test('writes out twenty failures and counts the rest', () => {
    expect(consoleSummary(failing(50), [])).toContain('… and 30 more failures in the report')
  })
})

describe('curl', () => {
  test('holds variables where a secret or signature belongs', () => {
    const [token] = fixtureExchanges(8).filter(({ endpoint }) => endpoint === 'token')
    expect(curl(token as never)).toMatchInlineSnapshot(`
      "curl -i -X POST https://127.0.0.1:8443/open-banking/oauth/token \\
        --cert "$FIRST_CERT" --key "$FIRST_KEY" --cacert "$BANK_CA" \\
        -H 'accept: application/json' \\
        -H 'content-type: application/x-www-form-urlencoded' \\
        --data grant_type=client_credentials \\
        --data scope=accounts \\
        --data-urlencode "client_assertion=$CLIENT_ASSERTION""
    `)
    const [accounts] = fixtureExchanges(8).filter(({ endpoint }) => endpoint === 'accounts')
    expect(curl(accounts as never)).toMatchInlineSnapshot(`
      "curl -i https://127.0.0.1:8443/open-banking/v3.1/aisp/accounts \\
        --cert "$FIRST_CERT" --key "$FIRST_KEY" --cacert "$BANK_CA" \\
        -H 'accept: application/json' \\
        -H "authorization: Bearer $ACCESS_TOKEN" \\
        -H 'x-fapi-customer-ip-address: 198.51.100.7'"
    `)
  })

  test('turns pseudonyms of known kinds into variables, and lets no bank name one', () => {
    const [exchange] = fixtureExchanges(1)
    const url = 'https://bank/a/<code:123abc>/<HOME:123abc>'
    const asked = { ...exchange, request: { method: 'GET', url, headers: [] } }
    expect(curl(asked as never).split(' \\')[0]).toBe(
      `curl -i https://bank/a/"$CODE"/'<HOME:123abc>'`,
    )
  })

  test('is words for a shell, whatever a bank sends', async () => {
    const { execFileSync } = await import('node:child_process')
    const { existsSync } = await import('node:fs')
    for (const exchange of hostileRun(ATTACK).exchanges) {
      const script = `curl() { printf '%s\\n' "$#"; }\n${curl(exchange)}\n`
      expect(Number(execFileSync('sh', ['-c', script]).toString())).toBeGreaterThan(3)
    }
    expect(existsSync('/tmp/pwned')).toBe(false)
  })
})
