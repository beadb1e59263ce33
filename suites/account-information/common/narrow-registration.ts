import type { Tpp } from '../../../engine/client/tpp.ts'
import type { Context } from '../../../engine/journey/context.ts'
import { once } from '../../../engine/journey/once.ts'
import { OWNERS } from '../../../engine/journey/steps.ts'
import { tokensOf } from '../../../engine/journey/tokens.ts'
import type { Visit } from '../../../engine/journey/visit.ts'
import { relyOn } from '../../../engine/judge/expect.ts'
import { NotApplicable } from '../../../engine/judge/outcome.ts'
import { member } from '../../../engine/judge/rows.ts'
import {
  anotherRegistration,
  claimsAgain,
  isAnotherClient,
  madeClient,
  unregistered,
} from './fresh-registration.ts'
import { registeredValues } from './registered-values.ts'

/** Why there is no second client to compare with. */
export const ONE_CLIENT = 'the bank keeps one client for each software statement'

/** The redirect URIs of a correct registration. */
export async function redirectUris(context: Context): Promise<string[]> {
  const { redirect_uris } = claimsAgain(await anotherRegistration(context))
  return redirect_uris as string[]
}

/** A client registered with the first redirect URI alone, once for the checks that need it. */
export const withFewerRedirectUris = once(async (context) => {
  const [first, leftOut] = await redirectUris(context)
  if (leftOut === undefined) throw new NotApplicable('the client has one redirect URI only')
  const tpp = await unregistered(context)
  const exchange = await tpp.register({ jwt: { claims: { redirect_uris: [first] } } })
  const another = await isAnotherClient(context, exchange)
  return { tpp, exchange, leftOut, another }
})

/** A client that is not registered for client_credentials; not applicable where the bank adds it. */
export async function withFewerGrants(context: Context): Promise<Tpp> {
  const { grant_types: all } = claimsAgain(await anotherRegistration(context))
  const grants = (all as string[]).filter((grant) => grant !== 'client_credentials')
  const tpp = await unregistered(context)
  const exchange = await tpp.register({ jwt: { claims: { grant_types: grants } } })
  if (!madeClient(exchange)) {
    throw new NotApplicable('the bank registers no client without client_credentials')
  }
  if (registeredValues(exchange, 'grant_types').includes('client_credentials')) {
    throw new NotApplicable('the bank registers client_credentials for every client')
  }
  if (!(await isAnotherClient(context, exchange))) throw new NotApplicable(ONE_CLIENT)
  tpp.adopt(exchange.response?.json)
  return tpp
}

/** A client without the scope for funds confirmation; not applicable where the bank adds it. */
export async function withFewerScopes(context: Context): Promise<{ tpp: Tpp; leftOut: string }> {
  const { accounts, fundsConfirmation: leftOut } = context.tpp().client.scopes
  if (leftOut === undefined) throw new NotApplicable('the client has one scope only')
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

/** A visit for a consent of this client's own, which is deleted after it. */
export async function visitOf(context: Context, tpp: Tpp, redirectUri: string): Promise<Visit> {
  const token = await tpp.token({ grant_type: 'client_credentials' })
  relyOn(OWNERS.management, token)
  const bearer = tokensOf(token)?.accessToken
  const body = { Data: { Permissions: ['ReadAccountsBasic'] }, Risk: {} }
  const created = await tpp.call('create-account-access-consent', { bearer, body })
  relyOn(OWNERS.consent, created)
  const consentId = String(member(created.response?.json, 'Data', 'ConsentId'))
  const visit = await context.visit({
    tpp,
    consentId,
    redirectUri,
    purpose: 'a redirect URI that the client did not register',
  })
  await tpp.call('delete-account-access-consent', { bearer, subject: consentId })
  return visit
}
