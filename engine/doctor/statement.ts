import { createPublicKey } from 'node:crypto'
import type { TargetClient } from '../configuration/resolve.ts'
import { claimsOf } from '../wire/jwt-decode.ts'
import { certificatesOf } from '../wire/transport-certificates.ts'
import { organisationOf } from './certificate.ts'
import { type Finding, note, ok, wrong } from './finding.ts'

const MINE = 'your configuration'

/** Whether a software statement is in date, of this organisation, and allows what is asked for. */
export function statementFindings(client: TargetClient, now: number): Finding[] {
  const claims = claimsOf(client.softwareStatement ?? '')
  if (!claims)
    return [note('the target gives none: none is needed for a client that is registered')]
  const { software_id: software, software_client_name: name } = claims
  const found = [
    ...dates(claims, now),
    ...organisation(claims, client),
    ...roles(claims, client),
    ...(typeof software === 'string'
      ? []
      : [wrong(MINE, 'has no software_id', 'Get it anew from the directory.')]),
  ]
  if (found.some(({ level }) => level === 'wrong')) return found
  return [ok(`software ${software}${typeof name === 'string' ? ` (${name})` : ''}`), ...found]
}

function dates({ iat, exp }: Record<string, unknown>, now: number): Finding[] {
  const at = (seconds: number) => new Date(seconds * 1000).toISOString()
  if (typeof exp === 'number' && exp * 1000 < now) {
    return [wrong(MINE, `expired at ${at(exp)}`, 'Get a new one from the directory.')]
  }
  if (typeof iat === 'number' && iat * 1000 > now + 60_000) {
    const mend = 'Look at the clock of this machine.'
    return [wrong(MINE, `was issued in the future, at ${at(iat)}`, mend)]
  }
  return []
}

function organisation(
  { org_id: stated }: Record<string, unknown>,
  client: TargetClient,
): Finding[] {
  const [leaf] = certificatesOf(client.transport)
  if (typeof stated !== 'string' || !leaf) return []
  const { ou, eidas } = organisationOf(leaf)
  if (ou === stated) return []
  if (ou === undefined) {
    const named = eidas ?? 'none'
    return [note(`is of organisation ${stated}; the certificate names ${named}, not compared`)]
  }
  return [
    wrong(
      MINE,
      `is of organisation ${stated}, the transport certificate of ${ou}`,
      'Name a statement and a certificate of the same organisation.',
    ),
  ]
}

function roles(
  { software_roles: given }: Record<string, unknown>,
  client: TargetClient,
): Finding[] {
  if (!Array.isArray(given)) return []
  if (!given.includes('AISP')) {
    const text = `its software_roles are ${given.join(', ') || 'none'}, AISP is not among them`
    return [wrong(MINE, text, 'Add the role at the directory, and get the statement anew.')]
  }
  if (client.scopes.fundsConfirmation === undefined || given.includes('CBPII')) return []
  return [note('its software_roles have no CBPII: the bank may refuse funds confirmation')]
}

/** "redirect_uris equal or are a subset of the software_redirect_uris claim" (Registration 4). */
export function redirectFindings(client: TargetClient, member: string): Finding[] {
  const stated = claimsOf(client.softwareStatement ?? '')?.software_redirect_uris
  const { redirectUris } = client
  const count = redirectUris.length === 1 ? 'one' : String(redirectUris.length)
  if (!Array.isArray(stated)) return [ok(`${count}, not compared with a software statement`)]
  const beyond = redirectUris.filter((uri) => !stated.includes(uri))
  if (beyond.length === 0) return [ok(`${count}, within the software statement`), ...fewer(client)]
  return beyond.map((uri) => {
    const alike = stated.find((one) => String(one).replace(/\/$/, '') === uri.replace(/\/$/, ''))
    const known = alike ? `it has ${alike}` : `it has ${stated.join(', ')}`
    const mend = `Correct ${member}.redirectUris, or add it at the directory.`
    return wrong(MINE, `${uri} is not in the software statement: ${known}`, mend)
  })
}

/** Some checks leave a redirect URI out, or swap two. */
function fewer({ redirectUris, softwareStatement }: TargetClient): Finding[] {
  const stated = claimsOf(softwareStatement ?? '')?.software_redirect_uris
  if (redirectUris.length > 1 || !Array.isArray(stated) || stated.length < 2) return []
  const ids = 'REG-04/subset, REG-13/left-out and AUTHZ-12/redirect-uri'
  return [note(`the software statement has ${stated.length}; ${ids} need a second one here`)]
}

/** Where the statement says that the client's keys are published. */
export function publishedAt(client: TargetClient): string | undefined {
  const url = claimsOf(client.softwareStatement ?? '')?.software_jwks_endpoint
  return typeof url === 'string' && URL.canParse(url) ? url : undefined
}

/** Whether the signing key is the one that is published under its kid. */
export function publishedKeyFindings(
  client: TargetClient,
  keys: unknown[],
  member: string,
): Finding[] {
  const { kid } = client.signing
  const published = keys as Record<string, unknown>[]
  const same = published.filter((key) => key?.kid === kid)
  const own = createPublicKey(client.signingKey).export({ format: 'jwk' }).n
  if (same.length === 0) {
    const holder = published.find((key) => key?.n === own)
    const known = published.map((key) => String(key?.kid)).slice(0, 5)
    const mend = holder
      ? `Write ${String(holder.kid)} under ${member}.signing.kid: this key is published as that.`
      : `Correct ${member}.signing.kid, or upload the key at the directory. Published: ${known.join(', ') || 'none'}.`
    return [wrong(MINE, `kid ${kid} is not among the published keys`, mend)]
  }
  if (same.some(({ n }) => typeof n === 'string') && !same.some(({ n }) => n === own)) {
    const mend = `Name the private key of ${kid} under ${member}.signing.key.`
    return [wrong(MINE, `another key is published under kid ${kid}`, mend)]
  }
  if (same.every(({ use }) => use === 'enc')) {
    return [wrong(MINE, `kid ${kid} is published for encryption`, 'Name the kid of a signing key.')]
  }
  return [ok(`kid ${kid} is published, and the key is the same`)]
}
