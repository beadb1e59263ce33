import { mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { startBank } from '../../bank/bank.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { preflight } from '../../engine/doctor/preflight.ts'
import { consoleSummary } from '../../engine/report/console-summary.ts'
import { openBank } from '../directory.ts'
import { assay, reportOf } from '../evidence/cli.ts'
import { authority } from '../wire/certificates.ts'
import { https, type Running, run } from '../wire/servers.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-preflight-'))
type Bank = Awaited<ReturnType<typeof openBank>>

let bank: Bank
let other: Bank
let plain: Running
let strange: Running
let strangers: string
/** Its certificate is of an authority between, which it does not send. */
let halfway: Running

/** The bank's target, with this in place of what it has. */
function target(change: (document: TargetDocument) => void): TargetDocument {
  const document = structuredClone(bank.target) as TargetDocument
  document.name = 'staging'
  change(document)
  return document
}

/** Every address of the target, at another place. */
function moved(to: (address: URL) => void): (document: TargetDocument) => void {
  return ({ addresses }) => {
    for (const [name, value] of Object.entries(addresses)) {
      if (typeof value !== 'string') continue
      const address = new URL(value)
      to(address)
      Object.assign(addresses, { [name]: address.href.replace(/\/$/, '') })
    }
  }
}

beforeAll(async () => {
  bank = await openBank()
  other = await startBank({})
  plain = await run(
    createServer((_, response) => response.end('<h1>It works!</h1>')),
    'http',
  )
  const stranger = await authority('Stranger')
  strangers = stranger.certificate
  const { certificate, key } = await stranger.issue('server')
  const issued = await stranger.issue('server', { issuers: 'http://authority.example/between.cer' })
  halfway = await https({ cert: issued.certificate, key: issued.key }, (_, response) => {
    response.end('<h1>It works!</h1>')
  })
  strange = await https({ cert: certificate, key }, (_, response) => {
    response.end('<h1>It works!</h1>')
  })
})
afterAll(async () => {
  await bank.close()
  await other.close()
  await plain.close()
  await strange.close()
  await halfway.close()
  rmSync(folder, { recursive: true, force: true })
})

const CASES: {
  name: string
  change: (document: TargetDocument) => void
  whose: string
  text: RegExp
}[] = [
  {
    name: 'a port that speaks no TLS',
    change: moved((address) => {
      address.port = String(plain.port)
    }),
    whose: 'your configuration',
    text: /does not speak TLS/,
  },
  {
    name: 'an unknown host',
    change: moved((address) => {
      address.hostname = 'bank.invalid'
    }),
    whose: 'the address, the network or the bank (cannot be told from here)',
    text: /the name bank\.invalid does not resolve/,
  },
  {
    name: 'a closed port',
    change: moved((address) => {
      address.port = '1'
    }),
    whose: 'the address, the network or the bank (cannot be told from here)',
    text: /nothing listens on 127\.0\.0\.1:1/,
  },
  {
    name: 'the wrong authority',
    change: (document) => {
      document.trust = (other.target as TargetDocument).trust
    },
    whose: 'your configuration',
    text: /comes from another Assay Directory Issuing CA than the one that is trusted/,
  },
  {
    name: 'the authority left out',
    change: (document) => {
      moved((address) => {
        address.port = String(strange.port)
      })(document)
      delete document.trust
    },
    whose: 'your configuration',
    text: /comes from Stranger, which is not trusted/,
  },
  {
    name: 'an intermediate certificate that the bank does not send',
    change: (document) => {
      moved((address) => {
        address.port = String(halfway.port)
      })(document)
      delete document.trust
    },
    whose: 'the bank',
    text: /its chain is not complete/,
  },
  {
    name: 'a web server that is no bank',
    change: (document) => {
      moved((address) => {
        address.port = String(strange.port)
      })(document)
      document.trust = [strangers]
    },
    whose: 'your configuration',
    text: /there is a web server, and no open banking interface/,
  },
]

test('a bank that takes longer than the first look waits, and not longer than the target allows, is judged', async () => {
  const slow = await startBank({ settings: { responseDelayMs: 5_200 } })
  try {
    expect(await preflight(targetFrom(slow.target as TargetDocument))).toEqual([])
  } finally {
    await slow.close()
  }
}, 60_000)

describe('before a run', () => {
  test.each(CASES)('$name stands in the way', async ({ change, whose, text }) => {
    const [line] = await preflight(targetFrom(target(change), folder))
    expect(line).toMatchObject({ level: 'wrong', whose: WHOSE[whose] })
    expect(line?.text).toMatch(text)
  })

  test('http: instead of https: stands in the way', async () => {
    const change = moved((address) => {
      address.protocol = 'http:'
    })
    const lines = await preflight(targetFrom(target(change), folder))
    expect(lines.length).toBeGreaterThan(0)
    for (const line of lines) expect(line).toMatchObject({ whose: 'configuration' })
  })

  test('nothing stands in the way of the bank that the target describes', async () => {
    expect(
      await preflight(
        targetFrom(
          target(() => {}),
          folder,
        ),
      ),
    ).toEqual([])
  })
})

/** What the target file names is wrong in itself, before the bank is asked for anything. */
const ON_PAPER: { name: string; change: (document: TargetDocument) => void; text: RegExp }[] = [
  {
    name: 'a kid that the directory does not know',
    change: ({ clients }) => {
      clients.first.signing.kid = 'another'
    },
    text: /kid another is not among the keys that are published for this client.*clients\.first\.signing\.kid/,
  },
  {
    name: 'a kid of the second client that the directory does not know',
    change: ({ clients }) => {
      if (clients.second) clients.second.signing.kid = 'another'
    },
    text: /kid another is not among the keys that are published for this client.*clients\.second\.signing\.kid/,
  },
  {
    name: 'a redirect URI that the software statement lacks',
    change: ({ clients }) => {
      clients.first.redirectUris = ['https://tally.example/elsewhere']
    },
    text: /is not in the software statement.*clients\.first\.redirectUris/,
  },
  {
    name: 'a transport certificate that has expired',
    change: ({ clients, refusedCertificates }) => {
      clients.first.transport = structuredClone(refusedCertificates?.expired ?? {}) as never
    },
    text: /expired on/,
  },
]

describe('what is wrong on paper', () => {
  test.each(ON_PAPER)('$name: exit code 2, with the line', { timeout: 120_000 }, async (it) => {
    // A folder of its own: the doctor registers clients and keeps them beside the file.
    const own = mkdtempSync(join(folder, 'paper-'))
    const file = join(own, 'target.yaml')
    writeFileSync(file, stringify(target(it.change), { lineWidth: 0 }))
    const out = join(own, 'report')
    const { code, stdout } = await assay(['run', '--target', file, '--out', out]).ended
    expect(stdout.replace(/\s+/g, ' ')).toMatch(it.text)
    expect(stdout).toContain('your configuration')
    expect(code).toBe(2)
    expect(reportOf(out)).toMatchObject({ verdict: 'incomplete', exitCode: 2, requests: 0 })
    expect((await assay(['doctor', '--target', file]).ended).code).toBe(2)
  })

  test.each<[string, (document: TargetDocument) => void]>([
    [
      'a client that is registered: neither its statement nor the keys of the directory',
      ({ clients }) => {
        clients.first.clientId = 'registered'
        clients.first.redirectUris = ['https://tally.example/elsewhere']
        clients.first.signing.kid = 'another'
      },
    ],
    [
      'keys that stand elsewhere than at the directory',
      ({ clients }) => {
        clients.first.signing.kid = 'another'
        clients.first.registrationClaims = { jwks_uri: 'https://tally.example/jwks' }
      },
    ],
    [
      'a certificate behind its authority, which servers may put in order',
      ({ clients }) => {
        const { transport } = clients.first
        const { certificate = '' } = transport
        transport.certificate = `${certificate}${(bank.target as TargetDocument).trust?.[0] ?? ''}${strangers}`
      },
    ],
  ])('%s: a bank may take it, and the run begins', async (_, change) => {
    const lines = await preflight(targetFrom(target(change), folder))
    expect(lines.filter(({ onPaper }) => onPaper)).toEqual([])
  })
})

/** Ports, folders and instants are other ones each time. */
function settled(text: string): string {
  return text
    .replaceAll(folder, '/home/qa')
    .replace(/127\.0\.0\.1:\d{2,}/g, '127.0.0.1:PORT')
    .replace(/\bStranger\b.*?(?= is | under |,|$)/gm, 'Stranger')
}

const HTTP = {
  name: 'http: instead of https:',
  change: moved((address) => {
    address.protocol = 'http:'
  }),
  whose: 'your configuration',
  text: /write https:/,
}

describe('a run that can judge nothing', () => {
  test.each([...CASES, HTTP])(
    '$name: ends with 3, in the words of the doctor, with the line of the file',
    {
      timeout: 120_000,
    },
    async ({ name, change, whose, text }) => {
      const slug = name.replace(/\W+/g, '-')
      const file = join(folder, `${slug}.yaml`)
      writeFileSync(file, stringify(target(change), { lineWidth: 0 }))
      const out = join(folder, slug)
      const { code, stdout } = await assay(['run', '--target', file, '--out', out]).ended

      expect(code).toBe(3)
      expect(stdout).toContain('NOT JUDGED  staging')
      expect(stdout.replace(/\s+/g, ' ')).toMatch(text)
      expect(stdout).toContain(whose)
      const [, line] = /\.yaml:(\d+)/.exec(stdout) ?? []
      const named = readFileSync(file, 'utf8').split('\n')[Number(line) - 1]
      // A member that is left out has no line, and its file is named.
      if (/under trust/.test(stdout) && line === undefined) expect(stdout).toMatch(/\.yaml\./)
      else expect(named).toMatch(/_url: https?:|^trust:|^ +- \|/)
      expect(stdout).not.toMatch(/NONCONFORMANT|0 passed/)

      const report = reportOf(out)
      expect(report).toMatchObject({ verdict: 'incomplete', exitCode: 3, requests: 0 })
      expect(report.musts).toMatchObject({ judged: 0, passed: 0, failed: 0 })
      expect(report.causes[0]).toMatchObject({ whose: WHOSE[whose] })
      const page = readFileSync(join(out, 'report.html'), 'utf8')
      expect(page.toLowerCase()).toContain('not judged')
      expect(readFileSync(join(out, 'junit.xml'), 'utf8')).toMatch(/<error type="incomplete"/)

      for (const width of [80, 120]) {
        for (const colour of [false, true]) {
          const shown = consoleSummary(report, [], { width, colour, path: 'tonight/report.html' })
          // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are looked for
          expect(/\u001b\[\d+m/.test(shown)).toBe(colour)
          // biome-ignore lint/suspicious/noControlCharactersInRegex: colours are looked for
          const plain = shown.replace(/\u001b\[\d+m/g, '')
          for (const each of plain.split('\n')) expect(each.length).toBeLessThanOrEqual(width)
        }
      }
      const wide = consoleSummary(report, [], { width: 10_000 })
      await expect(settled(wide)).toMatchFileSnapshot(`snapshots/not-judged-${slug}.txt`)
    },
  )
})

test('reproduce ends with 3 as well, in the same words', { timeout: 120_000 }, async () => {
  const file = join(folder, 'away.yaml')
  const change = moved((address) => Object.assign(address, { port: '1' }))
  writeFileSync(file, stringify(target(change), { lineWidth: 0 }))
  const { code, stdout } = await assay(['reproduce', 'ACC-01/answers-200', '--target', file]).ended
  expect(code).toBe(3)
  expect(stdout).toMatch(
    /^wrong {2}nothing listens on 127\.0\.0\.1:1: .*\n {2}at fault {2}the address, the network or the bank /,
  )
  expect(stdout).not.toMatch(/BLOCKED|reproduce/)
})

const WHOSE: Record<string, string> = {
  'your configuration': 'configuration',
  'the address, the network or the bank (cannot be told from here)': 'network',
  'the bank': 'bank',
}
