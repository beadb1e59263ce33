import type { Target } from '../configuration/resolve.ts'
import { isObject, parsedJson } from '../record/json.ts'
import { decoded } from '../wire/decode.ts'
import { addressProblem } from '../wire/outside-address.ts'
import type { Passed } from './forward.ts'
import { authorityOf } from './host-and-port.ts'

/** Maximum number of known hosts. */
const MOST = 50

/** Maximum bytes of a configuration that are read. */
const MOST_BYTES = 1024 * 1024

/** Members of a configuration whose values are addresses of the bank: OpenID Connect Discovery 3, RFC 8705 5. */
const ADDRESS = /^(?:issuer|jwks_uri|.+_endpoint)$/

/** What a proxy may reach: the hosts of a bank, and those whose tunnels it passes on. */
export type Hosts = ReturnType<typeof openHosts>

/**
 * The hosts of a target: those in its file, and those that the bank names in its configuration.
 *
 * @param passed authorities whose tunnels are passed on unread
 * @param onLearned called with each host that the configuration adds
 */
export function openHosts(
  target: Target,
  passed: readonly string[],
  onLearned: (authority: string) => void = () => {},
) {
  const { endpoints, document } = target
  const addresses = Object.values(endpoints).flatMap((each: string | Endpoints) =>
    typeof each === 'string' ? [each] : Object.values(each).flat(),
  )
  const known = new Set([
    ...addresses.flatMap(ofAddress),
    ...(document.authorisation.hosts ?? []).flatMap((each) => authorityOf(each) ?? []),
  ])
  let learning: Promise<void> = Promise.resolve()

  const take = async (response: Passed['response']) => {
    const raw = response?.body.body()
    if (!response || !raw) return
    const text = (await decoded(raw, response.headers, MOST_BYTES)).toString('utf8')
    for (const address of addressesIn(parsedJson(text))) {
      const [authority] = ofAddress(address)
      if (authority === undefined || known.has(authority) || known.size >= MOST) continue
      if ((await addressProblem(address, target)) !== undefined) continue
      known.add(authority)
      onLearned(authority)
    }
  }

  return {
    /** What to do with a tunnel to an authority; undefined: refuse it. */
    of(authority: string): 'read' | 'pass' | undefined {
      if (passed.includes(authority)) return 'pass'
      return known.has(authority) ? 'read' : undefined
    },
    /** Adds the hosts in the bank's configuration, except those that an answer must not lead to. */
    learn(passed: Passed): void {
      if (passed.url.split('?', 1)[0] !== endpoints.discovery) return
      if (passed.response?.status !== 200) return
      learning = learning.then(() => take(passed.response)).catch(() => {})
    },
    /** Resolves when everything passed so far is processed. */
    settled: () => learning,
    all: () => [...known],
  }
}

type Endpoints = Target['endpoints']['cbpii']

const ofAddress = (address: string): string[] => {
  if (!address.startsWith('https:') || !URL.canParse(address)) return []
  return [authorityOf(new URL(address).host)].filter((each) => each !== undefined)
}

function addressesIn(configuration: unknown): string[] {
  if (!isObject(configuration)) return []
  const { mtls_endpoint_aliases: aliases, ...own } = configuration
  return [own, aliases]
    .filter(isObject)
    .flatMap(Object.entries)
    .flatMap(([name, value]) => (ADDRESS.test(name) && typeof value === 'string' ? [value] : []))
}
