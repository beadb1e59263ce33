import 'reflect-metadata'
import type { X509Certificate } from 'node:crypto'
import * as x509 from '@peculiar/x509'
import type { TargetClient } from '../configuration/resolve.ts'
import { DAY } from '../record/durations.ts'
import { certificatesOf } from '../wire/transport-certificates.ts'
import { type DoctorFinding, hopeless, note, ok, wrong } from './finding.ts'

const CLIENT_AUTH = '1.3.6.1.5.5.7.3.2'
const ANY_USAGE = '2.5.29.37.0'

/** What is wrong with a transport certificate, before it is shown to a bank. */
export function certificateFindings(
  { name, transport }: Pick<TargetClient, 'name' | 'transport'>,
  now: number,
): DoctorFinding[] {
  const [leaf, ...others] = certificatesOf(transport)
  if (!leaf) return [note('cannot be read from the PKCS#12 file: dates and usage are not compared')]
  const member = `clients.${name}.transport`
  const found = [
    dates(leaf, now, `${member}.${transport.pkcs12 === undefined ? 'certificate' : 'pkcs12'}`),
    usage(leaf, member),
    chain([leaf, ...others], member),
  ].flat()
  if (found.some(({ level }) => level === 'wrong')) return found
  const issuer = nameOf(leaf.issuer)
  const more = others.length === 0 ? '' : `, ${others.length} more of its chain offered with it`
  const text = `${nameOf(leaf.subject)}, issued by ${issuer}, until ${day(leaf.validTo)}${more}`
  return [ok(text), ...found]
}

function dates(
  { validFrom, validTo }: X509Certificate,
  now: number,
  member: string,
): DoctorFinding[] {
  if (Date.parse(validTo) < now) {
    const mend = `Get a new certificate from the directory, and name it in ${member}.`
    return [hopeless(`expired on ${day(validTo)}`, mend)]
  }
  if (Date.parse(validFrom) > now) {
    const mend = `Wait, name another in ${member}, or look at the clock of this machine.`
    return [hopeless(`is not valid before ${validFrom}`, mend)]
  }
  const left = Math.floor((Date.parse(validTo) - now) / DAY)
  return left < 30 ? [note(`ends in ${left} days, on ${day(validTo)}`)] : []
}

function usage(leaf: X509Certificate, member: string): DoctorFinding[] {
  const mend = `Name the transport certificate in ${member}; the signing key stands under signing.`
  const complaint = (text: string) => [wrong('configuration', text, mend)]
  const extended = leaf.keyUsage ?? []
  if (extended.length > 0 && !extended.some((oid) => oid === CLIENT_AUTH || oid === ANY_USAGE)) {
    return complaint('its extended key usage has no clientAuth: it cannot open a connection')
  }
  const usages = new x509.X509Certificate(leaf.toString()).getExtension(x509.KeyUsagesExtension)
  if (usages && !(usages.usages & x509.KeyUsageFlags.digitalSignature)) {
    return complaint('its key usage has no digitalSignature: it cannot open a connection')
  }
  if (leaf.subject === leaf.issuer) return [note('is signed by itself: no directory issued it')]
  return leaf.ca ? complaint('is the certificate of an authority') : []
}

function chain(certificates: X509Certificate[], member: string): DoctorFinding[] {
  return certificates.slice(1).flatMap((issuer, index) => {
    if (certificates[index]?.checkIssued(issuer)) return []
    const text = `certificate ${index + 2} of the file did not issue certificate ${index + 1}`
    const mend = `In the file of ${member}, put the leaf first, then the authority that issued it, and so on.`
    return [wrong('configuration', text, mend)]
  })
}

/** Values of an attribute of a name. It may occur several times, also next to others in one line. */
function valuesOf(subject: string, name: string): string[] {
  return subject
    .split(/\n|(?<!\\)\+/)
    .map((each) => each.trim())
    .filter((each) => each.startsWith(`${name}=`))
    .map((each) => each.slice(name.length + 1))
}

const partOf = (subject: string, name: string): string | undefined => valuesOf(subject, name)[0]

/** Attributes that name the organisation: OU or CN in a directory’s certificates, organizationIdentifier in eIDAS. */
const OF_ORGANISATION = ['OU', 'CN', 'organizationIdentifier', '2.5.4.97']

/** Every name of an organisation in the subject of a certificate. */
export function organisationsOf({ subject }: X509Certificate): string[] {
  return OF_ORGANISATION.flatMap((name) => valuesOf(subject, name))
}

/** The common name of a subject or issuer; if there is none, all of it, in one line. */
export function nameOf(subject = ''): string {
  const all = subject.split('\n').filter(Boolean).join(', ')
  return partOf(subject, 'CN') ?? (all || 'nobody named')
}

/** YYYY-MM-DD in UTC. */
export function day(date: string): string {
  return new Date(date).toISOString().slice(0, 10)
}
