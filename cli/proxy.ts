import { isIP } from 'node:net'
import { dirname, join, resolve } from 'node:path'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { loadTppSuites } from '../engine/certification/suite.ts'
import { readTppFile } from '../engine/certification/tpp-file.ts'
import type { WatchedLine } from '../engine/certification/watch.ts'
import { openWatchPage } from '../engine/certification/watch-page.ts'
import { type Authority, openAuthority } from '../engine/proxy/authority.ts'
import { authorityOf, partsOf } from '../engine/proxy/host-and-port.ts'
import { openJudgedProxy } from '../engine/proxy/judged-proxy.ts'
import { ASSAY, word } from '../engine/record/program.ts'
import { onEnd } from '../engine/record/signals.ts'
import { recordingTarget } from '../engine/recording/recording-target.ts'
import { complain, say, shown } from '../engine/report/terminal.ts'
import { loadSuites } from '../engine/run/suites.ts'
import { makeFoldersOfBoth, tellBoth } from './both-parties.ts'
import { defaultFolder, holdFolders, SUITES, TPP_SUITES, typed, version } from './folders.ts'
import { type ReadTarget, readTarget } from './open-target.ts'
import { LEVEL_FAIL_ON, oneOf } from './option-values.ts'
import { screen } from './progress.ts'
import { portTaken, UsageError } from './usage.ts'
import { lineText } from './watch.ts'

export interface ProxyOptions {
  target: string
  tpp?: string
  out?: string
  listen: string
  pass?: string[]
  authority?: string
  failOn: string
}

/** `assay proxy`: runs between a TPP and a bank and judges both until Ctrl-C. The exit code says what was broken. */
export async function proxy(options: ProxyOptions): Promise<void> {
  const failOn = oneOf('--fail-on', LEVEL_FAIL_ON, options.failOn)
  const listen = listenOf(options.listen)
  const pass = (options.pass ?? []).map(passedTo)
  const tppName = options.tpp === undefined ? undefined : readTppFile(options.tpp).document.name
  const known = await readTarget(options.target)
  const { read, document } = known
  if (read.kind !== 'bank') throw new UsageError(NO_BANK)
  const out = resolve(options.out ?? defaultFolder(`${document.name}-proxied`))
  const release = holdFolders({ out, name: document.name })
  try {
    const folder = options.authority ?? join(dirname(known.file), '.assay', 'proxy')
    const authority = await openAuthority(resolve(folder))
    await serve(known, { authority, listen, pass, out, failOn, tppName: tppName ?? 'a client' })
  } finally {
    release()
  }
}

const NO_BANK = `--target names no bank: a proxy needs addresses. Write a target file with ${ASSAY} init, or try it with the reference bank: ${ASSAY} bank --port 8443 --info bank.yaml`

interface Serving {
  authority: Authority
  listen: { host: string; port: number }
  pass: string[]
  out: string
  failOn: (typeof LEVEL_FAIL_ON)[number]
  tppName: string
}

async function serve(known: ReadTarget, serving: Serving): Promise<void> {
  const { listen, pass, authority, out } = serving
  const { colour } = screen()
  let show: (line: WatchedLine) => void = () => {}
  const proxy = await openJudgedProxy({
    ...(await partiesOf(known, serving)),
    ...{ authority, listen, pass },
    onLine(line) {
      show(line)
      say(lineText(line, colour))
    },
    onBeside: (text) => complain(shown`${text}`),
  })
    .catch(portTaken((port) => `port ${port} is in use. Name another one with --listen`))
    .catch(notThere(listen))
  const page = await openWatchPage(0, WORDS)
  show = page.show
  // Listen for signals from here on, because the text that is printed next says that Ctrl-C ends the proxy.
  const ended = new Promise<void>((resolve) => {
    onEnd(resolve)
  })
  introduce({ url: proxy.url, page: page.url, authority, listen, hosts: proxy.hosts(), pass })
  await ended
  await page.close()
  const reports = await proxy.finish()
  await tellBoth(reports, proxy.folders, { failOn: serving.failOn, tppName: serving.tppName })
  say(shown`reports ${typed(out)}`)
}

/** Error codes for an address that is not one of this system, or that may not be used. */
const NOT_THERE = ['EADDRNOTAVAIL', 'EACCES', 'ENOTFOUND', 'EAI_AGAIN', 'EINVAL', 'EAFNOSUPPORT']

function notThere({ host, port }: { host: string; port: number }) {
  return (error: NodeJS.ErrnoException): never => {
    if (!NOT_THERE.includes(error.code ?? '')) throw error
    throw new UsageError(`--listen ${host}:${port}: nothing can listen there (${error.code})`)
  }
}

const WORDS = { title: 'What passes between TPP and bank', before: 'Nothing has passed yet.' }

/** The target, and all suites that judge it and the TPP. */
async function partiesOf(
  { read, document, file, configurationDigest }: ReadTarget,
  { out, tppName }: Serving,
) {
  if (read.kind !== 'bank') throw new UsageError(NO_BANK)
  const [ofBank, ofTpp] = [loadCatalogue(), loadCatalogue(undefined, 'TPP')]
  const recorded = recordingTarget(document)
  const tppSuites = await loadTppSuites(TPP_SUITES, ofTpp)
  const suites = await loadSuites(SUITES, ofBank)
  makeFoldersOfBoth(out)
  const { aisp } = recorded.endpoints
  const host = URL.canParse(aisp) && { host: new URL(aisp).host }
  const described = { name: document.name, ...host, environment: recorded.layout }
  return {
    target: read.target,
    bank: {
      ...{ target: recorded, suites, catalogue: ofBank },
      described: { ...described, configurationDigest, file },
    },
    tpp: { suites: tppSuites, catalogue: ofTpp, name: tppName },
    ...{ out, version },
  }
}

function introduce(said: {
  url: string
  page: string
  authority: Authority
  listen: { host: string }
  hosts: string[]
  pass: string[]
}): void {
  const { url, page, authority, listen, hosts, pass } = said
  // The client may start in another folder.
  const file = word(resolve(authority.file))
  if (!isLoopback(listen.host)) {
    complain(
      shown`Warning: ${url} can be reached by other machines, and the bank through it. The TPP’s certificate is presented only for clients that have its key.`,
    )
  }
  say(shown`The proxy is up: ${url}`)
  say(shown`  HTTPS_PROXY=${url}`)
  say(shown`It reads what passes to ${hosts.join(', ')}, and refuses every other host.`)
  if (pass.length > 0) say(shown`It passes tunnels unread to ${pass.join(', ')}.`)
  if (authority.isNew)
    say(shown`Its authority was made just now, and nobody trusts it yet: ${file}`)
  say(shown`Clients trust it by one of these, beside what they trust already:`)
  say(shown`  NODE_EXTRA_CA_CERTS=${file}   Node`)
  say(shown`  REQUESTS_CA_BUNDLE=${file}   Python’s requests`)
  say(shown`  SSL_CERT_FILE=${file}   Go on Linux, Python, OpenSSL, curl`)
  say(shown`Browsers: import ${file}, and take ${url}/proxy.pac as their proxy script.`)
  say(shown`What passes: ${page}`)
  say(shown`Ctrl-C ends it, and writes the reports.`)
}

function listenOf(text: string): { host: string; port: number } {
  const authority = authorityOf(text)
  if (authority === undefined || !/:\d+$/.test(text)) {
    throw new UsageError(`--listen takes HOST:PORT, such as 127.0.0.1:9080, not ${text}`)
  }
  const port = Number(/:(\d+)$/.exec(text)?.[1])
  return { host: partsOf(authority).host, port }
}

function passedTo(text: string): string {
  const authority = authorityOf(text)
  if (authority !== undefined) return authority
  throw new UsageError(`--pass takes a host, or HOST:PORT, not ${text}`)
}

const isLoopback = (host: string) =>
  host === 'localhost' || host === '::1' || (isIP(host) === 4 && host.startsWith('127.'))
