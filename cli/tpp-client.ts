import { X509Certificate } from 'node:crypto'
import { resolve } from 'node:path'
import type { DirectoryOptions } from '../bank/directory/directory.ts'
import type { BankHost } from '../engine/certification/bank-host.ts'
import type { ClientDriver } from '../engine/certification/client.ts'
import { commandClient } from '../engine/certification/command-client.ts'
import { openCustomers } from '../engine/certification/customer.ts'
import type { Tpp, TppDocument } from '../engine/certification/tpp-file.ts'
import { findProgram } from '../engine/record/find-program.ts'
import { readText } from '../engine/record/read-plain.ts'
import { say, shown } from '../engine/report/terminal.ts'
import { createBankHost } from '../proof/tpp/bank-host.ts'
import { openStateFolder } from './bank-state.ts'
import { portTaken, UsageError } from './usage.ts'

/** The bank that a client calls, the customer who uses it, and the client. */
export async function openParties(tpp: Tpp, signal: AbortSignal) {
  const host = await openHost(tpp)
  const customers = await openCustomers()
  const client = await openClient(tpp, signal)
  const close = async () => {
    await client.close()
    await customers.close()
    await host.close()
  }
  return { host, customers, client, close }
}

/** The driver of the TPP's client. */
async function openClient({ document, base }: Tpp, signal: AbortSignal): Promise<ClientDriver> {
  const { client } = document
  const patience = (client.timeout ?? (client.driver === 'ask' ? 600 : 30)) * 1000
  if (client.driver === 'command') {
    return commandClient({ command: client.command, base, patience, signal })
  }
  if (client.driver === 'ask') {
    const { askClient } = await import('../engine/certification/ask-client.ts')
    const tell = (url: string) => say(shown`What to do with the client: ${url}`)
    return askClient({ patience, signal, tell })
  }
  const { browserClient } = await import('../engine/certification/browser-client.ts')
  const { findBrowser } = await import('../engine/authorisation-drivers/find-browser.ts')
  const executable = client.executable ? findProgram(client.executable, base) : findBrowser()
  if (executable === undefined) {
    throw new UsageError(
      'there is no Chromium, Chrome or Edge. Install one, or name it in client.executable',
    )
  }
  return browserClient({ pages: client.pages, executable, trust: client.trust, patience })
}

/**
 * Opens the banks of a certification. For a program: new banks on any port. For a web application or a person, who are
 * configured once: always the same address and keys.
 */
async function openHost({ document, base }: Tpp): Promise<BankHost> {
  const { client, port = 8443, state } = document
  const enrol = await enrolmentOf(document, base)
  if (client.driver === 'command' && state === undefined) return createBankHost({ enrol })
  const { directory, kept } = await openStateFolder(stateFolderOf(document, base), enrol)
  const host = await createBankHost({ directory, enrol, once: { port, kept } })
  const taken = (used = port) =>
    `port ${used} is in use. End the bank there, or name another port: in the file of the TPP`
  return {
    open: async (options) => host.open(options).catch(portTaken(taken)),
    async close() {
      await host.close()
      await directory.close()
    },
  }
}

/** The folder that stores the TPP's directory. */
export function stateFolderOf({ name, state }: TppDocument, base: string): string {
  return resolve(base, state ?? `.assay/${name}`)
}

/** The TPP's own keys and redirect URIs, as options of the directory. */
export async function enrolmentOf(
  { redirectUris, jwks, transport }: TppDocument,
  base: string,
): Promise<DirectoryOptions> {
  return {
    ...(redirectUris && { redirectUris: { first: redirectUris } }),
    ...(jwks && { jwks: { first: await keysAt(jwks, base) } }),
    ...(transport && { transports: { first: certificatesAt(transport, base) } }),
  }
}

/** @throws UsageError when there is not a certificate, or the certificate of its authority is missing */
function certificatesAt(place: string, base: string): string[] {
  try {
    const text = readText(resolve(base, place))
    const all = text.match(/-----BEGIN CERTIFICATE-----[^-]+-----END CERTIFICATE-----/g) ?? []
    const last = new X509Certificate(all.at(-1) ?? '')
    if (!last.checkIssued(last)) {
      throw new Error(`append the certificate of ${last.issuer.replaceAll('\n', ', ')}`)
    }
    return all
  } catch (error) {
    throw new UsageError(`transport ${place}: ${(error as Error).message}`)
  }
}

/** @throws UsageError when there is no JWK Set */
async function keysAt(place: string, base: string): Promise<{ keys: Record<string, unknown>[] }> {
  try {
    const text = /^https?:\/\//.test(place)
      ? await (await fetch(place, { signal: AbortSignal.timeout(5000) })).text()
      : readText(resolve(base, place))
    const value = JSON.parse(text) as { keys?: Record<string, unknown>[] }
    if (!Array.isArray(value.keys) || value.keys.length === 0) throw new Error('it has no keys')
    const secret = value.keys.find((key) => 'd' in key)
    if (secret) throw new Error(`the key ${secret.kid} is a private one: publish the public half`)
    return { keys: value.keys }
  } catch (error) {
    throw new UsageError(`jwks ${place} is no JWK Set: ${reasonOf(error as Error)}`)
  }
}

/** fetch tells in `cause` why it failed. */
function reasonOf({ message, cause }: Error): string {
  if (!(cause instanceof Error)) return message
  return cause.message || (cause as NodeJS.ErrnoException).code || message
}
