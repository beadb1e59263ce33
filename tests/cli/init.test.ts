import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { type Asker, answersTo, init } from '../../cli/init.ts'
import { questions } from '../../cli/init-questions.ts'
import { pemOf, signingKeys, softwareStatement } from '../configuration/documents.ts'
import { loadTarget } from '../configuration/load-target.ts'
import { authority } from '../wire/certificates.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-init-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

const ca = await authority('directory')
const transport = await ca.issue('first')
const here = (name: string) => join(folder, name)
for (const prefix of ['', 'second-']) {
  writeFileSync(here(`${prefix}transport.pem`), transport.certificate)
  writeFileSync(here(`${prefix}transport.key`), transport.key)
  writeFileSync(here(`${prefix}signing.key`), pemOf(signingKeys.first))
  writeFileSync(here(`${prefix}statement.jwt`), softwareStatement)
}
writeFileSync(here('ca.pem'), ca.certificate)
copyFileSync('tests/configuration/fixtures/client.p12', here('client.p12'))

const files = {
  certificate: here('transport.pem'),
  key: here('transport.key'),
  signingKey: here('signing.key'),
  statement: here('statement.jwt'),
  kid: 'k1',
  redirectUris: 'https://tpp.example/callback, https://tpp.example/other',
}
const production = {
  baseUrl: 'https://api.bank.example',
  authUrl: 'https://auth.bank.example',
  discoveryUrl: 'https://auth.bank.example',
}

function quietly() {
  const said: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line: string) => void said.push(line))
  return said
}

test('flags make a production target that loads', async () => {
  const said = quietly()
  const out = here('production.yaml')
  await init({
    out,
    name: 'staging',
    ...production,
    ...files,
    productApiUrl: 'https://products.bank.example',
    trust: here('ca.pem'),
    proxy: 'http://127.0.0.1:3128',
    fundsScope: 'fundsconfirmations',
    secondCertificate: here('second-transport.pem'),
    secondKey: here('second-transport.key'),
    secondSigningKey: here('second-signing.key'),
    secondKid: 'k2',
    secondStatement: here('second-statement.jwt'),
    secondRedirectUris: 'https://other.example/callback',
    driver: 'http',
    customerVariable: 'CUSTOMER',
    passwordVariable: 'CUSTOMER_PASSWORD',
  })
  expect(said).toEqual([
    'Set these variables: CUSTOMER, CUSTOMER_PASSWORD',
    `Next: assay doctor --target ${out}`,
  ])
  const target = await loadTarget(out, { CUSTOMER: 'anna', CUSTOMER_PASSWORD: 'p' })
  expect(target.layout).toBe('production')
  expect(target.endpoints.token).toBe('https://api.bank.example/open-banking/oauth/token')
  expect(target.clients.first.redirectUris).toHaveLength(2)
  expect(target.clients.second?.signing.kid).toBe('k2')
  expect(target.document.customers.first.credentials).toEqual({ username: 'anna', password: 'p' })
  expect([...target.absent]).toEqual(['second-customer'])
  expect(target.trust).toHaveLength(1)
})

test('flags make a sandbox target with PKCS#12, a client_id and a person', async () => {
  quietly()
  const out = here('sandbox.yaml')
  await init({
    out,
    layout: 'sandbox',
    sandboxDiscoveryUrl: 'https://auth.sandbox.example',
    sandboxApiUrl: 'https://api.sandbox.example',
    sandboxRegistrationUrl: 'https://register.sandbox.example',
    sandboxTokenUrl: 'https://token.sandbox.example',
    pkcs12: here('client.p12'),
    passphraseVariable: 'PASSPHRASE',
    signingKey: here('signing.key'),
    kid: 'k1',
    clientId: 'c1',
    redirectUris: 'https://tpp.example/callback',
  })
  expect(readFileSync(out, 'utf8')).not.toContain('canary')
  const target = await loadTarget(out, { PASSPHRASE: 'canary-passphrase' })
  expect(target.endpoints.token).toBe('https://token.sandbox.example:4201/token')
  expect(target.document.authorisation.driver).toBe('ask')
  expect(target.absent.has('registration')).toBe(true)
})

test.each(['ask', 'http', 'browser', 'command'])('--yes with driver %s loads', async (driver) => {
  quietly()
  const out = here(`yes-${driver}.yaml`)
  await init({ out, yes: true, driver, ...files })
  const target = await loadTarget(out, {
    MY_BANK_BASE_URL: 'https://api.bank.example',
    MY_BANK_AUTH_URL: 'https://auth.bank.example',
    MY_BANK_DISCOVERY_URL: 'https://auth.bank.example',
    MY_BANK_CUSTOMER: 'anna',
    MY_BANK_CUSTOMER_PASSWORD: 'p',
  })
  expect(target.name).toBe('my-bank')
})

test('the schema line leads to the schema', async () => {
  quietly()
  const out = here('schema.yaml')
  await init({ out, yes: true })
  const [line = ''] = readFileSync(out, 'utf8').split('\n')
  const path = line.replace('# yaml-language-server: $schema=', '')
  expect(resolve(folder, path)).toBe(resolve('schemas/assay/target.schema.json'))
})

test('a file that is there is kept, unless --force', async () => {
  quietly()
  const out = here('kept.yaml')
  writeFileSync(out, 'mine')
  await expect(init({ out, yes: true })).rejects.toThrow('is there already; --force overwrites it')
  expect(readFileSync(out, 'utf8')).toBe('mine')
  await init({ out, yes: true, force: true })
  expect(readFileSync(out, 'utf8')).toContain('name: my-bank')
})

test('without a terminal and without --yes it says which flags are missing', async () => {
  const all = answersTo({ ...{ 'client-id': 'c' } }, { defaults: false })
  await expect(all).rejects.toThrow(
    'Give --base-url, --auth-url, --discovery-url, --certificate, --key, --signing-key, --kid, --redirect-uris; or --yes',
  )
})

test.each([
  ['layout', 'staging', '--layout is one of production, sandbox, not "staging"'],
  ['base-url', 'api.bank.example', '--base-url is a whole address that begins with https://'],
  ['passphrase-variable', 'hunter 2', 'is the name of an environment variable, never the secret'],
])('a flag that cannot be meant: %s', async (name, value, message) => {
  await expect(answersTo({ [name]: value }, { defaults: true })).rejects.toThrow(message)
})

test('on a terminal: defaults are shown, mistakes are asked again, flags are not', async () => {
  const asked: string[] = []
  const said: string[] = []
  const replies: Record<string, string[]> = {
    layout: ['staging', 'sandbox'],
    'sandbox-token-url': ['token', 'https://token.sandbox.example'],
  }
  const asker: Asker = {
    async ask(text) {
      const question = questions.find(({ ask }) => text.startsWith(ask))
      asked.push(text)
      return replies[question?.name ?? '']?.shift() ?? ''
    },
    say: (line) => void said.push(line),
    close() {},
  }
  const answers = await answersTo({ name: 'shore', kid: 'k9' }, { asker, defaults: false })
  expect(answers).toMatchObject({
    name: 'shore',
    kid: 'k9',
    layout: 'sandbox',
    'sandbox-token-url': 'https://token.sandbox.example',
    'sandbox-api-url': `\${SHORE_SANDBOX_API_URL}`,
    driver: 'ask',
  })
  expect(asked.some((text) => text.startsWith('short name'))).toBe(false)
  expect(asked).toContain(`{sandbox_api_url} [\${SHORE_SANDBOX_API_URL}]: `)
  expect(said).toEqual([
    '  this is one of production, sandbox',
    `  this is a whole address that begins with https://, or \${NAME}`,
  ])
  expect(asked.filter((text) => /second client/.test(text))).toHaveLength(1)
})

test('no question asks for a secret', () => {
  for (const { name, wrong } of questions.filter((each) => /pass(phrase|word)/.test(each.name))) {
    expect(name).toMatch(/-variable$/)
    expect(wrong?.('S3cret! not a name')).toContain('never the secret itself')
  }
})
