import { namesCredential } from '../record/credential-names.ts'
import { isObject } from '../record/json.ts'
import { percentDecoded } from '../record/percent.ts'
import { plainPem } from './material.ts'
import type { HookDocument, TargetDocument, TransportDocument } from './target.ts'

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
    ...headerSecrets(products?.headers),
    ...Object.values(hooks ?? {}).flatMap((hook) => hookSecrets(hook?.http)),
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

/** Secret header values, each also without its scheme: Bearer, Basic. */
function headerSecrets(headers: Record<string, string> = {}): string[] {
  return Object.entries(headers)
    .filter(([name]) => namesCredential(name))
    .flatMap(([, value]) => [value, value.split(' ').at(-1) ?? ''])
}

/** What opens the address of a hook: its headers, the password and parameters of its URL, members of its body. */
function hookSecrets(http: HookDocument['http']): string[] {
  if (!http) return []
  const { headers, url, body } = http
  const { password, searchParams } = URL.canParse(url) ? new URL(url) : new URL('http://none')
  const named = [...searchParams, ...(isObject(body) ? Object.entries(body) : [])]
  return [
    ...headerSecrets(headers),
    percentDecoded(password),
    ...named.flatMap(([name, value]) =>
      namesCredential(name) && typeof value === 'string' ? [value] : [],
    ),
  ].filter((value) => !HOLDS_A_SUBJECT.test(value))
}

/** A placeholder of a hook: not the credential itself. */
const HOLDS_A_SUBJECT = /\{(?:consentId|accessToken|clientId)\}/
