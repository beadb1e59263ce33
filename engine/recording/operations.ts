import { routeOf } from '../client/call.ts'
import type { Endpoints } from '../configuration/addresses.ts'
import type { Endpoint } from '../wire/exchange.ts'

/** Which operation of the documents a request is, by the addresses of a target. */
export interface Operation {
  endpoint: Endpoint
  /** The AccountId or ConsentId in the path. */
  subject?: string
}

const ELSEWHERE: Operation = { endpoint: 'elsewhere' }

/**
 * Tells operations by the addresses of a target, without asking anybody: a request to another host is none, be its
 * path the same.
 */
export function operationsOf(endpoints: Endpoints) {
  const exact: [endpoint: Endpoint, address: string, methods: string[]][] = [
    ['discovery', endpoints.discovery, ['GET']],
    ['registration', endpoints.registration, ['POST']],
    ['authorisation', endpoints.authorisation, ['GET', 'POST']],
    ['token', endpoints.token, ['POST']],
    ['products', endpoints.products, ['GET']],
  ]
  const fixed = new Map(
    exact.flatMap(([endpoint, address, methods]) =>
      methods.map((method): [string, Operation] => [`${method} ${plain(address)}`, { endpoint }]),
    ),
  )
  const aisp = plain(endpoints.aisp)
  const funds = {
    POST: endpoints.cbpii.create.map(plain),
    DELETE: endpoints.cbpii.delete.map(plain),
  }
  const origins = new Set(
    [...Object.values(endpoints).flat(), ...endpoints.cbpii.create].flatMap((address) =>
      typeof address === 'string' && URL.canParse(address) ? new URL(address).origin : [],
    ),
  )

  return {
    /** Whether any of the target's addresses is at this origin. */
    isOfTarget: (url: string) => URL.canParse(url) && origins.has(new URL(url).origin),
    /** Whether it is below an address of the account information or funds confirmation API, or that of registrations. */
    isOfApi: (url: string) =>
      [aisp, ...funds.POST, plain(endpoints.registration)].some(
        (base) => base !== '' && plain(url).startsWith(`${base}/`),
      ),
    /** Takes the address of the bank's keys from its configuration. */
    learnKeys(address: unknown) {
      if (typeof address !== 'string' || !URL.canParse(address)) return
      const key = `GET ${plain(address)}`
      if (!fixed.has(key)) fixed.set(key, { endpoint: 'jwks' })
    },
    /** @param url absolute */
    operationOf(method: string, url: string): Operation {
      const address = plain(url)
      const known = fixed.get(`${method} ${address}`)
      if (known) return known
      const base = method === 'POST' || method === 'DELETE' ? funds[method] : []
      const root = base.find((each) => address === each || address.startsWith(`${each}/`))
      if (root !== undefined) {
        return routed(method, `/funds-confirmation-consents${address.slice(root.length)}`)
      }
      if (aisp === '' || !address.startsWith(`${aisp}/`)) return ELSEWHERE
      const path = address.slice(aisp.length)
      return path.startsWith('/funds-confirmation-consents') ? ELSEWHERE : routed(method, path)
    },
    /** The address of a path that a log tells without its host: below the one of the target where it fits. */
    resolve(path: string): string | undefined {
      const bare = path.split('?', 1)[0] ?? path
      const all = [...Object.values(endpoints), ...endpoints.cbpii.create].filter(
        (each): each is string => typeof each === 'string' && URL.canParse(each),
      )
      const fits = all.find((address) => {
        const { pathname } = new URL(address)
        return bare === pathname || bare.startsWith(`${pathname.replace(/\/$/, '')}/`)
      })
      const base = fits ?? endpoints.aisp
      return URL.canParse(path, base) ? new URL(path, base).href : undefined
    },
  }
}

function routed(method: string, path: string): Operation {
  const { endpoint, subject } = routeOf(method, path)
  return { endpoint, ...(subject !== undefined && { subject }) }
}

/** Addresses without their queries that are remembered: traffic has the same ones again and again. */
const REMEMBERED = 2000

const plainOnes = new Map<string, string>()

/** Origin in lower case and without its usual port, and the path; neither query nor fragment. */
function plain(address: string): string {
  const end = address.search(/[?#]/)
  const bare = end < 0 ? address : address.slice(0, end)
  const known = plainOnes.get(bare)
  if (known !== undefined) return known
  if (!URL.canParse(address)) return address
  const { origin, pathname } = new URL(address)
  if (plainOnes.size === REMEMBERED) plainOnes.clear()
  plainOnes.set(bare, `${origin}${pathname}`)
  return `${origin}${pathname}`
}
