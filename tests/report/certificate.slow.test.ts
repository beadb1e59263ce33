import { generateKeyPairSync, type KeyObject } from 'node:crypto'
import { existsSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { parse } from 'parse5'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { pack } from '../../engine/report/evidence/archive.ts'
import { sha256 } from '../../engine/report/evidence/sealed-files.ts'
import { signRun } from '../../engine/report/evidence/sign-run.ts'
import { verifyRun } from '../../engine/report/evidence/verify-run.ts'
import { certificateCounts, certificatePage } from '../../engine/report/html/certificate.ts'
import type { Report } from '../../engine/report/report.ts'
import { assay } from '../evidence/cli.ts'
import { authority } from '../wire/certificates.ts'
import { hasBrowser, launch, reason, watched } from './chromium.ts'
import { hostileRun } from './hostile.ts'
import { type BankName, copied, recorded } from './recorded.ts'

/** `assay certificate`: a page for what was verified, and for nothing else. */

const folder = mkdtempSync(join(tmpdir(), 'assay-certificate-'))
const at = (...parts: string[]) => join(folder, ...parts)
const pair = generateKeyPairSync('ec', { namedCurve: 'P-256' })
const pem = (key: KeyObject) => key.export({ type: 'pkcs8', format: 'pem' }).toString()
const spki = (key: KeyObject) => key.export({ type: 'spki', format: 'pem' }).toString()
const KEY = at('signer.pem')
const page = (name: string) => readFileSync(at(`${name}-certificate.html`), 'utf8')
const certificate = (...words: string[]) => assay(['certificate', ...words]).ended

/** A run in a folder of its own, with a few of its exchanges: `change` makes another of it. */
async function run(name: string, of: BankName, change: (report: Report) => void = () => {}) {
  const { report, exchanges } = copied(await recorded(of))
  change(report)
  mkdirSync(at(name))
  writeFileSync(at(name, 'report.json'), JSON.stringify(report))
  const lines = exchanges.slice(0, 20).map((each) => `${JSON.stringify(each)}\n`)
  writeFileSync(at(name, 'exchanges.jsonl'), lines.join(''))
  return report
}

beforeAll(async () => {
  writeFileSync(KEY, spki(pair.publicKey))
  await run('correct', 'correct')
  await signRun(at('correct'), pem(pair.privateKey), { kid: 'release office' })
  // Each is a whole run, which the tests below do not wait for.
  for (const name of ['known', 'core', 'faulty', 'selected', 'every'] as const) await recorded(name)
}, 900_000)

afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('a signed and conformant run', () => {
  test('has a page that names the bank, the suite, the signer and the digest of the statement', async () => {
    const { code, stdout, stderr } = await certificate(at('correct'), '--key', KEY)
    expect([code, stderr]).toEqual([0, ''])
    const digest = sha256(readFileSync(at('correct', 'statement.jws')))
    expect(stdout).toContain(`statement: SHA-256 ${digest}`)
    const { report } = await recorded('correct')
    for (const words of [
      '>conformant</span>',
      `Assay ${report.assay.version}`,
      'staging',
      'release office, verified with the public key that was given',
      'account-information/transactions',
      'CLC-05',
      digest,
    ])
      expect(page('correct')).toContain(words)
    const verified = await assay(['verify', at('correct'), '--key', KEY]).ended
    expect([verified.code, verified.stdout.includes(`statement: SHA-256 ${digest}\n`)]).toEqual([
      0,
      true,
    ])
  })

  test('has the same page from its archive and from its statement', async () => {
    await pack(at('correct'), at('packed.zip'))
    expect((await certificate(at('packed.zip'), '--key', KEY)).code).toBe(0)
    expect(page('packed')).toBe(page('correct'))
    const out = at('named.html')
    const { code } = await certificate(at('correct', 'statement.jws'), '--key', KEY, '--out', out)
    expect([code, readFileSync(out, 'utf8')]).toEqual([0, page('correct')])
  })

  test('lists what is known and until when; every must stands in one column', async () => {
    const report = await run('known', 'known')
    const { musts } = report
    const [kept, known, excused, free, untested] = certificateCounts(report.requirements)
    expect([kept, known, excused, free, untested]).toEqual([
      ...[musts.passed, musts.known, musts.excused, musts.notApplicable, musts.notTested],
    ])
    await signRun(at('known'), pem(pair.privateKey))
    expect((await certificate(at('known'), '--key', KEY)).code).toBe(0)
    expect(page('known')).toContain('conformant but for known deviations')
    expect(page('known')).toContain(
      'The gateway of the sandbox asks for no certificate. (PAY-4711)',
    )
    expect(page('known')).toContain('2099-01-31')
  })

  test('of one approval says what it leaves out', async () => {
    const report = await run('core', 'core')
    await signRun(at('core'), pem(pair.privateKey))
    expect((await certificate(at('core'), '--key', KEY)).code).toBe(0)
    const words = `The profile core leaves out ${report.scope.leftOut} checks`
    expect(page('core').replaceAll(',', '')).toContain(words)
  })

  test('with a certificate in its statement says that nobody looked who issued it', async () => {
    const { certificate: x5c, key } = await (await authority('ca')).issue('nightly')
    await run('certified', 'correct', ({ target }) => {
      target.side = 'TPP'
    })
    await signRun(at('certified'), key, { x5c })
    const { code, stdout } = await certificate(at('certified'))
    expect([code, stdout]).toEqual([0, expect.stringContaining('give the signer’s public key')])
    expect(page('certified')).toContain(
      'CN=nightly, verified with the certificate in the statement',
    )
    expect(page('certified')).toContain('a client of a TPP')
  })

  test('counts by the policy of whoever asks for it', async () => {
    writeFileSync(at('policy.yaml'), 'target: another\nsignedBy: [signer.pem]\n')
    const refused = await certificate(at('correct'), '--policy', at('policy.yaml'))
    expect([refused.code, refused.stderr]).toEqual([
      1,
      `${at('correct')}: no certificate, because it judged staging, not another.\n`,
    ])
    writeFileSync(at('policy.yaml'), 'target: staging\nsignedBy: [signer.pem]\n')
    expect((await certificate(at('correct'), '--policy', at('policy.yaml'))).code).toBe(0)
  })
})

describe('no page', () => {
  const refused = async (name: string, ...words: string[]) => {
    const { code, stdout, stderr } = await certificate(at(name), ...words)
    expect([code, stdout, existsSync(at(`${name}-certificate.html`))]).toEqual([1, '', false])
    expect(stderr).toContain(`${at(name)}: no certificate, because `)
    expect(stderr.trim().split('\n')).toHaveLength(1)
    return stderr
  }

  test('for a run that is not signed, and how to sign it', async () => {
    await run('unsigned', 'correct')
    expect(await refused('unsigned')).toContain('`npx assay sign FOLDER --key PRIVATE-KEY`')
    expect(await refused('unsigned', '--key', KEY)).toContain('it is not signed')
  })

  test('for a bank that is not conformant, or a part of it', async () => {
    await run('faulty', 'faulty')
    await signRun(at('faulty'), pem(pair.privateKey))
    expect(await refused('faulty', '--key', KEY)).toContain('its verdict is nonconformant')
    await run('selected', 'selected')
    await signRun(at('selected'), pem(pair.privateKey))
    expect(await refused('selected', '--key', KEY)).toContain('it judged a part alone')
  })

  test('where the key is another one, or none is there to verify with', async () => {
    await run('other', 'correct')
    await signRun(at('other'), pem(pair.privateKey))
    const other = generateKeyPairSync('ec', { namedCurve: 'P-256' })
    writeFileSync(at('other.pem'), spki(other.publicKey))
    expect(await refused('other', '--key', at('other.pem'))).toContain('other.pem signed it')
    expect(await refused('other')).toContain('needs the public key')
  })

  test('where the report was changed since', async () => {
    await run('changed', 'faulty')
    await signRun(at('changed'), pem(pair.privateKey))
    const file = at('changed', 'report.json')
    const text = readFileSync(file, 'utf8')
    writeFileSync(file, text.replace('"verdict":"nonconformant"', '"verdict":"conformant"'))
    expect(await refused('changed', '--key', KEY)).toContain('report.json was changed')
  })

  test.each([
    [['nowhere'], 'nowhere does not exist'],
    [['docs', '--out', 'docs'], '--out docs is a folder'],
    [['docs', '--key', 'nowhere'], "--key nowhere can't be read"],
    [['docs', '--key', 'a', '--policy', 'b'], 'leave out --key'],
  ])('for %j, a mistake of whoever typed it', async (words, says) => {
    const { code, stdout, stderr } = await certificate(...words)
    expect([code, stdout]).toEqual([2, ''])
    expect(stderr).toContain(says)
  })
})

describe('texts from outside', () => {
  test(`change nothing of what the page is, and fetch nothing${reason}`, async () => {
    const { report } = await hostileRun()
    const { key } = await verifyRun(at('correct'), spki(pair.publicKey))
    const made = certificatePage({
      report,
      key: key as NonNullable<typeof key>,
      signer: report.target.name,
      statementDigest: 'f'.repeat(64),
      exchanges: 3,
    })
    const count = (html: string, element: string) => html.split(`<${element}`).length - 1
    expect(count(made, 'script')).toBe(0)
    expect(count(made, 'img')).toBe(0)
    for (const sign of ['\u202e', '\u0000', '\u001b']) expect(made).not.toContain(sign)
    const errors: string[] = []
    parse(made, {
      onParseError: ({ code }) => void errors.push(code),
      sourceCodeLocationInfo: true,
    })
    expect(errors).toEqual([])
    if (!hasBrowser) return
    const file = at('hostile.html')
    writeFileSync(file, made)
    const browser = await launch()
    try {
      const { page: shown, requests, troubles } = watched(await browser.newPage())
      await shown.setViewportSize({ width: 390, height: 800 })
      await shown.goto(`file://${file}`)
      expect(await shown.evaluate('window.pwned')).toBeUndefined()
      expect(await shown.evaluate('document.documentElement.scrollWidth')).toBe(390)
      expect([requests.filter((url) => url !== `file://${file}`), troubles]).toEqual([[], []])
      const pdf = await shown.pdf({ preferCSSPageSize: true })
      expect(pdf.toString('latin1')).toMatch(/\/MediaBox \[0 0 59[45][.\d]* 84[12][.\d]*\]/)
    } finally {
      await browser.close()
    }
  })

  test.runIf(hasBrowser)('a whole run is at most two pages of A4', async () => {
    const browser = await launch()
    try {
      for (const name of ['correct', 'known']) {
        const shown = await browser.newPage()
        await shown.goto(`file://${at(`${name}-certificate.html`)}`)
        const pdf = await shown.pdf({ preferCSSPageSize: true })
        const [, pages] = /\/Count (\d+)/.exec(pdf.toString('latin1')) ?? []
        expect(Number(pages), name).toBeLessThanOrEqual(2)
      }
    } finally {
      await browser.close()
    }
  })
})
