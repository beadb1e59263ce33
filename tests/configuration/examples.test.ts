import { copyFileSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { afterAll, expect, test } from 'vitest'
import { readTargetFile } from '../../engine/configuration/load.ts'
import { authority } from '../wire/certificates.ts'
import { pemOf, signingKeys, softwareStatement, statementOf } from './documents.ts'
import { loadTarget } from './load-target.ts'

const secrets = mkdtempSync(join(tmpdir(), 'assay-examples-'))
afterAll(() => rmSync(secrets, { recursive: true }))

const schema = JSON.parse(readFileSync('schemas/assay/target.schema.json', 'utf8'))

test('the default is the reference bank', async () => {
  expect(await readTargetFile('config/embedded.yaml', {})).toEqual({
    kind: 'embedded',
    options: { name: 'embedded' },
  })
})

test('the staging example loads once its secrets are there', async () => {
  const ca = await authority('directory')
  for (const name of ['first', 'second'] as const) {
    const { certificate, key } = await ca.issue(name)
    writeFileSync(join(secrets, `${name}-transport.pem`), certificate)
    writeFileSync(join(secrets, `${name}-transport.key`), key)
    writeFileSync(join(secrets, `${name}-signing.key`), pemOf(signingKeys[name]))
    const statement = name === 'first' ? softwareStatement : statementOf('software2')
    writeFileSync(join(secrets, `${name}-statement.jwt`), statement)
  }
  const target = await loadTarget('config/example.staging.yaml', {
    STAGING_SECRETS: secrets,
    STAGING_FIRST_KID: 'k1',
    STAGING_SECOND_KID: 'k2',
    STAGING_CUSTOMER: 'anna',
    STAGING_CUSTOMER_PASSWORD: 'p1',
    STAGING_OTHER_CUSTOMER: 'ben',
    STAGING_OTHER_CUSTOMER_PASSWORD: 'p2',
  })
  expect(target.layout).toBe('production')
  expect(target.clients.second?.signing.kid).toBe('k2')
})

test('the sandbox example loads once its secrets are there', async () => {
  copyFileSync('tests/configuration/fixtures/client.p12', join(secrets, 'transport.p12'))
  const jwk = JSON.stringify(signingKeys.first.export({ format: 'jwk' }))
  writeFileSync(join(secrets, 'signing.jwk'), jwk)
  const target = await loadTarget('config/example.sandbox.yaml', {
    SANDBOX_SECRETS: secrets,
    SANDBOX_PASSPHRASE: 'canary-passphrase',
    SANDBOX_KID: 'k',
    SANDBOX_CLIENT_ID: 'c',
  })
  expect(target.layout).toBe('sandbox')
})

test.each(['embedded', 'example.staging', 'example.sandbox'])('%s names its schema', (name) => {
  expect(readFileSync(`config/${name}.yaml`, 'utf8').split('\n')[0]).toBe(
    '# yaml-language-server: $schema=../schemas/assay/target.schema.json',
  )
})

test('the schema tells the two kinds of file apart, as an editor does', () => {
  const validate = new Ajv2020({ strict: true, allErrors: true }).compile(schema)
  expect(validate({ bank: 'embedded' })).toBe(true)
  expect(validate({ bank: 'embedded', addresses: {} })).toBe(false)
  expect(validate({})).toBe(false)
})

test('every member of the schema has a description', () => {
  const lacking: string[] = []
  const walk = (node: unknown, path: string) => {
    if (typeof node !== 'object' || node === null) return
    const { properties } = node as { properties?: Record<string, { description?: string }> }
    for (const [name, member] of Object.entries(properties ?? {})) {
      if (!member.description) lacking.push(`${path}/${name}`)
    }
    for (const [name, member] of Object.entries(node)) {
      // Conditions speak of members that are described where they are defined.
      if (!['if', 'then', 'else'].includes(name)) walk(member, `${path}/${name}`)
    }
  }
  walk(schema, '')
  expect(lacking).toEqual([])
})
