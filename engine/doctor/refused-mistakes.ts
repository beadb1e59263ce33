import type { Target } from '../configuration/resolve.ts'
import { member } from '../judge/data-rows.ts'
import type { Trace } from '../report/evidence-index.ts'
import { type DoctorFinding, wrong } from './finding.ts'

/** The target, and what the bank publishes about itself. */
interface Bank {
  target: Target
  configuration?: unknown
}

/** Client assertions for another audience than any that this bank names: it must refuse them (RFC 7523 3). */
export function audienceMistake(
  { said = '' }: Pick<Trace, 'said'>,
  { target, configuration }: Bank,
): DoctorFinding | undefined {
  const { assertionAudience: given } = target.document
  if (given === undefined || !said.startsWith('invalid_client')) return undefined
  const named = [member(configuration, 'token_endpoint'), member(configuration, 'issuer')]
  const known = [...named, target.endpoints.token, target.issuer]
  if (known.includes(given)) return undefined
  const text = `the bank refuses client assertions for ${given}: its token endpoint is ${String(named[0] ?? target.endpoints.token)}`
  return wrong('configuration', text, 'Correct assertionAudience, or leave it out.')
}

/** A token for a scope that the file itself leaves out of the registration: the bank must refuse it. */
export function registeredScopeMistake(
  { said = '' }: Pick<Trace, 'said'>,
  { target }: Bank,
): DoctorFinding | undefined {
  const { scopes, registrationClaims = {} } = target.clients.first
  const { scope } = registrationClaims
  if (typeof scope !== 'string' || !said.startsWith('invalid_scope')) return undefined
  if (scope.split(' ').includes(scopes.accounts)) return undefined
  const text = `the bank gives no token for the scope ${scopes.accounts}: clients.first registers “${scope}”`
  return wrong('configuration', text, 'Correct clients.first.registrationClaims.scope.')
}

/** A refused funds confirmation consent where the bank has a scope for these, and the target file names another one. */
export function fundsScopeMistake(
  { status = 0 }: Pick<Trace, 'status'>,
  { target, configuration }: Bank,
): DoctorFinding | undefined {
  const { accounts, fundsConfirmation: given } = target.clients.first.scopes
  const supported = member(configuration, 'scopes_supported')
  if (![400, 401, 403].includes(status) || !Array.isArray(supported)) return undefined
  const own = supported.filter((scope) => /fund|cbpii/i.test(String(scope)))
  if (given !== accounts || own.length === 0 || own.includes(given)) return undefined
  const text = `the scope of accounts, ${given}, opens no funds confirmation consents (${status}); the bank has ${own.join(', ')}`
  const right = own.length === 1 ? String(own[0]) : 'one of these'
  return wrong(
    'configuration',
    text,
    `Correct clients.first.scopes.fundsConfirmation: write ${right}.`,
  )
}
