import { createPublicKey } from 'node:crypto'
import type { TargetClient } from '../configuration/resolve.ts'
import { claimsOf } from '../wire/jwt-decode.ts'
import { certificatesOf } from '../wire/transport-certificates.ts'
import { organisationsOf } from './certificate.ts'
import { type DoctorFinding, hopeless, note, ok, wrong } from './finding.ts'

type Claims = Record<string, unknown>

/** The claims of a client's software statement; undefined if the target has none. */
export const statementOf = ({ softwareStatement = '' }: TargetClient) => claimsOf(softwareStatement)

/** Checks that a software statement is valid now, belongs to this organisation and allows what is requested. */
export function statementFindings(client: TargetClient, now: number): DoctorFinding[] {
  const claims = statementOf(client)
  if (!claims)
    return [note('the target gives none: none is needed for a client that is registered')]
  const { software_id: software, software_client_name: name } = claims
  const found = [dates(claims, now), organisation(claims, client), roles(claims, client)].flat()
  if (typeof software !== 'string') {
    found.push(wrong('configuration', 'has no software_id', 'Get it again from the directory.'))
  }
  if (found.some(({ level }) => level === 'wrong')) return found
  return [ok(`software ${software}${typeof name === 'string' ? ` (${name})` : ''}`), ...found]
}

function dates({ iat, exp }: Claims, now: number): DoctorFinding[] {
  // Beyond the years of a date, there is only the number.
  const at = (seconds: number) =>
    Math.abs(seconds) < 1e11 ? new Date(seconds * 1000).toISOString() : String(seconds)
  if (typeof exp === 'number' && exp * 1000 < now) {
    return [hopeless(`expired at ${at(exp)}`, 'Get a new one from the directory.')]
  }
  if (typeof iat !== 'number' || iat * 1000 <= now + 60_000) return []
  const text = `was issued in the future, at ${at(iat)}`
  return [wrong('configuration', text, 'Look at the clock of this machine.')]
}

function organisation({ org_id: stated }: Claims, client: TargetClient): DoctorFinding[] {
  const [leaf] = certificatesOf(client.transport)
  if (typeof stated !== 'string' || !leaf) return []
  const names = organisationsOf(leaf)
  // eIDAS: PSDGB-FCA-123456, where the directory may have only 123456.
  if (names.some((name) => name === stated || name.endsWith(`-${stated}`))) return []
  const other = names.find((name) => name.length === stated.length && /\d/.test(name))
  if (other !== undefined) {
    const text = `is of organisation ${stated}, the transport certificate of ${other}`
    const mend = 'Name a statement and a certificate of the same organisation.'
    return [wrong('configuration', text, mend)]
  }
  const others = names.join(', ') || 'none'
  return [note(`is of organisation ${stated}; the transport certificate names ${others}`)]
}

function roles({ software_roles: given }: Claims, client: TargetClient): DoctorFinding[] {
  if (!Array.isArray(given)) return []
  if (!given.includes('AISP')) {
    const text = `its software_roles are ${given.join(', ') || 'none'}, AISP is not among them`
    const mend = 'Add the role at the directory, and get the statement again.'
    return [wrong('configuration', text, mend)]
  }
  if (client.scopes.fundsConfirmation === undefined || given.includes('CBPII')) return []
  return [note('its software_roles have no CBPII: the bank may refuse funds confirmation')]
}

/** "redirect_uris equal or are a subset of the software_redirect_uris claim" (Registration 4). */
export function redirectFindings(client: TargetClient): DoctorFinding[] {
  const stated = statementOf(client)?.software_redirect_uris
  const { redirectUris, name } = client
  const count = redirectUris.length === 1 ? 'one' : String(redirectUris.length)
  if (!Array.isArray(stated)) return [ok(`${count}, not compared with a software statement`)]
  const beyond = redirectUris.filter((uri) => !stated.includes(uri))
  if (beyond.length > 0) {
    return beyond.map((uri) => {
      const alike = stated.find((one) => String(one).replace(/\/$/, '') === uri.replace(/\/$/, ''))
      const text = `${uri} is not in the software statement: it has ${alike || stated.join(', ')}`
      const mend = `Correct clients.${name}.redirectUris; or add this URI at the directory, and get the statement again.`
      return hopeless(text, mend)
    })
  }
  const found = [ok(`${count}, within the software statement`)]
  // Some checks omit a redirect URI, or swap two.
  if (redirectUris.length === 1 && stated.length > 1) {
    const ids = 'REG-04/subset, REG-13/left-out and AUTHZ-12/redirect-uri'
    found.push(note(`the software statement has ${stated.length}; ${ids} need a second one here`))
  }
  return found
}

/** Checks that the signing key is the one that is published under its kid. */
export function publishedKeyFinding(client: TargetClient, keys: unknown[]): DoctorFinding {
  const { kid } = client.signing
  const member = `clients.${client.name}.signing`
  const published = keys as Claims[]
  const same = published.filter((key) => key?.kid === kid)
  const own = createPublicKey(client.signingKey).export({ format: 'jwk' }).n
  if (same.length === 0) {
    const holder = published.find((key) => key?.n === own)
    const known = published.map((key) => String(key?.kid)).slice(0, 5)
    const mend = holder
      ? `Write ${String(holder.kid)} under ${member}.kid: this key is published under that kid.`
      : `Correct ${member}.kid, or upload the key at the directory. Published: ${known.join(', ') || 'none'}.`
    return hopeless(`kid ${kid} is not among the keys that are published for this client`, mend)
  }
  if (same.some(({ n }) => typeof n === 'string') && !same.some(({ n }) => n === own)) {
    const mend = `Name the private key of ${kid} under ${member}.key.`
    return hopeless(`another key is published under kid ${kid}`, mend)
  }
  if (same.every(({ use }) => use === 'enc')) {
    const text = `kid ${kid} is published for encryption`
    return wrong('configuration', text, 'Name the kid of a signing key.')
  }
  return ok(`kid ${kid} is published, and the key is the same`)
}
