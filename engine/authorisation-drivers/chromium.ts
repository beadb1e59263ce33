import { createHash } from 'node:crypto'
import type { Browser } from 'playwright-core'
import { percentDecoded } from '../record/percent.ts'
import { tlsSession } from '../wire/tls-session.ts'
import type { VisitRequest } from './driver.ts'

/** How the machine's browser is started. */
export interface BrowserOptions {
  executable: string
  visible: boolean
  /** PEM of the authorities trusted for server certificates; undefined: those of the browser. */
  trust?: string[]
  /** http://user:password@host:port */
  proxy?: string
}

/**
 * Starts a browser that accepts the servers it trusts itself and servers with these public keys. Hosts of the TPP do
 * not resolve in it, so a final redirect is never fetched.
 *
 * @param pins SHA-256 of public keys (SPKI), base64, each of a server that was verified before.
 * @throws Error in words if it does not start.
 */
export async function launch(
  { executable, visible, proxy }: BrowserOptions,
  pins: string[],
  redirectUris: string[],
): Promise<Browser> {
  // Loaded only when needed: most runs open no browser.
  const { chromium } = await import('playwright-core')
  const unresolved = hostsOf(redirectUris).map((host) => `MAP ${host} ~NOTFOUND`)
  const args = [
    '--disable-background-networking',
    '--disable-component-update',
    '--disable-sync',
    '--no-default-browser-check',
    '--no-first-run',
    // Chromium has no sandbox for root, and containers often have no other user.
    ...(process.getuid?.() === 0 ? ['--no-sandbox'] : []),
    ...(unresolved.length > 0 ? [`--host-resolver-rules=${unresolved.join(',')}`] : []),
    ...(pins.length > 0 ? [`--ignore-certificate-errors-spki-list=${pins.join(',')}`] : []),
  ]
  try {
    return await chromium.launch({
      executablePath: executable,
      headless: !visible,
      args,
      ...(proxy && { proxy: proxyOf(proxy) }),
      handleSIGINT: false,
      handleSIGTERM: false,
      handleSIGHUP: false,
    })
  } catch (error) {
    throw new Error(`the browser ${executable} does not start: ${startProblem(error)}`)
  }
}

/** Removes Playwright's log of the call, which repeats the values that were filled in. */
export function firstLine(error: unknown): string {
  const [first = ''] = String((error as Error).message).split('\n')
  return first.replace(/^(?:locator|browserType)\.\w+: /, '')
}

/** Why a browser does not start. The first line of Playwright often says only that it closed; its log follows. */
export function startProblem(error: unknown): string {
  const { message } = error as Error
  if (/x ?server/i.test(message)) return 'there is no display for its window. Leave out visible'
  const [, library] = /error while loading shared libraries: ([^:\s]+)/.exec(message) ?? []
  return library === undefined ? firstLine(error) : `${library} is not installed`
}

/** A loopback host belongs to the bank or to this machine, and still resolves. */
function hostsOf(redirectUris: VisitRequest['redirectUris']): string[] {
  const hosts = redirectUris
    .filter((uri) => URL.canParse(uri))
    .map((uri) => new URL(uri).hostname)
    .filter((host) => host !== '' && !/^(localhost|127\..*|\[.*\])$/.test(host))
  return [...new Set(hosts)]
}

function proxyOf(proxy: string) {
  const { origin, username, password } = new URL(proxy)
  return {
    server: origin,
    ...(username && {
      username: percentDecoded(username),
      password: percentDecoded(password),
    }),
  }
}

/**
 * Verifies a server's certificate against the target's trust and its name, and returns the SHA-256 of its public key
 * (SPKI, base64), which Chromium can be told to accept.
 *
 * @param origin https://host:port
 * @throws Error in words if the server is not reached or not trusted.
 */
export async function serverPin(
  origin: string,
  { trust, proxy, timeout }: { trust?: string[]; proxy?: string; timeout: number },
): Promise<string> {
  const socket = await tlsSession(origin, { proxy, timeout, ...(trust && { ca: trust }) })
  const key = socket.getPeerX509Certificate()?.publicKey
  socket.destroy()
  if (!key) throw new Error(`${origin} showed no certificate`)
  return createHash('sha256')
    .update(key.export({ type: 'spki', format: 'der' }))
    .digest('base64')
}
