import { createPrivateKey } from 'node:crypto'
import { existsSync, mkdtempSync, readFileSync, rmSync, statSync, writeFileSync } from 'node:fs'
import { createServer, type Server } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, afterEach, beforeAll, expect, test, vi } from 'vitest'
import { init } from '../../cli/init.ts'
import { beginningFrom } from '../../cli/init-from.ts'
import { listenHere, shut } from '../../engine/authorisation-drivers/loopback-server.ts'
import { addressesFrom } from '../../engine/configuration/addresses.ts'
import { pemOf, signingKeys, softwareStatement } from '../configuration/documents.ts'
import { loadTarget } from '../configuration/load-target.ts'
import { authority } from '../wire/certificates.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-from-'))
afterEach(() => vi.restoreAllMocks())

const ca = await authority('directory')
const transport = await ca.issue('first')
const signing = pemOf(signingKeys.first)
const jwk = { ...createPrivateKey(signing).export({ format: 'jwk' }), kid: 'k-jwk', alg: 'PS256' }

let server: Server
let bank = ''
beforeAll(async () => {
  server = createServer((request, response) => {
    if (request.url !== '/.well-known/openid-configuration') {
      response.writeHead(302, { location: '/elsewhere' }).end()
      return
    }
    response.setHeader('content-type', 'application/json')
    response.end(
      JSON.stringify({
        issuer: bank,
        authorization_endpoint: `${bank}/authorize`,
        token_endpoint: 'https://public.bank.example/open-banking/oauth/token',
        mtls_endpoint_aliases: {
          token_endpoint: 'https://api.bank.example/open-banking/oauth/token',
        },
        registration_endpoint: 'https://register.bank.example/clients',
        scopes_supported: ['openid', 'accounts', 'fundsconfirmations'],
      }),
    )
  })
  bank = await listenHere(server)
})
afterAll(async () => {
  await shut(server)
  rmSync(folder, { recursive: true })
})

const SECRET = 'S3cret-of-the-client'

/** Files as their programs write them, with keys made here. */
const FILES: Record<string, () => unknown> = {
  obie: () => ({
    signing_private: signing,
    signing_public: '-----BEGIN CERTIFICATE-----',
    transport_private: transport.key,
    transport_public: transport.certificate,
    tpp_signature_kid: 'k-obie',
    client_id: 'client-1',
    client_secret: SECRET,
    token_endpoint: 'https://api.bank.example/open-banking/oauth/token',
    authorization_endpoint: 'https://auth.bank.example/authorize',
    resource_base_url: 'https://api.bank.example',
    issuer: bank,
    redirect_url: 'https://tpp.example/callback',
  }),
  model: () => ({
    discoveryModel: {
      name: 'ob-v3.1-generic',
      discoveryItems: [
        {
          apiSpecification: { name: 'Payment Initiation API' },
          resourceBaseUri: 'https://no.example',
        },
        {
          apiSpecification: { name: 'Account and Transaction API Specification' },
          openidConfigurationUri: `${bank}/.well-known/openid-configuration`,
          resourceBaseUri: 'https://api.bank.example/open-banking/v3.1/',
        },
      ],
    },
  }),
  registration: () => ({
    wellknown_endpoint: `${bank}/.well-known/openid-configuration`,
    ssa: softwareStatement,
    kid: 'k-dcr',
    redirect_uris: ['https://tpp.example/callback'],
    private_key: signing,
    transport_root_cas: [ca.certificate],
    transport_cert: transport.certificate,
    transport_key: transport.key,
  }),
  openid: () => ({
    alias: 'My bank: staging',
    server: { discoveryUrl: `${bank}/.well-known/openid-configuration` },
    client: { client_id: 'client-1', scope: 'openid accounts', jwks: { keys: [jwk] } },
    client2: { client_id: 'client-2', jwks: { keys: [{ ...jwk, kid: 'k-two' }] } },
    mtls: {
      cert: transport.certificate.replaceAll('\n', ' '),
      key: transport.key,
      ca: ca.certificate,
    },
    mtls2: { cert: transport.certificate, key: transport.key },
    resource: { resourceUrl: 'https://api.bank.example/open-banking/v3.1/aisp/accounts' },
    browser: [],
  }),
  postman: () => ({
    name: 'Bank (staging)',
    values: [
      { key: 'HOST', value: bank, enabled: true },
      { key: 'WELL-KNOWN', value: '{{HOST}}', enabled: true },
      { key: 'client_id', value: 'turned-off', enabled: false },
      { key: 'ssa_jwt', value: softwareStatement, enabled: true },
      { key: 'OB-SIGNING-KEY-ID', value: 'k-postman', enabled: true },
      { key: 'privateKey', value: signing.replaceAll('\n', '\\n'), enabled: true },
      { key: 'ADMIN_PASSWORD', value: SECRET, enabled: true },
      { key: 'tokenUrl', value: '{{NOWHERE}}/token', enabled: true },
    ],
    _postman_variable_scope: 'environment',
  }),
}

/** `assay init --from` with nobody to ask; what was said, and the target. */
async function begun(name: string, more: Record<string, unknown> = {}) {
  const said: string[] = []
  vi.spyOn(console, 'error').mockImplementation((line: string) => void said.push(line))
  const from = join(folder, `${name}.json`)
  writeFileSync(from, JSON.stringify(FILES[name]?.(), null, 2))
  const out = join(folder, `${name}.yaml`)
  await init({ from, out, yes: true, name, ...more })
  return { said: said.join('\n'), yaml: readFileSync(out, 'utf8'), out }
}

test('a configuration of the OBIE functional suite', async () => {
  const { said, yaml, out } = await begun('obie')
  const target = await loadTarget(out, {})
  const { first } = target.document.clients
  expect(first).toMatchObject({
    clientId: 'client-1',
    redirectUris: ['https://tpp.example/callback'],
  })
  expect(first.signing.kid).toBe('k-obie')
  expect(target.endpoints.discovery).toBe(`${bank}/.well-known/openid-configuration`)
  expect(target.endpoints.token).toBe('https://api.bank.example/open-banking/oauth/token')
  expect(target.endpoints.aisp).toBe('https://api.bank.example/open-banking/v3.1/aisp')
  expect(said).toContain('not taken  client_secret: clients prove themselves by certificate')
  expect(said).not.toContain('Not found anywhere')
  for (const file of ['transport.key', 'transport.pem', 'signing.key']) {
    expect(statSync(join(folder, 'obie', file)).mode & 0o777, file).toBe(0o600)
    expect(said).toContain(`obie/${file}, mode 600`)
  }
  expect(readFileSync(join(folder, 'obie', '.gitignore'), 'utf8')).toBe('*\n')
  for (const text of [said, yaml]) {
    expect(text).not.toContain(SECRET)
    expect(text).not.toContain('PRIVATE KEY')
    expect(text).not.toContain(signing.split('\n')[2])
  }
})

test('a discovery model of the OBIE functional suite: addresses, and what is missing', async () => {
  const { said } = await begun('model')
  expect(said).toContain('taken      openidConfigurationUri: the discovery document is at')
  expect(said).toContain(
    'taken      resourceBaseUri: https://api.bank.example/open-banking/v3.1/aisp',
  )
  expect(said).toContain(
    'Not found anywhere: --statement, --redirect-uris, --certificate, --key, --signing-key, --kid. Give them',
  )
})

test('a configuration of the OBIE suite of dynamic client registration', async () => {
  const target = await loadTarget((await begun('registration')).out, {})
  expect(target.clients.first.softwareStatement).toBe(softwareStatement)
  expect(target.trust).toHaveLength(1)
  expect(target.document.clients.first.signing.kid).toBe('k-dcr')
})

test('a configuration of the suite of the OpenID Foundation', async () => {
  const { out, said } = await begun('openid', {
    redirectUris: 'https://tpp.example/callback',
    secondRedirectUris: 'https://other.example/callback',
  })
  const target = await loadTarget(out, {})
  const { first, second } = target.document.clients
  expect([first.clientId, first.signing.kid]).toEqual(['client-1', 'k-jwk'])
  expect([second?.clientId, second?.signing.kid]).toEqual(['client-2', 'k-two'])
  expect(first.transport.certificate?.match(/BEGIN CERTIFICATE/g)).toHaveLength(2)
  expect(said).toContain('not taken  browser: its steps are of another form')
})

test('a Postman environment', async () => {
  const { yaml, said } = await begun('postman', { name: undefined })
  expect(yaml).toContain('name: Bank-staging')
  expect(yaml).toContain('kid: k-postman')
  expect(yaml).not.toContain('turned-off')
  expect(yaml).toContain('- https://tpp.example/callback')
  expect(said).toContain('not taken  ADMIN_PASSWORD: a secret')
  expect(said).toContain('not taken  tokenUrl: it names a variable that is not there')
  expect(said).not.toContain(SECRET)
  expect(existsSync(join(folder, 'Bank-staging', 'signing.key'))).toBe(true)
})

test('a discovery address; endpoints for mutual TLS before others, and whole URLs elsewhere', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const out = join(folder, 'discovery.yaml')
  await init({ from: bank, out, yes: true })
  const yaml = readFileSync(out, 'utf8')
  expect(yaml).toContain('base_url: https://api.bank.example\n')
  expect(yaml).toContain(`auth_url: ${bank}\n`)
  expect(yaml).toContain('overrides:\n    registration: https://register.bank.example/clients\n')
  expect(yaml).toContain('fundsConfirmation: fundsconfirmations')
})

test('what keeps a discovery document from being read is one line', async () => {
  const from = `${bank}/.well-known/other`
  await expect(init({ from, yes: true })).rejects.toThrow(
    `${from} cannot be read: the answer is 302, which leads to /elsewhere.`,
  )
  await expect(init({ from: 'http://127.0.0.1:1', yes: true })).rejects.toThrow('ECONNREFUSED')
})

test.each([
  ['nothing.json', undefined, /--from .*nothing\.json can't be read: there is no such file/],
  ['broken.json', '{\n  "client_id": "S3cret" oops', /is not JSON: line 2, column \d+$/],
  ['list.json', '[]', /is not a JSON object$/],
  ['other.json', '{"a":1}', /is of no known form: a configuration of the OBIE/],
  ['target.yaml', 'name: bank\naddresses: {}\n', /is a target file already: npx assay doctor/],
])('--from %s is refused in one line', (name, text, says) => {
  const file = join(folder, name)
  if (text !== undefined) writeFileSync(file, text)
  expect(() => beginningFrom(file)).toThrow(says)
})

test('keys are written nowhere but beside a target file, and over nothing', async () => {
  vi.spyOn(console, 'error').mockImplementation(() => {})
  const from = join(folder, 'again.json')
  writeFileSync(from, JSON.stringify(FILES.obie?.()))
  await init({ from, out: join(folder, 'twice.yaml'), yes: true, name: 'twice' })
  await expect(init({ from, yes: true })).rejects.toThrow('give --out FILE')
  const out = join(folder, 'third.yaml')
  await expect(init({ from, out, yes: true, name: 'twice' })).rejects.toThrow(
    /twice\/transport\.pem is there already: name the bank otherwise with --name/,
  )
  expect(existsSync(out)).toBe(false)
})

test('half a key is not taken', () => {
  const file = join(folder, 'half.json')
  writeFileSync(
    file,
    JSON.stringify({ signing_private: '-----BEGIN PRIVATE KEY-----', client_id: '' }),
  )
  const { says, beside } = beginningFrom(file)
  expect(beside).toEqual([])
  expect(says).toContain('  not taken  signing_private: it holds no whole private key')
})

test('addresses are the reverse of endpoints, in the layout that fits better', () => {
  const sandbox = {
    discovery: 'https://auth.sandbox.example/.well-known/openid-configuration',
    token: 'https://token.sandbox.example:4201/token',
    registration: 'https://r.sandbox.example:4501/dynamic-client-registration/v3.1/register',
  }
  expect(addressesFrom(sandbox)).toEqual({
    layout: 'sandbox',
    placeholders: {
      sandbox_discovery_url: 'https://auth.sandbox.example',
      sandbox_token_url: 'https://token.sandbox.example:4201',
      sandbox_registration_url: 'https://r.sandbox.example:4501',
    },
    overrides: {},
  })
  const split = { token: 'https://as.example/t', aisp: 'https://rs.example/open-banking/v3.1/aisp' }
  expect(addressesFrom(split)).toEqual({
    layout: 'production',
    placeholders: { base_url: 'https://rs.example' },
    overrides: { token: 'https://as.example/t' },
  })
})
