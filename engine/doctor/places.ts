import { memberOf, type Part } from '../configuration/addresses.ts'
import type { Target } from '../configuration/resolve.ts'

/** An origin of the target, and which parts of the interface it serves. */
export interface Place {
  origin: string
  /** In words: token, registration. */
  serves: string[]
  /** Members of the target file that name it. */
  members: string[]
  /** True if any part there is served over mutual TLS. */
  mutual: boolean
  /** Address that is requested. */
  url: string
}

/** Every origin that the target names, in the order in which the interface needs them. */
export function placesOf({ document, endpoints, absent }: Target): Place[] {
  const account: [part: Part, mutual: boolean, serves?: string, path?: string][] = [
    ['discovery', false],
    ['authorisation', false],
    ['registration', true],
    ['token', true],
    ['aisp', true, 'consents and data', '/accounts'],
  ]
  const wanted = account.filter(
    ([part]) =>
      !absent.has('account-information') && !(part === 'registration' && absent.has(part)),
  )
  // A server that requires the certificate would refuse a request without it.
  if (!absent.has('products')) wanted.push(['products', document.products?.client !== undefined])
  const places = new Map<string, Place>()
  for (const [part, mutual, serves = part, path = ''] of wanted) {
    const url = endpoints[part] && `${endpoints[part]}${path}`
    if (!URL.canParse(url)) continue
    const { origin } = new URL(url)
    const place = places.get(origin) ?? { origin, serves: [], members: [], mutual: false, url }
    place.serves.push(serves)
    place.members = [...new Set([...place.members, memberOf(part, document.addresses)])]
    place.mutual ||= mutual
    places.set(origin, place)
  }
  return [...places.values()]
}

/** The name of the examination of the origin that serves a part; empty if the target has none. */
export function placeOf({ places }: { places: Place[] }, serves: string): string[] {
  return places.filter((place) => place.serves.includes(serves)).map(({ origin }) => origin)
}
