import type { Target } from '../configuration/resolve.ts'
import type { FormDocument } from '../configuration/target.ts'

/** To whom a driver gives what a customer knows. */

export const IN_THE_ADDRESS =
  'the page sends what the customer knows in an address (method GET), where logs and histories keep it: it was not filled in'

/** Does the description fill in anything, be it written out in the target file? */
export function fillsIn({ fill = {} }: Pick<FormDocument, 'fill'>): boolean {
  return Object.keys(fill).length > 0
}

/** Does the description fill in what the customer knows? */
export function usesCredentials({ fill = {} }: Pick<FormDocument, 'fill'>): boolean {
  return Object.values(fill).some((value) => /\{\w+\}/.test(value))
}

/**
 * Why a page or its form does not get what the customer knows; undefined where it may: over https, at
 * the authorisation endpoint's host or one that the target lists.
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

/** Hosts, with their port where it is not 443. */
export function hostsOf({ document, endpoints }: Target): Set<string> {
  const { hosts = [] } = document.authorisation
  const own = URL.canParse(endpoints.authorisation) ? [new URL(endpoints.authorisation).host] : []
  return new Set([...own, ...hosts.map((host) => host.toLowerCase().replace(/:443$/, ''))])
}

/** Of what a customer knows, the part that nobody else may: a user name may stand in any address. */
export function secretsAmong(credentials: Record<string, string>): string[] {
  const named = Object.keys(credentials).filter((name) => /pass|pin|secret|code|memor/i.test(name))
  const names = named.length > 0 ? named : Object.keys(credentials).slice(-1)
  return names.map((name) => credentials[name] ?? '')
}
