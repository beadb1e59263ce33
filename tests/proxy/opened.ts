import { mkdtempSync } from 'node:fs'
import { connect as connectTcp, type Socket } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { connect as connectTls, type TLSSocket } from 'node:tls'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import type { WatchedLine } from '../../engine/certification/watch.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { openAuthority } from '../../engine/proxy/authority.ts'
import { type JudgedProxy, openJudgedProxy } from '../../engine/proxy/judged-proxy.ts'
import { recordingTarget } from '../../engine/recording/recording-target.ts'
import { loadSuites } from '../../engine/run/suites.ts'
import { root, tppCatalogue, tppSuites } from '../certification/opened.ts'

const catalogue = loadCatalogue()
let suites: ReturnType<typeof loadSuites> | undefined

export interface Proxied {
  proxy: JudgedProxy
  /** PEM of the proxy's authority. */
  trust: string
  lines: WatchedLine[]
  beside: string[]
  out: string
}

/** A proxy of this process before a target. */
export async function openProxied(
  document: TargetDocument,
  options: { pass?: string[] } = {},
): Promise<Proxied> {
  const out = mkdtempSync(join(tmpdir(), 'assay-proxy-'))
  const authority = await openAuthority(join(out, 'authority'))
  const [lines, beside]: [WatchedLine[], string[]] = [[], []]
  suites ??= loadSuites(join(root, 'suites'), catalogue)
  const proxy = await openJudgedProxy({
    target: targetFrom(structuredClone(document)),
    bank: {
      target: recordingTarget(document),
      described: { name: document.name, configurationDigest: '' },
      suites: await suites,
      catalogue,
    },
    tpp: { suites: await tppSuites(), catalogue: tppCatalogue(), name: 'tally' },
    ...{ authority, out, version: '0' },
    listen: { host: '127.0.0.1', port: 0 },
    pass: options.pass ?? [],
    onLine: (line) => lines.push(line),
    onBeside: (text) => beside.push(text),
  })
  return { proxy, trust: authority.certificate, lines, beside, out }
}

/** Asks a proxy for a tunnel; its socket, and what was answered. */
export function tunnelled(proxy: string, authority: string): Promise<[Socket, answer: string]> {
  const { hostname, port } = new URL(proxy)
  const socket = connectTcp({ host: hostname, port: Number(port) })
  socket.on('error', () => {})
  socket.write(`CONNECT ${authority} HTTP/1.1\r\nHost: ${authority}\r\n\r\n`)
  return new Promise((resolve) => {
    socket.once('data', (bytes) => resolve([socket, bytes.toString()]))
    socket.once('close', () => resolve([socket, '']))
  })
}

/** TLS through a tunnel of a proxy, with a certificate if there is one. */
export async function secured(
  { proxy, trust }: Pick<Proxied, 'proxy' | 'trust'>,
  authority: string,
  identity: { cert?: string; key?: string } = {},
): Promise<TLSSocket> {
  const [socket, answer] = await tunnelled(proxy.url, authority)
  if (!answer.startsWith('HTTP/1.1 200 ')) throw new Error(answer)
  const secure = connectTls({ socket, host: '127.0.0.1', ca: trust, ...identity })
  secure.on('error', () => {})
  return secure
}

/** Sends text and reads until the other end closes. */
export function exchanged(socket: TLSSocket, text: string): Promise<string> {
  const parts: Buffer[] = []
  socket.on('data', (part: Buffer) => parts.push(part))
  socket.write(text, 'latin1')
  return new Promise((resolve) =>
    socket.once('close', () => resolve(Buffer.concat(parts).toString('latin1'))),
  )
}
