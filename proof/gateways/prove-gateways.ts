import { spawn } from 'node:child_process'
import { once } from 'node:events'
import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { createServer } from 'node:net'
import { tmpdir } from 'node:os'
import { delimiter, isAbsolute, join } from 'node:path'
import { setTimeout as wait } from 'node:timers/promises'
import { stringify } from 'yaml'
import { startBank } from '../../bank/bank.ts'
import { createDirectory, type Directory } from '../../bank/directory/directory.ts'
import type { Bank } from '../../bank/running-bank.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Whose } from '../../engine/report/report.ts'
import { assay } from '../run/assay.ts'
import { reportIn } from '../situations/judge-situation.ts'
import type { Gateway, Place, Program } from './gateway.ts'
import { RIGHT } from './right-gateways.ts'
import { WRONG } from './wrong-gateways.ts'

export const GATEWAYS: readonly Gateway[] = [...RIGHT, ...WRONG]

/** A gateway, how `assay run` judged the bank behind it, and what is wrong with that. */
export interface GatewayProof {
  gateway: Gateway
  /** Absent when it was not tried because a program is missing. */
  taken?: { exit: number | null; whose?: Whose; title?: string; ids: string[]; seconds: number }
  lacks?: string
  complaints: string[]
}

/**
 * Judges a correct bank behind each gateway, one after the other.
 *
 * @param tell called with each proof as soon as it is known.
 */
export async function proveGateways(
  gateways: readonly Gateway[],
  tell: (proof: GatewayProof) => void,
): Promise<GatewayProof[]> {
  const directory = await createDirectory()
  const proofs: GatewayProof[] = []
  try {
    for (const gateway of gateways) {
      const lacks = gateway.needs.find((name) => !isThere(name))
      const proof = lacks ? { gateway, lacks, complaints: [] } : await prove(gateway, directory)
      proofs.push(proof)
      tell(proof)
    }
    return proofs
  } finally {
    await directory.close()
  }
}

/** Programs for administrators are in folders outside a user's PATH. */
const FOLDERS = [...(process.env.PATH ?? '').split(delimiter), '/usr/sbin', '/usr/local/sbin']

const whereIs = (name: string): string | undefined =>
  isAbsolute(name)
    ? name
    : FOLDERS.map((folder) => join(folder, name)).find((file) => existsSync(file))

const isThere = (name: string): boolean => whereIs(name) !== undefined

async function prove(gateway: Gateway, directory: Directory): Promise<GatewayProof> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-gateway-'))
  const ports = await freePorts(12)
  const outside = ports[0] ?? 0
  const bank = await startBank({ directory, behindGateway: `https://127.0.0.1:${outside}` })
  const place = placeOf(bank, folder, ports.slice(bank.listeners.length))
  const programs = gateway.write(place).map((program) => started(program))
  try {
    for (const port of programs.flatMap((each) => each.ports)) {
      const why = await listening(port, programs, folder)
      if (why) return { gateway, complaints: [why] }
    }
    const document = structuredClone(bank.target) as TargetDocument
    Object.assign(document, { name: 'staging', timeout: 3 })
    gateway.target?.(document, place)
    const file = join(folder, 'target.yaml')
    const out = join(folder, 'out')
    writeFileSync(file, stringify(document, { lineWidth: 0 }), { mode: 0o600 })
    const began = Date.now()
    const only = gateway.only ? ['--only', ...gateway.only] : []
    const { exit, said } = await assay(['run', '--target', file, '--out', out, ...only], folder, {
      patience: 400_000,
    })
    const seconds = (Date.now() - began) / 1000
    const [cause, ...others] = reportIn(out)?.causes ?? []
    const ids = [cause, ...others].flatMap((each) => each?.findings ?? [])
    const taken = {
      ...{ exit, ids, seconds },
      ...(cause && { whose: cause.whose, title: cause.title }),
    }
    return { gateway, taken, complaints: complaintsOf(gateway, taken, said) }
  } finally {
    for (const { end } of programs) await end()
    await bank.close()
    rmSync(folder, { recursive: true, force: true })
  }
}

function complaintsOf(
  { expects }: Gateway,
  { exit, whose, title, ids }: NonNullable<GatewayProof['taken']>,
  said: string,
): string[] {
  const missing = (expects.ids ?? []).filter((id) => !ids.includes(id))
  const allowed = expects.whose ?? []
  return [
    ...(expects.exit.includes(exit ?? -1)
      ? []
      : [`exit code ${exit}, not ${expects.exit.join(' or ')}: ${title ?? said.slice(-500)}`]),
    ...(whose && !allowed.includes(whose)
      ? [`of the ${whose} (${title}), not ${allowed.join(' or ') || 'anybody'}`]
      : []),
    ...missing.map((id) => `${id} does not fail`),
    ...(expects.words && !expects.words.test(said) ? [`does not say ${expects.words}`] : []),
  ]
}

/** What a gateway gets from the bank and its directory, as files. */
function placeOf({ listeners, services }: Bank, folder: string, free: number[]): Place {
  const { certificate, key } = services.directory.server
  const file = (name: string, text: string) => {
    const path = join(folder, name)
    writeFileSync(path, text, { mode: 0o600 })
    return path
  }
  return {
    folder,
    passages: listeners.map(({ name, mutual, port, address }) => ({
      ...{ name, mutual, inside: port },
      outside: Number(new URL(address).port),
    })),
    server: {
      certificate: file('server.pem', certificate),
      key: file('server.key', key),
      both: file('both.pem', certificate + key),
    },
    clients: file('clients.pem', services.directory.transportAuthorities.join('')),
    freePort() {
      const port = free.shift()
      if (port === undefined) throw new Error('more ports are needed than were looked for')
      return port
    },
  }
}

interface Started {
  ports: readonly number[]
  said(): string
  ended(): boolean
  end(): Promise<void>
}

function started({ command, words, ports }: Program): Started {
  const child = spawn(whereIs(command) ?? command, words, { stdio: ['ignore', 'pipe', 'pipe'] })
  let text = ''
  let over = false
  for (const stream of [child.stdout, child.stderr]) {
    stream.on('data', (chunk: Buffer) => {
      text += chunk.toString('utf8')
    })
  }
  const closed = once(child, 'close').then(() => {
    over = true
  })
  return {
    ports,
    said: () => text,
    ended: () => over,
    async end() {
      child.kill('SIGTERM')
      const kill = setTimeout(() => child.kill('SIGKILL'), 3000)
      await closed
      clearTimeout(kill)
    },
  }
}

/** Waits until the port is open; returns the reason if it is not. */
async function listening(
  port: number,
  programs: readonly Started[],
  folder: string,
): Promise<string | undefined> {
  for (let times = 0; times < 150; times += 1) {
    if (await isTaken(port)) return undefined
    const over = programs.find(({ ended }) => ended())
    if (over) return `a gateway ended at once: ${over.said() || logsIn(folder)}`
    await wait(100)
  }
  return `nothing listens on port ${port}: ${programs.map(({ said }) => said()).join('')}`
}

function logsIn(folder: string): string {
  const logs = ['nginx.log', 'apache.log', 'squid.log'].map((name) => join(folder, name))
  return logs.flatMap((log) => (existsSync(log) ? [readFileSync(log, 'utf8')] : [])).join('')
}

async function isTaken(port: number): Promise<boolean> {
  const server = createServer()
  const taken = await new Promise<boolean>((resolve) => {
    server.once('error', () => resolve(true))
    server.listen(port, '127.0.0.1', () => resolve(false))
  })
  if (!taken) await new Promise((resolve) => server.close(resolve))
  return taken
}

/** This many consecutive free ports. */
async function freePorts(count: number): Promise<number[]> {
  for (;;) {
    const first = 20_000 + Math.floor(Math.random() * 10_000)
    const ports = Array.from({ length: count }, (_, index) => first + index)
    const taken = await Promise.all(ports.map(isTaken))
    if (!taken.includes(true)) return ports
  }
}
