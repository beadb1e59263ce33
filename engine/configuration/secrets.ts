import { createPrivateKey } from 'node:crypto'
import type { ClientDocument, TargetDocument, TransportDocument } from './target.ts'

/**
 * Every secret value that a target holds: private keys, passphrases, software statements, what
 * customers log in with, the proxy's password and what authorises hooks.
 */
export function secretsOf(document: TargetDocument): string[] {
  const { authorisation, clients, customers, refusedCertificates, hooks, proxy } = document
  const found = [
    ...clientSecrets(clients.first),
    ...(clients.second ? clientSecrets(clients.second) : []),
    ...Object.values(refusedCertificates ?? {}).flatMap(transportSecrets),
    ...(authorisation.catcher ? transportSecrets(authorisation.catcher) : []),
    ...Object.values(customers.first.credentials),
    ...Object.values(customers.second?.credentials ?? {}),
    ...(customers.first.names ?? []),
    ...(customers.second?.names ?? []),
    ...headerSecrets(document.products?.headers),
    ...Object.values(hooks ?? {}).flatMap((hook) => headerSecrets(hook?.http?.headers)),
    proxyPassword(proxy),
  ]
  return [...new Set(found.filter((value): value is string => Boolean(value)))]
}

function clientSecrets({ transport, signing, softwareStatement }: ClientDocument) {
  const { key, passphrase } = signing
  const opened = openedKey(key, passphrase)
  return [...transportSecrets(transport), key, passphrase, opened, softwareStatement]
}

function transportSecrets({ key, pkcs12, passphrase }: TransportDocument) {
  return [key, pkcs12, passphrase, openedKey(key, passphrase)]
}

/** A key that stands encrypted in the target, as it is once somebody has opened it. */
function openedKey(key: string | undefined, passphrase: string | undefined): string | undefined {
  if (key === undefined || passphrase === undefined) return undefined
  try {
    return createPrivateKey({ key, passphrase }).export({ type: 'pkcs8', format: 'pem' }) as string
  } catch {
    // What cannot be opened is complained of where it is used.
    return undefined
  }
}

const SECRET_HEADER = /authorization|key|secret|token|password|cookie/i

/** The value, and without its scheme: Bearer, Basic. */
function headerSecrets(headers: Record<string, string> = {}): string[] {
  return Object.entries(headers)
    .filter(([name]) => SECRET_HEADER.test(name))
    .flatMap(([, value]) => [value, value.split(' ').at(-1) ?? ''])
}

function proxyPassword(proxy: string | undefined): string | undefined {
  if (proxy === undefined || !URL.canParse(proxy)) return undefined
  return decodeURIComponent(new URL(proxy).password)
}
