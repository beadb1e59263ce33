/** docs/tpp.md as it is typed: a web application, and a bank that keeps what it knows. */
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import { parse, stringify } from 'yaml'
import type { Directory } from '../../bank/directory/directory.ts'
import { listAlterations, named } from '../../cli/bank-alterations.ts'
import { findBrowser } from '../../engine/authorisation-drivers/find-browser.ts'
import type { Briefing } from '../../engine/certification/client.ts'
import { openCustomers } from '../../engine/certification/customer.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { loadFaults, loadVariants } from '../../proof/run/load.ts'
import { right } from '../../proof/tpp/conduct.ts'
import { pursue } from '../../proof/tpp/reference-tpp.ts'
import { openDirectory } from '../directory.ts'
import { assay, interrupt, reportOf, until } from '../evidence/cli.ts'
import { freePort } from '../free-ports.ts'
import { configurationOf } from './configuration.ts'
import { openWebApp } from './web-app.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-typed-'))
const place = (name: string) => join(folder, name)
let directory: Directory
beforeAll(async () => {
  directory = await openDirectory()
})
afterAll(async () => {
  await directory.close()
  rmSync(folder, { recursive: true, force: true })
})

const documentIn = (file: string) => parse(readFileSync(file, 'utf8')) as TargetDocument
const configured = (document: TargetDocument) =>
  configurationOf(document, String((document.addresses as { discovery_url: string }).discovery_url))

test.runIf(findBrowser())(
  'a web application: configured once by assay bank --tpp, certified by assay tpp',
  async () => {
    const app = await openWebApp(directory.server)
    const file = place('my-app.yaml')
    writeFileSync(place('my-app-ca.pem'), directory.authority)
    const described = {
      name: 'my-app',
      client: {
        driver: 'browser',
        pages: {
          connect: {
            open: `${app.origin}/`,
            steps: [{ when: '#bank', click: '#bank' }],
            done: 'Your accounts',
            refused: 'We could not connect',
          },
        },
        trust: 'file:my-app-ca.pem',
      },
      redirectUris: [`${app.origin}/callback`],
      port: await freePort(),
    }
    writeFileSync(file, stringify(described))
    const info = place('bank.yaml')
    const bank = assay(['bank', '--tpp', file, '--info', info])
    await until(() => bank.written().includes('Ctrl-C ends it'), bank)
    app.configure(configured(documentIn(info)))
    interrupt(bank)
    expect((await bank.ended).code).toBe(0)

    const out = place('certified')
    const only = ['TGEN-01/reads-everything', 'TIDT-03/issuer', 'TAUT-03']
    const { code, stdout } = await assay(['tpp', '--tpp', file, '--out', out, '--only', ...only])
      .ended
    expect([code, stdout]).toEqual([0, expect.stringContaining('CONFORMANT')])
    const { checks } = reportOf(out)
    expect(checks.map(({ outcome }) => outcome)).toEqual(['pass', 'pass', 'pass'])
    await app.close()
  },
  240_000,
)

test('a bank that was killed knows its clients, consents and tokens when it is back', async () => {
  const state = place('state')
  const port = String(await freePort())
  const info = place('kept.yaml')
  const up = async () => {
    const bank = assay(['bank', '--state', state, '--port', port, '--info', info])
    await until(() => bank.written().includes('Ctrl-C ends it'), bank)
    return bank
  }
  const customers = await openCustomers()
  const ask = async (goal: Briefing['goal']) => {
    const document = documentIn(info)
    const { visit, leave } = customers.admit(document, 'approve')
    const customer = { visit, username: '', password: '', decision: 'approve', cardEnding: '' }
    const customerPresent = goal === 'connect'
    const briefing = { ...configured(document), goal, folder, customer, customerPresent }
    await pursue(briefing as Briefing, right).finally(leave)
  }

  const first = await up()
  await ask('connect')
  const kept = join(state, 'bank.json')
  await until(() => existsSync(kept) && /"AccessToken /.test(readFileSync(kept, 'utf8')), first)
  first.child.kill('SIGKILL')
  await first.ended
  const again = await up()
  await ask('read')
  interrupt(again)
  expect((await again.ended).code).toBe(0)
  await customers.close()
}, 120_000)

test('a program that is not there is not conformant, whatever is asked of it', async () => {
  const client = { driver: 'command', command: ['node', 'nosuch.mjs'] }
  const file = place('nosuch.yaml')
  writeFileSync(file, stringify({ name: 'nosuch', client }))
  const asked = ['tpp', '--tpp', file, '--out', place('nosuch'), '--only', 'TGEN-01']
  const { code, stdout } = await assay(asked).ended
  expect([code, stdout]).toEqual([3, expect.stringContaining('could not load the program')])
  expect(reportOf(place('nosuch')).verdict).toBe('incomplete')
}, 60_000)

test('assay bank faults and variants: a line each; a mistyped name is told the nearest', async () => {
  const lines: string[] = []
  const log = vi.spyOn(console, 'log').mockImplementation((line: string) => lines.push(line))
  const count = vi.spyOn(console, 'error').mockImplementation(() => {})
  await listAlterations('variants')
  await listAlterations('faults')
  log.mockRestore()
  count.mockRestore()
  const known = [...(await loadVariants()), ...(await loadFaults())]
  expect(lines.map((line) => line.split(' ')[0])).toEqual(known.map(({ id }) => id))
  for (const line of lines) expect(line).toMatch(/^\S+ +\S.*\S$/)
  expect(() => named('variant', known, ['headers-of-a-gatway'])).toThrow(
    'no variant is called headers-of-a-gatway. Did you mean headers-of-a-gateway?',
  )
  await expect(listAlterations('variantes')).rejects.toThrow(
    'unknown word variantes, did you mean variants?',
  )
})
