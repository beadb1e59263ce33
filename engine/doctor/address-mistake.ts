import { endpointsOf, memberOf, type Part } from '../configuration/addresses.ts'
import type { Target } from '../configuration/resolve.ts'
import { member } from '../judge/data-rows.ts'
import type { Exchange } from '../wire/exchange.ts'
import { type DoctorFinding, wrong } from './finding.ts'

/** The members of a bank's configuration that give an address (OpenID Connect Discovery 3, RFC 8414 2). */
export const NAMED_BY_BANK = {
  token: 'token_endpoint',
  authorisation: 'authorization_endpoint',
  registration: 'registration_endpoint',
} as const

/** Who answers so has nothing at this address, or something else (RFC 9110 15.5.5 and 15.5.6). */
const NOTHING_THERE = [404, 405]

/**
 * The mistake in the target file that explains why the bank has nothing at an address. Undefined where the bank owes it:
 * where the documents or the bank's own configuration give this address, or may give it.
 *
 * @param status of the answer to a correct request
 * @param configuration what the bank publishes about itself
 */
export function addressMistake(
  part: Part,
  status: number | undefined,
  { target, configuration }: { target: Target; configuration: unknown },
): DoctorFinding | undefined {
  if (status === undefined || !NOTHING_THERE.includes(status)) return undefined
  const { document, endpoints } = target
  const mine = endpoints[part]
  const name = NAMED_BY_BANK[part as keyof typeof NAMED_BY_BANK]
  const said = name && member(configuration, name)
  if (said === mine) return undefined
  const differs = typeof said === 'string' && originOf(said) !== originOf(mine)
  if (mine === documented(part, document) && !differs) return undefined
  const told =
    typeof said === 'string' ? `, and ${name} of the bank’s configuration is ${said}` : ''
  const text = `${mine} answers ${status}${told}`
  return wrong('configuration', text, correctAddress(part, document))
}

/** How to correct the address of a part in the target file. */
export function correctAddress(part: Part, { addresses }: Target['document']): string {
  const member = memberOf(part, addresses)
  if (addresses.overrides?.[part] !== undefined) return `Correct ${member}.`
  return `Correct ${member}, or write the whole address under addresses.overrides.${part}.`
}

/** Does the bank have nothing at an address, or something that does not take such requests? */
export const isNothingThere = ({ response }: Exchange): boolean =>
  NOTHING_THERE.includes(response?.status ?? 0)

/** The address that the documents give, from the placeholders of the target file. */
function documented(part: Part, document: Target['document']): string {
  const { overrides: _, ...addresses } = document.addresses
  return endpointsOf({ ...document, addresses })[part]
}

/** Scheme, host and port; empty for text that is no address. */
export const originOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).origin : ''
