import { routeOf } from '../client/call.ts'
import type { Endpoints } from '../configuration/addresses.ts'
import type { Endpoint } from '../wire/exchange.ts'

/** The operation of the documents that a request calls, according to a target's addresses. */
export interface Operation {
  endpoint: Endpoint
  /** The AccountId or ConsentId in the path. */
  subject?: string
}

const ELSEWHERE: Operation = { endpoint: 'elsewhere' }

/**
 * Finds operations by the addresses of a target, without sending anything: a request to another host is not an
 * operation, even with the same path.
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
    /** True if any of the target's addresses has this origin. */
    isOfTarget: (url: string) => URL.canParse(url) && origins.has(new URL(url).origin),
    /** True if it is below the address of the account information, funds confirmation or registration API. */
    isOfApi: (url: string) =>
      [aisp, ...funds.POST, plain(endpoints.registration)].some(
        (base) => base !== '' && plain(url).startsWith(`${base}/`),
      ),
    /** Learns the address of the bank's keys from its configuration. */
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
    /** The address of a path that was logged without a host: below a matching address of the target. */
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

/** Maximum number of remembered addresses without queries: traffic repeats the same ones. */
const REMEMBERED = 2000

const plainOnes = new Map<string, string>()

/** Origin in lower case without the default port, and the path; without query and fragment. */
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
