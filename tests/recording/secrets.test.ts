import { mkdirSync, mkdtempSync, readdirSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { openRecordedClient } from '../../engine/certification/recorded-client.ts'
import { judgeRecording } from '../../engine/recording/judge-recording.ts'
import { openRecording } from '../../engine/recording/read-files.ts'
import { recordingTarget } from '../../engine/recording/recording-target.ts'
import { writeReports } from '../../engine/report/write-reports.ts'
import { createRedactor } from '../../engine/wire/redaction.ts'
import { openProofContext } from '../../proof/run/judge-bank.ts'
import { tppCatalogue, tppSuites } from '../certification/opened.ts'
import { openDirectory } from '../directory.ts'
import { ACCOUNTS, AISP, BANK, entry, har } from './small-bank.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-recorded-secrets-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A text that stands nowhere but where a recording has a secret. */
const canary = (name: string) => `canary-${name}-5f1d8c07b2`

const jwt = (name: string) =>
  [{ alg: 'PS256' }, { iss: 'https://bank.example', nonce: `nonce of ${name}` }, canary(name)]
    .map((part) => Buffer.from(JSON.stringify(part)).toString('base64url'))
    .join('.')

const CARD = '4929000000006'

const [account] = ACCOUNTS.Data.Account

/** An entry for each place where a recording has secrets. Each breaks a rule, and is written down for that. */
const ENTRIES = [
  entry({
    requestHeaders: {
      Authorization: `Bearer ${canary('access-token')}`,
      Cookie: `session=${canary('cookie')}; other=${canary('other-cookie')}`,
      'X-Api-Key': canary('api-key'),
    },
    headers: { 'Set-Cookie': `sid=${canary('set-cookie')}; Path=/`, 'Content-Type': 'text/plain' },
    body: {
      ...ACCOUNTS,
      Data: { Account: [{ ...account, Nickname: canary('nickname'), Description: CARD }] },
    },
  }),
  entry({
    method: 'POST',
    url: 'https://bank.example/open-banking/oauth/token',
    status: 201,
    requestHeaders: { Authorization: `Basic ${btoa(`tally:${canary('client-secret')}`)}` },
    sent: new URLSearchParams({
      grant_type: 'authorization_code',
      code: canary('code'),
      client_assertion: jwt('assertion'),
      client_secret: canary('form-secret'),
    }).toString(),
    body: {
      access_token: canary('issued-token'),
      refresh_token: canary('refresh-token'),
      id_token: jwt('id-token'),
      expires_in: 1_795_863_600,
    },
  }),
  entry({
    url: `https://login.bank.example/authorize?client_id=tally&state=${canary('state')}&request=${jwt('request-object')}`,
    status: 500,
    body: `<input type="password" value="${canary('password')}">`,
  }),
  entry({ url: `${AISP}/accounts?access_token=${canary('query-token')}`, status: 500, body: '{}' }),
  entry({ url: `https://bank.example/elsewhere/${canary('path')}?code=${canary('other-code')}` }),
  entry({ url: `https://other.example/?code=${canary('other-host')}` }),
]

const filesIn = (path: string): string[] =>
  readdirSync(path, { recursive: true, withFileTypes: true })
    .filter((each) => each.isFile())
    .map((each) => join(each.parentPath, each.name))

test('a recording full of secrets leaves none in anything that is written', async () => {
  const file = join(folder, 'night.har')
  writeFileSync(file, har(...ENTRIES))
  const out = join(folder, 'out')
  mkdirSync(out)
  const { catalogue, suites } = await openProofContext(openDirectory())
  const target = recordingTarget(BANK)
  const redactor = createRedactor(target.secrets)
  mkdirSync(join(out, 'tpp'))
  const client = openRecordedClient({
    ...{ suites: await tppSuites(), catalogue: tppCatalogue(), target, redactor, version: '0' },
    out: join(out, 'tpp'),
  })
  const report = await judgeRecording({
    ...{ files: [openRecording(file)], catalogue, suites, out, version: '0', target, redactor },
    described: { name: 'staging', configurationDigest: '' },
    onJudged: client.takeRecorded,
  })
  await writeReports(out)
  expect(client.finish().requests).toBe(4)
  await writeReports(join(out, 'tpp'))
  expect(report.requests).toBe(4)
  const files = filesIn(out)
  expect(files.length).toBeGreaterThan(8)
  // The state is none: whoever fixes the bank needs it.
  const open = [canary('state')]
  for (const each of files) {
    const text = open.reduce((left, said) => left.replaceAll(said, ''), readFileSync(each, 'utf8'))
    expect(text.match(/canary-[\w-]+/g) ?? [], each).toEqual([])
    expect(text, each).not.toContain(CARD)
    for (const name of ['assertion', 'id-token', 'request-object']) {
      expect(text, each).not.toContain(jwt(name))
      expect(text, each).not.toContain(jwt(name).split('.')[2])
    }
  }
  expect(readFileSync(join(out, 'exchanges.jsonl'), 'utf8').trim().split('\n')).toHaveLength(4)
})
