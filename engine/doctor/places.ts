import type { layoutOf } from '../configuration/addresses.ts'
import type { Target } from '../configuration/resolve.ts'
import type { Place } from './address.ts'

interface Part {
  serves: string
  url: string
  mutual: boolean
  member: string
}

/** Every origin that the target names, in the order in which the interface needs them. */
export function placesOf({ document, endpoints, absent, layout }: Target): Place[] {
  const named = memberNames(document.addresses, layout)
  const account: Part[] = [
    { serves: 'discovery', url: endpoints.discovery, mutual: false, member: named.discovery },
    {
      serves: 'authorisation',
      url: endpoints.authorisation,
      mutual: false,
      member: named.authorisation,
    },
    {
      serves: 'registration',
      url: endpoints.registration,
      mutual: true,
      member: named.registration,
    },
    { serves: 'token', url: endpoints.token, mutual: true, member: named.token },
    {
      serves: 'consents and data',
      url: endpoints.aisp === '' ? '' : `${endpoints.aisp}/accounts`,
      mutual: true,
      member: named.aisp,
    },
  ]
  const wanted = absent.has('account-information')
    ? []
    : account.filter(({ serves }) => serves !== 'registration' || !absent.has('registration'))
  if (!absent.has('products')) {
    const url = endpoints.products
    // A probe without the certificate would be refused where one is asked for.
    const mutual = document.products?.client !== undefined
    wanted.push({ serves: 'products', url, mutual, member: named.products })
  }
  const places = new Map<string, Place>()
  for (const { serves, url, mutual, member } of wanted) {
    if (!URL.canParse(url)) continue
    const { origin } = new URL(url)
    const place = places.get(origin) ?? { origin, serves: [], members: [], mutual: false, url }
    place.serves.push(serves)
    if (!place.members.includes(member)) place.members.push(member)
    place.mutual ||= mutual
    places.set(origin, place)
  }
  return [...places.values()]
}

type Name = 'discovery' | 'registration' | 'authorisation' | 'token' | 'aisp' | 'products'

/** The member of the target file that gives the address of each part. */
function memberNames(
  addresses: Target['document']['addresses'],
  layout: ReturnType<typeof layoutOf>,
): Record<Name, string> {
  const sandbox = layout === 'sandbox'
  const shown: Record<Name, string> = {
    discovery: sandbox ? 'sandbox_discovery_url' : 'discovery_url',
    authorisation: sandbox ? 'sandbox_discovery_url' : 'auth_url',
    registration: sandbox ? 'sandbox_registration_url' : 'base_url',
    token: sandbox ? 'sandbox_token_url' : 'base_url',
    aisp: sandbox ? 'sandbox_api_url' : 'base_url',
    products: 'product_api_url',
  }
  const name = (part: Name) =>
    addresses.overrides?.[part] === undefined ? shown[part] : `overrides.${part}`
  return Object.fromEntries(
    (Object.keys(shown) as Name[]).map((part) => [part, `addresses.${name(part)}`]),
  ) as Record<Name, string>
}
