import { createPrivateKey, X509Certificate } from 'node:crypto'
import { readFileSync } from 'node:fs'
import { Ajv2020 } from 'ajv/dist/2020.js'
import { expect, test } from 'vitest'
import { startBank } from '../../bank/bank.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { openDirectory } from '../directory.ts'
import { directoryOfFile } from './opened.ts'
import { createTpp } from './tpp.ts'

const directory = await directoryOfFile()

test('the target is one, for both layouts', async () => {
  const file = new URL('../../schemas/assay/target.schema.json', import.meta.url)
  const schema = JSON.parse(readFileSync(file, 'utf8')) as Record<string, unknown>
  const valid = new Ajv2020({ strict: false, logger: false }).compile(schema)
  for (const layout of ['production', 'sandbox'] as const) {
    const bank = await startBank({ directory, settings: { layout } })
    const document: TargetDocument = bank.target
    valid(document)
    expect(valid.errors).toBeNull()
    const { transport, signing } = document.clients.first
    const certificate = new X509Certificate(transport.certificate ?? '')
    expect(certificate.checkPrivateKey(createPrivateKey(transport.key ?? ''))).toBe(true)
    expect(createPrivateKey(signing.key).asymmetricKeyType).toBe('rsa')
    await bank.close()
  }
})

test('a base port: the listeners stand on it and those after it', async () => {
  const bank = await startBank({ directory, port: 21_120 })
  const ports = Object.values(bank.addresses).map((address) => Number(new URL(address).port))
  expect(ports).toEqual([21_120, 21_121, 21_122, 21_123])
  const half = startBank({ directory, port: 21_119 })
  await expect(half).rejects.toThrow('EADDRINUSE')
  await bank.close()
  // Nothing is left of the bank that could not start, its first port neither.
  const again = await startBank({ directory, port: 21_119 })
  await again.close()
})

test('customers: two cards, one, and one that was never used', async () => {
  const bank = await startBank({ directory })
  expect(bank.customers.map(({ cards }) => cards.length)).toEqual([2, 1, 1])
  expect(bank.customers[2]?.cards[0]?.transactions).toBe(0)
  await bank.close()
})

test('redirect URIs of one’s own', async () => {
  const own = ['https://127.0.0.1:8443/callback', 'https://app.test/return']
  const mine = await openDirectory({ redirectUris: { first: own } })
  const bank = await startBank({ directory: mine })
  const tpp = createTpp(bank)
  expect((await tpp.register()).json.redirect_uris).toEqual(own)
  expect((await tpp.approved()).visit.url).toContain('https://127.0.0.1:8443/callback#code=')
  await tpp.close()
  await bank.close()
  await mine.close()
})
