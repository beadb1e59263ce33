import { createPublicKey } from 'node:crypto'
import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { homedir, tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { afterAll, afterEach, expect, test, vi } from 'vitest'
import { init } from '../../cli/init.ts'
import { answersTo } from '../../cli/init-answers.ts'
import { atHome } from '../../cli/init-look.ts'
import { questions } from '../../cli/init-questions.ts'
import { type Asker, BACK } from '../../cli/init-terminal.ts'
import { claimsOf } from '../../engine/wire/jwt-decode.ts'
import { pemOf, signingKeys, softwareStatement, statementOf } from '../configuration/documents.ts'
import { loadTarget } from '../configuration/load-target.ts'
import { authority } from '../wire/certificates.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-init-'))
afterAll(() => rmSync(folder, { recursive: true }))
afterEach(() => vi.restoreAllMocks())

const ca = await authority('directory')
const transport = await ca.issue('first')
const here = (name: string) => join(folder, name)
for (const [prefix, software] of [
  ['', 'software1'],
  ['second-', 'software2'],
] as const) {
  writeFileSync(here(`${prefix}transport.pem`), transport.certificate)
  writeFileSync(here(`${prefix}transport.key`), transport.key)
  writeFileSync(here(`${prefix}signing.key`), pemOf(signingKeys.first))
  writeFileSync(here(`${prefix}statement.jwt`), statementOf(software))
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
    `Next: npx assay doctor --target ${out}`,
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
    'Give --base-url, --auth-url, --discovery-url, --redirect-uris, --certificate, --key, --signing-key, --kid; or --yes',
  )
})

test.each([
  ['layout', 'staging', '--layout is one of production, sandbox, not "staging"'],
  ['base-url', 'api.bank.example', '--base-url is a whole address that begins with https://'],
  ['passphrase-variable', 'hunter 2', 'is the name of an environment variable, never the secret'],
])('a flag that cannot be meant: %s', async (name, value, message) => {
  await expect(answersTo({ [name]: value }, { defaults: true })).rejects.toThrow(message)
})

/** Answers by the name of the question; of several, the first at its first time. An empty one is the default. */
function person(replies: Record<string, (string | typeof BACK)[]>) {
  const put: string[] = []
  const said: string[] = []
  const asker: Asker = {
    async ask({ words, otherwise, wrong }) {
      const { name = '' } = questions.find(({ ask }) => ask === words) ?? {}
      put.push(name)
      for (;;) {
        const reply = replies[name]?.shift() ?? ''
        if (reply === BACK) return BACK
        const complaint = wrong?.(reply || otherwise)
        if (complaint === undefined) return reply || otherwise
        said.push(`${name} ${complaint}`)
      }
    },
    async confirm(words) {
      put.push(words)
      return replies[words]?.shift() !== 'no'
    },
    say: (line) => void said.push(line),
    close() {},
  }
  return { asker, put, said }
}

test('on a terminal: defaults are offered, mistakes are asked again, flags are not', async () => {
  const { asker, put, said } = person({
    layout: ['staging', 'sandbox'],
    'sandbox-token-url': ['token', 'https://token.sandbox.example'],
  })
  const { answers } = await answersTo({ name: 'shore', kid: 'k9' }, { asker, defaults: false })
  expect(answers).toMatchObject({
    name: 'shore',
    kid: 'k9',
    layout: 'sandbox',
    'sandbox-token-url': 'https://token.sandbox.example',
    'sandbox-api-url': `\${SHORE_SANDBOX_API_URL}`,
    driver: 'ask',
  })
  expect(put).not.toContain('name')
  expect(said.slice(0, 2)).toEqual([
    'layout is one of production, sandbox',
    `sandbox-token-url is a whole address that begins with https://, or \${NAME}`,
  ])
  expect(put.filter((name) => /^second-(?!customer)/.test(name))).toEqual(['second-client'])
})

test('a step back offers what was answered, and forgets what followed from it', async () => {
  const { asker, put } = person({
    name: ['first', 'second'],
    trust: [BACK],
    layout: ['sandbox', 'production'],
    'sandbox-discovery-url': [BACK],
    'base-url': ['https://api.bank.example'],
    'auth-url': [BACK],
  })
  const { answers } = await answersTo({}, { asker, defaults: false })
  expect(put.slice(0, 12)).toEqual([
    ...['name', 'trust', 'name', 'trust', 'proxy', 'discovery'],
    ...['layout', 'sandbox-discovery-url', 'layout', 'base-url', 'auth-url', 'base-url'],
  ])
  expect(answers).toMatchObject({ name: 'second', 'base-url': 'https://api.bank.example' })
  expect(answers).not.toHaveProperty('sandbox-discovery-url')
})

test('redirect URIs come from the statement, the kid from the JWK', async () => {
  writeFileSync(here('signing.jwk'), JSON.stringify({ kty: 'RSA', kid: 'k77', n: 'x', e: 'AQAB' }))
  const { asker, put, said } = person({
    statement: [here('statement.jwt')],
    'signing-key': [here('signing.jwk')],
  })
  const { answers } = await answersTo({}, { asker, defaults: false })
  const { software_redirect_uris: uris, software_id: software } = claimsOf(softwareStatement) ?? {}
  expect(answers['redirect-uris']).toBe((uris as string[]).join(', '))
  expect(answers.kid).toBe('k77')
  expect(said.join()).toContain(`Software statement: software ${software}`)
  expect(put).not.toContain('signing-passphrase-variable')
  expect(put).not.toContain('jwks')
})

test('of a PEM the kid is looked up in the JWKS, or asked for with where it is shown', async () => {
  const { n } = createPublicKey(pemOf(signingKeys.first)).export({ format: 'jwk' })
  const keys = [
    { kty: 'RSA', kid: 'other' },
    { kty: 'RSA', kid: 'k88', n },
  ]
  writeFileSync(here('jwks.json'), JSON.stringify({ keys }))
  const { asker, said } = person({
    'signing-key': [here('signing.key')],
    jwks: [here('jwks.json')],
  })
  const { answers } = await answersTo({}, { asker, defaults: false })
  expect(answers.kid).toBe('k88')
  expect(said.join()).toContain('The directory shows it as KID beside the signing certificate')
})

test('what the files say is read where nobody is asked, too', async () => {
  const said = quietly()
  const out = here('read.yaml')
  await init({
    out,
    ...production,
    ...files,
    redirectUris: undefined,
    accounts: '1',
    cardEnding: '0004',
  })
  const { software_redirect_uris: uris } = claimsOf(softwareStatement) ?? {}
  const target = await loadTarget(out, {})
  expect(target.clients.first.redirectUris).toEqual(uris)
  expect(target.document.customers.first).toMatchObject({ accounts: 1, cardEnding: '0004' })
  expect(target.absent.has('second-account')).toBe(true)
  expect(said[0]).toContain('read       redirect-uris: ')
})

test('no question asks for a secret', () => {
  for (const { name, wrong } of questions.filter((each) => /pass(phrase|word)/.test(each.name))) {
    expect(name).toMatch(/-variable$/)
    expect(wrong?.('S3cret! not a name')).toContain('never the secret itself')
  }
})

test('a path below the home folder is read as a shell reads it', () => {
  expect(atHome('~/keys/first.pem')).toBe(join(homedir(), 'keys/first.pem'))
  expect(atHome('~keys/first.pem')).toBe('~keys/first.pem')
})
