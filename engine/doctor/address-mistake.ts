import { endpointsOf, memberOf, type Part } from '../configuration/addresses.ts'
import type { Target } from '../configuration/resolve.ts'
import { member } from '../judge/data-rows.ts'
import type { Trace } from '../report/evidence-index.ts'
import type { Exchange } from '../wire/exchange.ts'
import { type DoctorFinding, wrong } from './finding.ts'

/** The members of a bank's configuration that give an address (OpenID Connect Discovery 3, RFC 8414 2). */
export const NAMED_BY_BANK = {
  token: 'token_endpoint',
  authorisation: 'authorization_endpoint',
  registration: 'registration_endpoint',
} as const

/** Who answers so has nothing at this address, or something else (RFC 9110 15.5.5, 15.5.6, 15.5.11 and 15.6.2). */
const NOTHING_THERE = [404, 405, 410, 501]

/** The answer to a correct request: its status, and the `error` that it names. */
type Answer = Pick<Trace, 'status' | 'said'>

/**
 * The mistake in the target file that explains why the bank has nothing at an address. Undefined where the bank owes it:
 * where the documents or the bank's own configuration give this address, or may give it.
 *
 * @param configuration what the bank publishes about itself
 */
export function addressMistake(
  part: Part,
  { status = 0, said: error }: Answer,
  { target, configuration }: { target: Target; configuration: unknown },
): DoctorFinding | undefined {
  const { document, endpoints } = target
  const mine = endpoints[part]
  const name = NAMED_BY_BANK[part as keyof typeof NAMED_BY_BANK]
  const said = name && member(configuration, name)
  const alias = name && member(configuration, 'mtls_endpoint_aliases', name)
  if (mine === said || mine === alias) return undefined
  const isGiven = mine !== documented(part, document)
  const differs = typeof said === 'string' && originOf(said) !== originOf(mine)
  if (!isGiven && !differs) return undefined
  // Gateways answer 403 or a page where they know no route; an authorisation server names the error.
  const isPage = part !== 'authorisation' && status >= 300 && status < 400
  const isRefusal = status === 403 && error === undefined
  const isOther = isGiven && typeof said === 'string' && (isPage || isRefusal)
  if (!isOther && !NOTHING_THERE.includes(status)) return undefined
  const told =
    typeof said === 'string' ? `, and ${name} of the bank’s configuration is ${said}` : ''
  const text = `${mine} answers ${status}${told}`
  return wrong('configuration', text, correctAddress(part, document))
}

/**
 * The same for funds confirmation consents, whose addresses have members of their own. Undefined where the target file
 * names none, or one that the documents show.
 */
export function fundsAddressMistake(
  use: 'create' | 'delete',
  { status = 0 }: Answer,
  { document, endpoints }: Target,
): DoctorFinding | undefined {
  const { overrides: { cbpii, ...overrides } = {}, ...addresses } = document.addresses
  const named = document.fundsConfirmation?.[use]
  if ((named ?? cbpii) === undefined || !NOTHING_THERE.includes(status)) return undefined
  const { fundsConfirmation: _, ...rest } = document
  const shown = endpointsOf({ ...rest, addresses: { ...addresses, overrides } }).cbpii[use]
  const [mine = ''] = endpoints.cbpii[use]
  if (shown.includes(mine)) return undefined
  const member = named === undefined ? 'addresses.overrides.cbpii' : `fundsConfirmation.${use}`
  const mend = `Correct ${member}, or leave it out: the addresses of the documents are tried then.`
  return wrong('configuration', `${mine} answers ${status}`, mend)
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

/** Scheme, host and port; empty for text that is not an address. */
export const originOf = (address: string): string =>
  URL.canParse(address) ? new URL(address).origin : ''
