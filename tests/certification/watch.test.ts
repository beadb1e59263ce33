import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { startBank } from '../../bank/bank.ts'
import { openStateFolder } from '../../cli/bank-state.ts'
import { openWatch, type WatchedLine } from '../../engine/certification/watch.ts'
import { openWatchPage } from '../../engine/certification/watch-page.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { createRedactor } from '../../engine/wire/redaction.ts'
import { createTpp } from '../bank/tpp.ts'
import { openBank } from '../directory.ts'
import { tppCatalogue, tppSuites } from './opened.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-watch-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** A bank that is watched, and the lines that were told of it. */
async function watchedBank(out: string, show: (line: WatchedLine) => void = () => {}) {
  const lines: WatchedLine[] = []
  let see: ((sighting: never) => void) | undefined
  const bank = await openBank({ onSighting: (sighting) => see?.(sighting as never) })
  const watch = openWatch({
    suites: await tppSuites(),
    catalogue: tppCatalogue(),
    ...{ out, version: '0' },
    redactor: createRedactor(targetFrom(structuredClone(bank.target) as TargetDocument).secrets),
  })
  see = (sighting) => {
    const line = watch.see(sighting)
    if (!line) return
    lines.push(line)
    show(line)
  }
  return { bank, watch, lines }
}

test('a bank that is watched says of each request what is wrong, and no secret', async () => {
  const page = await openWatchPage()
  const { bank, watch, lines } = await watchedBank(folder, page.show)
  const tpp = createTpp(bank)
  expect((await tpp.register()).status).toBe(201)
  const token = await tpp.clientToken()
  const address = `${bank.addresses.base_url}/open-banking/v3.1/aisp/accounts`
  const headers = { authorization: `Bearer ${token}` }
  expect((await tpp.send(address, { headers })).status).toBe(401)
  await tpp.send(address, { certificate: 'none' }).catch(() => {})
  await tpp.close()

  const asked = lines.find(({ path }) => path.endsWith('/accounts'))
  expect(asked).toMatchObject({ method: 'GET', answer: '401' })
  expect(asked?.refusal).toBe('The access token is not valid.')
  const broken = asked?.broken.map(({ id }) => id)
  expect(broken).toEqual(expect.arrayContaining(['DATA-01/consent-token', 'GEN-04/accept']))
  await expect
    .poll(() => lines.find(({ method }) => method === 'TLS')?.refusal)
    .toContain('no transport certificate')

  const abort = new AbortController()
  const events = await fetch(`${page.url}events`, { signal: abort.signal })
  const reader = events.body?.getReader()
  expect(Buffer.from((await reader?.read())?.value ?? []).toString()).toContain('"method":"GET"')
  abort.abort()
  const elsewhere = await fetch(page.url)
  expect(elsewhere.headers.get('content-security-policy')).toContain("default-src 'none'")

  const report = watch.finish()
  expect(report.verdict).toBe('nonconformant')
  expect(report.causes.map(({ whose }) => whose)).toContain('TPP')
  expect(readFileSync(join(folder, 'exchanges.jsonl'), 'utf8')).not.toContain(token)
  expect(JSON.stringify(lines)).not.toContain(token)
  await page.close()
  await bank.close()
})

test.each([
  ['expired', 'CERT_HAS_EXPIRED', 'has expired'],
  ['untrusted', 'UNABLE_TO_VERIFY_LEAF_SIGNATURE', 'was not issued by an authority'],
] as const)('a transport certificate that is %s: the reason, and the must', async (...row) => {
  const [certificate, code, words] = row
  const { bank, watch, lines } = await watchedBank(mkdtempSync(join(folder, 'handshake-')))
  const tpp = createTpp(bank)
  const { registration } = bank.services.endpoints
  await tpp.send(registration, { method: 'POST', certificate }).catch(() => {})
  await expect.poll(() => lines).toHaveLength(1)
  expect(lines[0]).toMatchObject({
    method: 'TLS',
    answer: code,
    refusal: expect.stringContaining(`the transport certificate ${words}`),
    broken: [{ id: 'TGEN-02/certificate', level: 'must', actual: lines[0]?.refusal }],
  })
  expect(watch.finish().verdict).toBe('nonconformant')
  await tpp.close()
  await bank.close()
})

test('a wrong audience is told what was expected', async () => {
  const refusals: string[] = []
  const bank = await openBank({
    onSighting: ({ refusal }) => refusal && refusals.push(refusal.detail),
  })
  const tpp = createTpp(bank)
  await tpp.register()
  const answer = await tpp.token({ grant_type: 'client_credentials', scope: 'accounts' }, {
    assertion: { aud: 'https://gateway.example' },
  } as never)
  expect(answer.status).toBe(401)
  expect(answer.json.error).toBe('invalid_client')
  expect(answer.json.error_description).toContain(`expected ${bank.services.endpoints.token}`)
  expect(refusals.at(-1)).toContain('expected')
  await tpp.close()
  await bank.close()
})

test('keys, directory, clients, consents and tokens outlive a bank in its folder', async () => {
  const place = join(folder, 'state')
  const first = await openStateFolder(place)
  const bank = await startBank({ directory: first.directory, kept: first.kept })
  const following = first.follow(bank)
  const tpp = createTpp(bank)
  await tpp.register()
  const consentId = await tpp.consent()
  const bearer = await tpp.clientToken()
  await tpp.close()
  await following.stop()
  await bank.close()
  await first.directory.close()

  const again = await openStateFolder(place)
  const later = await startBank({ directory: again.directory, kept: again.kept })
  const { transport, signing } = bank.target.clients.first
  expect(later.target.clients.first).toMatchObject({ transport, signing })
  const same = createTpp(later)
  const answer = await same.call(`/aisp/account-access-consents/${consentId}`, { bearer })
  expect(answer.status).toBe(200)
  expect(answer.json.Data.Status).toBe('AwaitingAuthorisation')
  await same.close()
  await later.close()
  await again.directory.close()
})
