import { percentDecoded } from '../record/percent.ts'
import { plainPem } from './material.ts'
import type { TargetDocument, TransportDocument } from './target.ts'

/**
 * Every secret value of a target: private keys, passphrases, software statements, credentials of customers, the proxy's
 * password and the credentials of hooks.
 */
export function secretsOf(document: TargetDocument): string[] {
  const { authorisation, refusedCertificates, hooks, products, proxy = '' } = document
  const clients = Object.values(document.clients).filter((client) => client !== undefined)
  const transports = [
    ...clients.map(({ transport }) => transport),
    ...Object.values(refusedCertificates ?? {}),
    authorisation.catcher ?? {},
  ]
  const headers = [
    products?.headers,
    ...Object.values(hooks ?? {}).map((hook) => hook?.http?.headers),
  ]
  const found = [
    ...transports.flatMap((transport) => [transport.pkcs12, ...keySecrets(transport)]),
    ...clients.flatMap(({ signing, softwareStatement }) => [
      ...keySecrets(signing),
      softwareStatement,
    ]),
    ...Object.values(document.customers).flatMap((customer) => [
      ...Object.values(customer?.credentials ?? {}),
      ...(customer?.names ?? []),
    ]),
    ...headers.flatMap(headerSecrets),
    URL.canParse(proxy) ? percentDecoded(new URL(proxy).password) : '',
  ]
  return [...new Set(found.filter((value): value is string => Boolean(value)))]
}

/** The key and passphrase; an encrypted key also in its decrypted form. */
function keySecrets({ key, passphrase }: Pick<TransportDocument, 'key' | 'passphrase'>) {
  if (key === undefined || passphrase === undefined) return [key, passphrase]
  try {
    return [key, passphrase, plainPem({ key, passphrase })]
  } catch {
    // The code that uses the key reports that it cannot be opened.
    return [key, passphrase]
  }
}

const SECRET_HEADER = /authorization|key|secret|token|password|cookie/i

/** Secret header values, each also without its scheme: Bearer, Basic. */
function headerSecrets(headers: Record<string, string> = {}): string[] {
  return Object.entries(headers)
    .filter(([name]) => SECRET_HEADER.test(name))
    .flatMap(([, value]) => [value, value.split(' ').at(-1) ?? ''])
}
