import type { Context } from '../../../../engine/suite-api/check.ts'
import type { Tpp } from '../../../../engine/suite-api/client.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import { tokensOf, type Visit, type VisitOptions } from '../../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import { member, refused } from '../../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { OWNERS } from '../../../owners.ts'
import {
  anotherRegistration,
  claimsAgain,
  correctClaims,
  isAnotherClient,
  madeClient,
  requireStillRegisters,
  unregistered,
} from './fresh-registration.ts'
import { requireRegisteredValues } from './registered-values.ts'

/** Why there is no second client to compare with. */
export const ONE_CLIENT = 'the bank keeps one client for each software statement'

/** The redirect URIs of a correct registration. */
export async function redirectUris(context: Context): Promise<string[]> {
  const { redirect_uris } = await correctClaims(context)
  return redirect_uris as string[]
}

/** A client registered with only the first redirect URI, once for the checks that need it. */
export const withFewerRedirectUris = sharedFixture([], async (context) => {
  const [first, leftOut] = await redirectUris(context)
  if (leftOut === undefined) throw new NotApplicable('the client has one redirect URI only')
  await anotherRegistration(context)
  const tpp = await unregistered(context)
  const exchange = await tpp.register({ jwt: { claims: { redirect_uris: [first] } } })
  if (refused(exchange)) await requireStillRegisters(context)
  const another = await isAnotherClient(context, exchange)
  return { tpp, exchange, leftOut, another }
})

/** A client that is registered for only some of its usual grants; not applicable where the bank adds others. */
export async function withoutGrants(context: Context, ...left: readonly string[]): Promise<Tpp> {
  const { grant_types: all } = claimsAgain(await anotherRegistration(context))
  const grants = (all as string[]).filter((grant) => !left.includes(grant))
  const tpp = await unregistered(context)
  const about = { owns: ['REG-16/code-id-token'] }
  const exchange = await tpp.register({ jwt: { claims: { grant_types: grants } }, about })
  const words = left.join(' and ')
  if (!madeClient(exchange)) {
    throw new NotApplicable(`the bank registers no client without ${words}`)
  }
  const registered = requireRegisteredValues(exchange, 'grant_types')
  if (left.some((grant) => registered.includes(grant))) {
    throw new NotApplicable(`the bank registers ${words} for every client`)
  }
  if (!(await isAnotherClient(context, exchange))) throw new NotApplicable(ONE_CLIENT)
  tpp.adopt(exchange.response?.json)
  return tpp
}

/** A client that uses codes and did not register the grant refresh_token. */
export const withoutRefreshTokens = sharedFixture([], (context) =>
  withoutGrants(context, 'refresh_token'),
)

/** A client without the scope for funds confirmation; not applicable where the bank adds it. */
export async function withFewerScopes(context: Context): Promise<{ tpp: Tpp; leftOut: string }> {
  const { accounts, fundsConfirmation: leftOut } = context.tpp().client.scopes
  if (leftOut === undefined) throw new NotApplicable('the client has one scope only')
  await anotherRegistration(context)
  const tpp = await unregistered(context)
  const exchange = await tpp.register({ jwt: { claims: { scope: `openid ${accounts}` } } })
  if (!madeClient(exchange)) throw new NotApplicable('the bank registers no client with one scope')
  const scope = member(exchange.response?.json, 'scope')
  if (typeof scope !== 'string' || scope.split(' ').includes(leftOut)) {
    throw new NotApplicable('the bank registers every scope for every client')
  }
  if (!(await isAnotherClient(context, exchange))) throw new NotApplicable(ONE_CLIENT)
  tpp.adopt(exchange.response?.json)
  return { tpp, leftOut }
}

/**
 * A visit for a new consent of this client, which is deleted after `use`.
 *
 * @param options `permissions` may be refused by a bank: then the result is undefined.
 */
export async function visitOf<T>(
  context: Context,
  tpp: Tpp,
  options: Pick<
    VisitOptions,
    'purpose' | 'redirectUri' | 'state' | 'deviation' | 'browser' | 'otherTab'
  > & {
    permissions?: readonly string[]
  },
  use: (visit: Visit) => Promise<T>,
): Promise<T | undefined> {
  const { permissions, ...asked } = options
  const token = await tpp.token({ grant_type: 'client_credentials' })
  relyOn(OWNERS.management, token).toSucceed()
  const bearer = tokensOf(token)?.accessToken
  const wanted = permissions ?? ['ReadAccountsBasic']
  const body = { Data: { Permissions: wanted }, Risk: {} }
  const about = permissions && { optional: true as const }
  const created = await tpp.call('create-account-access-consent', { bearer, body, about })
  if (permissions && refused(created)) return undefined
  relyOn(OWNERS.consent, created).toSucceed()
  const consentId = String(member(created.response?.json, 'Data', 'ConsentId'))
  try {
    const given = member(created.response?.json, 'Data', 'Permissions')
    const others = Array.isArray(given) && given.some((one) => !wanted.includes(String(one)))
    if (permissions && others) return undefined
    return await use(await context.visit({ tpp, consentId, ...asked }))
  } finally {
    await tpp.call('delete-account-access-consent', { bearer, subject: consentId })
  }
}
