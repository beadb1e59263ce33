import type { Target } from '../configuration/resolve.ts'
import type { FormDocument } from '../configuration/target.ts'

/** Why credentials were not filled into a form with method GET. */

export const IN_THE_ADDRESS =
  'the page sends what the customer knows in an address (method GET), where logs and histories keep it: it was not filled in'

/** True if the description fills in anything, even a value that the target file spells out. */
export function fillsIn({ fill = {} }: Pick<FormDocument, 'fill'>): boolean {
  return Object.keys(fill).length > 0
}

/** True if the description fills in credentials of the customer. */
export function usesCredentials({ fill = {} }: Pick<FormDocument, 'fill'>): boolean {
  return Object.values(fill).some((value) => /\{\w+\}/.test(value))
}

/**
 * Why a page or its form does not get the customer's credentials. Undefined if it may: over https, at the authorisation
 * endpoint's host or one that the target lists.
 */
export function credentialProblem(url: string, target: Target): string | undefined {
  if (!URL.canParse(url)) return `the page is at ${url}, no address: nothing was filled in`
  const { protocol, host, origin } = new URL(url)
  const known = hostsOf(target)
  if (protocol === 'https:' && known.has(host)) return undefined
  const what = `what the customer knows would go to ${origin}`
  if (protocol !== 'https:') return `${what}, not over https: it was not sent`
  return `${what}: it was not sent. List ${host} under authorisation.hosts if it is the bank's`
}

/** Hosts; with their port, unless it is 443. */
export function hostsOf({ document, endpoints }: Target): Set<string> {
  const { hosts = [] } = document.authorisation
  const own = URL.canParse(endpoints.authorisation) ? [new URL(endpoints.authorisation).host] : []
  return new Set([...own, ...hosts.map((host) => host.toLowerCase().replace(/:443$/, ''))])
}

/** The secret credentials of a customer: a user name may appear in any address. */
export function secretsAmong(credentials: Record<string, string>): string[] {
  const named = Object.keys(credentials).filter((name) => /pass|pin|secret|code|memor/i.test(name))
  const names = named.length > 0 ? named : Object.keys(credentials).slice(-1)
  return names.map((name) => credentials[name] ?? '')
}
