import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { connect } from 'node:net'
import { expect, test } from 'vitest'
import { startBank } from '../../bank/bank.ts'
import { directoryOfFile, open, shut } from './opened.ts'

const directory = await directoryOfFile()

test('a bank closes although somebody has begun to connect, and says nothing', async () => {
  const bank = await startBank({ directory })
  const { port } = new URL(String(bank.addresses.base_url))
  const socket = connect(Number(port), '127.0.0.1')
  await once(socket, 'connect')
  const ended = once(socket, 'close')
  await bank.close()
  await ended
})

test('twenty banks at once, each with its own clients and consents', async () => {
  const banks = await Promise.all(Array.from({ length: 20 }, () => open({ directory })))
  const approved = await Promise.all(banks.map(({ first }) => first.approved()))
  const [one, two] = banks
  const bearer = approved[0]?.bearer ?? ''
  expect((await one?.first.call('/aisp/accounts', { bearer }))?.status).toBe(200)
  expect((await two?.first.call('/aisp/accounts', { bearer }))?.status).toBe(401)
  for (const { bank } of banks) expect(bank.problems).toEqual([])
  await Promise.all(banks.map(shut))
}, 60_000)

test('a process that closes its bank ends, having printed nothing', async () => {
  const script = `
    import { startBank } from './bank/bank.ts'
    const bank = await startBank()
    const { request, Agent } = await import('undici')
    const dispatcher = new Agent({ connect: { ca: bank.target.trust } })
    const url = bank.addresses.discovery_url + '/.well-known/openid-configuration'
    const { body } = await request(url, { dispatcher })
    await body.dump()
    await bank.close()
    await dispatcher.destroy()
  `
  const node = spawn(process.execPath, ['--import', 'tsx', '--input-type=module', '--eval', script])
  let printed = ''
  node.stdout.on('data', (chunk) => {
    printed += chunk
  })
  node.stderr.on('data', (chunk) => {
    printed += chunk
  })
  const [code] = await once(node, 'close')
  expect([code, printed]).toEqual([0, ''])
}, 120_000)
