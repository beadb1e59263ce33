import { lookup } from 'node:dns/promises'
import { BlockList, isIP } from 'node:net'
import type { Target } from '../configuration/resolve.ts'

/** Checks addresses that the bank names: an answer could send a run anywhere, even to hosts that only it can reach. */

const LINK_LOCAL = blocksOf(
  '169.254.0.0/16 fe80::/10',
  // Where clouds give a machine its credentials, outside the link-local range.
  '100.100.100.200/32 168.63.129.16/32 192.0.0.192/32 fd00:ec2::254/128',
)
const INSIDE = blocksOf(
  '0.0.0.0/8 10.0.0.0/8 100.64.0.0/10 127.0.0.0/8 172.16.0.0/12 192.0.0.0/24 192.168.0.0/16',
  '198.18.0.0/15 ::/128 ::1/128 fc00::/7 fec0::/10',
  // Multicast, reserved and broadcast.
  '224.0.0.0/4 240.0.0.0/4 ff00::/8',
)

/** This machine. */
const HERE = blocksOf('127.0.0.0/8 ::1/128')

function blocksOf(...nets: string[]): BlockList {
  const blocks = new BlockList()
  for (const net of nets.join(' ').split(' ')) {
    const [address = '', bits] = net.split('/')
    blocks.addSubnet(address, Number(bits), familyOf(address))
  }
  return blocks
}

function familyOf(address: string): 'ipv4' | 'ipv6' {
  return isIP(address) === 6 ? 'ipv6' : 'ipv4'
}

type Place = 'link-local' | 'inside' | 'outside'

/**
 * Why an address that the bank named is not fetched; undefined when it may be: it is https, and neither link-local,
 * private nor on this machine, unless the target's own addresses are.
 */
export async function addressProblem(address: string, target: Target): Promise<string | undefined> {
  if (!URL.canParse(address)) return 'it is not an address'
  const url = new URL(address)
  if (url.protocol !== 'https:') return `only https is fetched, it is ${url.protocol.slice(0, -1)}`
  const own = ownOrigins(target)
  if (own.has(url.origin)) return undefined
  const proxied = target.proxy !== undefined
  const place = await placeOf(url.hostname, proxied)
  if (place === 'outside') return undefined
  const places = [...own].map((origin) => placeOf(new URL(origin).hostname, proxied))
  if ((await Promise.all(places)).includes(place)) return undefined
  return place === 'inside'
    ? 'it is an address of this machine or of a private network, and the target’s own are not'
    : 'it is a link-local address'
}

/** Names that no public server answers for: RFC 6762 3 and its appendix G, `internal` of ICANN, and a name without a dot. */
const PRIVATE_NAME = /^[^.]+$|\.(?:localhost|local|internal|intranet|private|corp|home|lan)$/i

/**
 * Does an address that the bank publishes lead to where only its own machines come, by its name or number alone? Not for a
 * bank whose own address does, and for one on this machine not if both are on this machine.
 */
export function leadsInside(address: string, own: string): boolean {
  const [to, from] = [address, own].map((url) => whereNamed(url))
  return to !== 'outside' && from !== 'inside' && to !== from
}

function whereNamed(address: string): 'here' | 'inside' | 'outside' {
  if (!URL.canParse(address)) return 'outside'
  const { protocol, hostname } = new URL(address)
  // The link of an application names no host.
  if (!/^https?:$/.test(protocol)) return 'outside'
  const host = bare(hostname)
  if (/(?:^|\.)localhost$/i.test(host) || HERE.check(host, familyOf(host))) return 'here'
  const isInside = isIP(host) ? placeOfIp(host) !== 'outside' : PRIVATE_NAME.test(host)
  return isInside ? 'inside' : 'outside'
}

/** Origins that the target file names. */
function ownOrigins({ endpoints }: Target): Set<string> {
  const addresses = Object.values(endpoints).flatMap((each: unknown) =>
    typeof each === 'string' ? [each] : Object.values(each as Record<string, string[]>).flat(),
  )
  return new Set(addresses.flatMap((each) => (URL.canParse(each) ? [new URL(each).origin] : [])))
}

/** Where a host is; with a proxy, names are resolved elsewhere. */
async function placeOf(hostname: string, proxied: boolean): Promise<Place> {
  const host = bare(hostname)
  if (host === 'localhost' || host.endsWith('.localhost')) return 'inside'
  if (isIP(host)) return placeOfIp(host)
  if (proxied) return 'outside'
  try {
    const places = (await lookup(host, { all: true })).map(({ address }) => placeOfIp(address))
    return places.find((place) => place !== 'outside') ?? 'outside'
  } catch {
    // A name that does not resolve cannot be reached either.
    return 'outside'
  }
}

/** A host without the brackets of an IPv6 address and without a dot at its end. */
const bare = (hostname: string): string => hostname.replace(/^\[|\]$|\.$/g, '')

function placeOfIp(ip: string): Place {
  const places = [ip, ...carriedBy(ip)].map((each) => {
    const family = familyOf(each)
    if (LINK_LOCAL.check(each, family)) return 'link-local'
    return INSIDE.check(each, family) ? 'inside' : 'outside'
  })
  return places.find((place) => place !== 'outside') ?? 'outside'
}

/**
 * IPv4 addresses that are embedded in an IPv6 address: IPv4-compatible (RFC 4291 2.5.5.1), NAT64 (RFC 6052), 6to4 (RFC
 * 3056). A BlockList treats mapped ones as the same.
 */
function carriedBy(ip: string): string[] {
  if (isIP(ip) !== 6) return []
  const words = wordsOf(ip)
  const at = (index: number) => {
    const [high = 0, low = 0] = words.slice(index, index + 2)
    return [high >> 8, high & 255, low >> 8, low & 255].join('.')
  }
  if (words[0] === 0x2002) return [at(1)]
  const prefix = words.slice(0, 6).join()
  return ['0,0,0,0,0,0', '100,65435,0,0,0,0', '100,65435,1,0,0,0'].includes(prefix) ? [at(6)] : []
}

/** The eight words of an IPv6 address, normalised by URL. */
function wordsOf(ip: string): number[] {
  const plain = new URL(`http://[${ip.split('%', 1)[0]}]`).hostname.slice(1, -1)
  const [before = '', after] = plain.split('::')
  const words = (text: string) =>
    text === '' ? [] : text.split(':').map((word) => Number.parseInt(word, 16))
  if (after === undefined) return words(before)
  const zeros = 8 - words(before).length - words(after).length
  return [...words(before), ...Array<number>(zeros).fill(0), ...words(after)]
}
