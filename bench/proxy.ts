/**
 * node dist/bench/proxy.js TARGET: the latency that `assay proxy` adds to a request, in milliseconds. Alternates the
 * same request directly to the bank and through the proxy, on a kept connection and on a new one for each request. Bank
 * and proxy are separate processes, and the proxy judges the traffic. Prints one line of JSON.
 */
import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { dirname, join } from 'node:path'
import { Agent, type Dispatcher, ProxyAgent, request } from 'undici'
import { readTargetFile } from '../engine/configuration/load.ts'
import { median } from './starts.ts'

/** Number of requests each way on kept and new connections, and of warm-up requests before them. */
const KEPT = 400
const NEW = 80
const WARM = 40

const [file = ''] = process.argv.slice(2)
const read = await readTargetFile(file)
if (read.kind !== 'bank') throw new Error(`${file} describes no bank`)
const { trust, clients, endpoints } = read.target
const out = mkdtempSync(join(tmpdir(), 'assay-bench-'))
const cli = join(import.meta.dirname, '..', 'cli', 'main.js')
const words = ['proxy', '--target', file, '--listen', '127.0.0.1:0', '--out', out]
const proxy = spawn(process.execPath, [cli, ...words], { stdio: ['ignore', 'pipe', 'inherit'] })
let said = ''
proxy.stdout.on('data', (part) => {
  said += part
})
while (!said.includes('Ctrl-C ends it')) await once(proxy.stdout, 'data')
const uri = /HTTPS_PROXY=(\S+)/.exec(said)?.[1] ?? ''
const authority = readFileSync(join(dirname(file), '.assay', 'proxy', 'authority.pem'), 'utf8')
const { certificate: cert, key } = clients.first.transport
const identity = { cert, key }

const straight = () => new Agent({ connect: { ca: trust, ...identity } })
const through = () => new ProxyAgent({ uri, requestTls: { ca: authority, ...identity } })

/** Milliseconds for one request and its whole answer. */
async function timed(dispatcher: Dispatcher): Promise<number> {
  const began = performance.now()
  const answer = await request(endpoints.products, {
    dispatcher,
    headers: { accept: 'application/json', 'content-type': 'application/json' },
  })
  await answer.body.text()
  if (answer.statusCode !== 200) throw new Error(`products: ${answer.statusCode}`)
  return performance.now() - began
}

/** Alternates the ways, so that other load on the machine slows both equally. */
async function compared(count: number, ways: (() => Dispatcher)[], isNew: boolean) {
  const kept = ways.map((open) => open())
  const times: number[][] = ways.map(() => [])
  for (let at = -WARM; at < count; at += 1) {
    for (const [way, open] of ways.entries()) {
      const dispatcher = isNew ? open() : kept[way]
      if (!dispatcher) continue
      const time = await timed(dispatcher)
      if (isNew) await dispatcher.destroy()
      if (at >= 0) times[way]?.push(time)
    }
  }
  for (const each of kept) await each.destroy()
  const [direct = 0, proxied = 0] = times.map(median)
  return { direct, proxied, added: proxied - direct }
}

const kept = await compared(KEPT, [straight, through], false)
const fresh = await compared(NEW, [straight, through], true)
proxy.kill('SIGINT')
await once(proxy, 'exit')
rmSync(out, { recursive: true, force: true })
console.log(JSON.stringify({ kept, fresh }))
