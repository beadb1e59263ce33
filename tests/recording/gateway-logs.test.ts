import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { beforeAll, expect, test } from 'vitest'
import { endpointsOf } from '../../engine/configuration/addresses.ts'
import {
  GATEWAY_FORMATS,
  gatewayExchange,
  gatewayFormat,
} from '../../engine/recording/gateway-logs.ts'
import { operationsOf } from '../../engine/recording/operations.ts'
import type { Recorded } from '../../engine/recording/recorded.ts'
import { openProofContext, type ProofContext } from '../../proof/run/judge-bank.ts'
import { openDirectory } from '../directory.ts'
import { brokenIn, judgedText } from './recorded-bank.ts'
import { ACCOUNTS, AISP, BANK } from './small-bank.ts'

const page = readFileSync(join(import.meta.dirname, '..', '..', 'docs', 'judge.md'), 'utf8')

/** The lines of logs that the page shows, by the name of their gateway. */
const SHOWN = new Map(
  GATEWAY_FORMATS.map(({ name }): [string, string] => {
    const section = page.slice(page.indexOf(`### ${name}\n`)).split(/\n##/)[0] ?? ''
    const lines = [...section.matchAll(/```json\n(.*)\n```/g)].map(([, line = '']) => line)
    return [name, lines.at(-1) ?? '']
  }),
)

const { operationOf, resolve } = operationsOf(endpointsOf(BANK))

let context: ProofContext
beforeAll(async () => {
  context = await openProofContext(openDirectory())
})

function read(line: unknown): Recorded {
  const format = gatewayFormat(line)
  if (!format) throw new Error('no known format')
  const found = gatewayExchange(line, 'log line 1', format, resolve)
  if (typeof found === 'string') throw new Error(found)
  return found
}

test.each([...SHOWN])('the line of %s that docs/judge.md shows is read', (name, text) => {
  const line = JSON.parse(text)
  expect(gatewayFormat(line)?.name).toBe(name)
  const { method, url, at, durationMs, response } = read(line)
  expect(operationOf(method, url)).toEqual({ endpoint: 'accounts' })
  expect(new Date(at).toISOString()).toBe('2026-11-28T11:00:00.000Z')
  expect(durationMs).toBeCloseTo(42)
  expect(response?.status).toBe(200)
})

test.each([...SHOWN])('a log of %s without bodies is judged by what it tells', async (_, text) => {
  const report = await judgedText(context, BANK, 'a.log', `${text}\n${text}\n`)
  expect(brokenIn(report)).toEqual([])
  expect(report).toMatchObject({ requests: 2, exitCode: 0 })
  const outcome = (id: string) => report.checks.find((check) => check.id === id)?.outcome
  expect(outcome('ACC-01/answers-200')).toBe('pass')
  expect(outcome('GEN-01/json')).toBe('blocked')
})

test.each([...SHOWN])('a wrong status and a body in a log of %s are found', async (_, text) => {
  const wrong = text.replace(/("status"|"response_code"):"?200"?/, '$1:201')
  const line = {
    ...JSON.parse(wrong),
    response_body: JSON.stringify(ACCOUNTS).replace('GBP', 'EUR'),
  }
  const report = await judgedText(context, BANK, 'a.log', JSON.stringify(line))
  expect(brokenIn(report)).toEqual(expect.arrayContaining(['ACC-01/answers-200', 'ACC-05/gbp']))
})

test('the certificate of the client is told by some', () => {
  const certificates = [...SHOWN].map(([name, text]) => [name, read(JSON.parse(text)).connection])
  expect(Object.fromEntries(certificates)).toEqual({
    Kong: undefined,
    Envoy: undefined,
    'AWS API Gateway': { identity: 'CN=tally' },
    nginx: { identity: 'CN=tally' },
  })
})

const NGINX = JSON.parse(SHOWN.get('nginx') ?? '{}')

test('a log that names no host is read by the addresses of the target', () => {
  const { http_host: _, ...line } = NGINX
  expect(read(line).url).toBe(`${AISP}/accounts`)
})

test.each([
  ['2026-11-28T11:00:01+00:00', '2026-11-28T11:00:00.958Z'],
  ['2026-11-28T12:00:01+01:00', '2026-11-28T11:00:00.958Z'],
])('the time of nginx in whole seconds is taken as vague: %s', (time, at) => {
  const { msec: _, ...line } = NGINX
  const found = read({ ...line, time_iso8601: time })
  expect(found.vague).toBe(1000)
  expect(new Date(found.at).toISOString()).toBe(at)
})

test('a time without an offset is nobody’s', () => {
  const { msec: _, ...line } = NGINX
  expect(() => read({ ...line, time_iso8601: '2026-11-28T11:00:01' })).toThrow(
    'has no msec or time_iso8601 that is a time',
  )
})

test('the time of AWS is read as Apache writes it, too', () => {
  const { requestTimeEpoch: _, ...line } = JSON.parse(SHOWN.get('AWS API Gateway') ?? '{}')
  const found = read({ ...line, requestTime: '28/Nov/2026:12:00:00 +0100' })
  expect(new Date(found.at).toISOString()).toBe('2026-11-28T11:00:00.000Z')
})

test('Kong may send several at once', async () => {
  const line = SHOWN.get('Kong') ?? ''
  const report = await judgedText(context, BANK, 'a.log', `[${line},${line}]\n${line}\nno JSON\n`)
  expect(report.requests).toBe(3)
  expect(report.problems).toEqual(['a.log line 3 is no JSON'])
})

const KONG = JSON.parse(SHOWN.get('Kong') ?? '{}')

/** A value of lists in each other, as JSON. */
const nested = (levels: number) => `${'['.repeat(levels)}${']'.repeat(levels)}`

test('a line that is nested too deep is named, and the others are judged', async () => {
  const line = SHOWN.get('Kong') ?? ''
  const deep = `{"response_body":{"a":${nested(20_000)}},${line.slice(1)}`
  const report = await judgedText(context, BANK, 'a.log', `${line}\n${deep}\n${line}\n`)
  expect(report.requests).toBe(2)
  expect(report.problems).toEqual(['a.log line 2 is nested more than 100 levels deep'])
})

test('a body that is nested too deep is a text as any other', async () => {
  const line = JSON.stringify({ ...KONG, response_body: nested(20_000) })
  const report = await judgedText(context, BANK, 'a.log', `${line}\n${SHOWN.get('Kong')}\n`)
  expect(report).toMatchObject({ requests: 2, problems: [] })
})

const IN_ANOTHER_UNIT: [string, object][] = [
  ['time', { ...KONG, started_at: KONG.started_at * 1e6 }],
  ['time', { ...KONG, started_at: KONG.started_at * 1000 }],
  ['time', { ...KONG, started_at: -1e300 }],
  ['time', { ...NGINX, msec: NGINX.msec * 1000 }],
  ['duration', { ...KONG, latencies: { request: 1e300 } }],
  ['duration', { ...NGINX, request_time: 1e300 }],
]

test.each(IN_ANOTHER_UNIT)('a %s that cannot be is named: %j', async (what, odd) => {
  const lines = [JSON.stringify(odd), SHOWN.get('Kong')]
  const report = await judgedText(context, BANK, 'a.log', lines.join('\n'))
  expect(report.requests).toBe(1)
  expect(report.problems).toEqual([expect.stringContaining(`a.log line 1 has a ${what} `)])
})

test('a byte order mark is left out', async () => {
  const report = await judgedText(context, BANK, 'a.log', `\ufeff${SHOWN.get('Kong')}\n`)
  expect(report).toMatchObject({ requests: 1, problems: [] })
})

const UTF_16 = Buffer.from(`\ufeff${SHOWN.get('Kong')}`, 'utf16le')

test.each([
  ['UTF-16', UTF_16, 'save it as UTF-8'],
  ['UTF-16, as PowerShell', Buffer.from(UTF_16).swap16(), 'save it as UTF-8'],
  ['a zip archive', 'PK\u0003\u0004', 'unpack it'],
])('a file that is %s says so', async (form, content, mend) => {
  const judging = judgedText(context, BANK, 'a.log', content)
  await expect(judging).rejects.toThrow(new RegExp(`a\\.log is ${form}.*: ${mend}`))
})
