import { randomUUID } from 'node:crypto'
import type { Context } from '../../../../engine/suite-api/check.ts'
import type { TokenDeviation, Tpp } from '../../../../engine/suite-api/client.ts'
import { now } from '../../../../engine/suite-api/clock.ts'
import type { ClientName } from '../../../../engine/suite-api/consents.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import type { Exchange } from '../../../../engine/suite-api/responses.ts'
import { OWNERS } from '../../../owners.ts'

/** An error in client authentication, for any grant. */
export interface WrongAuthentication {
  /** The check that tries it with client_credentials. */
  id: string
  /** The title of that check. */
  title: string
  /** The errors, each with a short description. */
  attempts(parties: Parties): (TokenDeviation & { deviation: string })[]
  /** Needs the target's second client. */
  byAnother?: true
}

/** The client that sends the requests, and the other client. */
export interface Parties {
  tpp: Tpp
  /** The target's other client; absent where there is none. */
  other?: Tpp
  /** An assertion that the bank has accepted from this client. */
  used?: string
}

const CLIENT = { grant_type: 'client_credentials' } as const

const assertion = (deviation: string, wrong: TokenDeviation['assertion']) => ({
  assertion: wrong,
  deviation,
})

const secretBy = (
  id: string,
  method: 'client_secret_post' | 'client_secret_basic',
): WrongAuthentication => ({
  id,
  title: `A token request that authenticates by ${method} is refused`,
  attempts: ({ tpp }) => {
    const issued = tpp.registered?.client_secret !== undefined
    const secret = issued ? 'the secret of the registration' : 'a secret that nobody issued'
    return [{ authentication: method, deviation: `${method} with ${secret}` }]
  },
})

const seconds = () => Math.floor(now() / 1000)

/** Ids that are not the client's: one that does not exist, and that of another client if there is one. */
function others({ other }: Parties): string[] {
  const id = other?.registered?.client_id
  return [randomUUID(), ...(id === undefined ? [] : [id])]
}

/** In the order in which a code is tried: a bank that accepts the last ones breaks no must. */
export const WRONG_AUTHENTICATIONS: readonly WrongAuthentication[] = [
  secretBy('TOK-05/client-secret-post', 'client_secret_post'),
  secretBy('TOK-05/client-secret-basic', 'client_secret_basic'),
  {
    id: 'TOK-06/saml',
    title: 'A client_assertion_type other than the JWT-bearer URN is refused',
    attempts: () => [
      {
        form: { client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer' },
        deviation: 'assertion type SAML',
      },
      {
        form: { client_assertion_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' },
        deviation: 'the grant type as assertion type',
      },
    ],
  },
  {
    id: 'TOK-07/tampered',
    title: 'A client assertion that was changed after signing is refused',
    attempts: () => [assertion('changed assertion', { tampered: 'payload' })],
  },
  {
    id: 'TOK-07/other-client',
    title: 'A client assertion that another client signed is refused',
    byAnother: true,
    attempts: ({ other }) => {
      const kid = other?.client.signing.kid
      const wrong = { key: 'other-client', header: { kid } } as const
      return [assertion('assertion signed by another client', wrong)]
    },
  },
  {
    id: 'TOK-07/issuer',
    title: 'A client assertion whose iss is not the client_id is refused',
    attempts: (parties) =>
      others(parties).map((iss) => assertion('another iss', { claims: { iss } })),
  },
  {
    id: 'TOK-07/subject',
    title: 'A client assertion whose sub is not the client_id is refused',
    attempts: (parties) =>
      others(parties).map((sub) => assertion('another sub', { claims: { sub } })),
  },
  {
    id: 'TOK-07/audience',
    title: 'A client assertion for another server is refused',
    attempts: () => [assertion('another aud', { claims: { aud: 'https://other.example/token' } })],
  },
  {
    id: 'TOK-07/expired',
    title: 'A client assertion that expired an hour ago is refused',
    attempts: () => [
      assertion('expired assertion', {
        claims: { iat: seconds() - 3720, exp: seconds() - 3600 },
      }),
    ],
  },
  {
    id: 'TOK-08/rs256',
    title: 'A client assertion that is signed with RS256 is refused',
    attempts: () => [assertion('assertion in RS256', { alg: 'RS256' })],
  },
  {
    id: 'TOK-08/unsigned',
    title: 'A client assertion that is not signed is refused',
    attempts: () => [assertion('unsigned assertion', { alg: 'none' })],
  },
  {
    id: 'TOK-08/hs256',
    title:
      'A client assertion in HS256, with the public key of the client as its secret, is refused',
    attempts: () => [assertion('assertion in HS256', { alg: 'HS256' })],
  },
  {
    id: 'TOK-08/other-algorithms',
    title: 'A client assertion that is signed with PS384, PS512 or ES256 is refused',
    attempts: () =>
      ['PS384', 'PS512', 'ES256'].map((alg) => assertion(`assertion in ${alg}`, { alg })),
  },
  {
    id: 'TOK-33/other-client',
    title: 'A client_id in the form that is not that of the client assertion is refused',
    attempts: ({ other }) => [
      {
        form: { client_id: other?.registered?.client_id ?? randomUUID() },
        deviation: 'another client_id',
      },
    ],
  },
  {
    id: 'TOK-32/without-expiry',
    title: 'A client assertion without exp is refused',
    attempts: () => [assertion('assertion without exp', { claims: { exp: undefined } })],
  },
  {
    id: 'TOK-32/without-jti',
    title: 'A client assertion without jti is refused',
    attempts: () => [assertion('assertion without jti', { claims: { jti: undefined } })],
  },
  {
    id: 'TOK-39/no-type',
    title: 'A client assertion without client_assertion_type is refused',
    attempts: () => [
      { form: { client_assertion_type: undefined }, deviation: 'no client_assertion_type' },
    ],
  },
]

/** A used assertion, sent with a grant other than the one for which it was used. */
export const REPLAYED: WrongAuthentication = {
  id: 'TOK-32/replayed',
  title: 'A client assertion that was used before is refused',
  attempts: ({ used }) => (used ? [assertion('a used assertion', { raw: used })] : []),
}

/** A client that has just got a token, and the other client. */
export async function partiesOf(context: Context, name: ClientName = 'first'): Promise<Parties> {
  const { tpp } = await context.caller(name)
  const exchange = await tpp.token(CLIENT)
  relyOn(OWNERS.management, exchange).toSucceed()
  const used = new URLSearchParams(exchange.request.body ?? '').get('client_assertion')
  const { first, second } = context.target.clients
  const other = name === 'second' ? first : second
  return {
    tpp,
    ...(other && { other: (await context.caller(name === 'second' ? 'first' : 'second')).tpp }),
    ...(used !== null && { used }),
  }
}

/** The answer to the same error in a client_credentials request, which a separate check judges. */
export async function withClientCredentials(
  { tpp }: Parties,
  id: string,
  wrong: TokenDeviation,
): Promise<Exchange> {
  if (id !== REPLAYED.id) return tpp.token(CLIENT, wrong)
  const control = await tpp.token(CLIENT)
  relyOn(OWNERS.management, control).toSucceed()
  const { body } = control.request
  return tpp.token(CLIENT, { body, deviation: 'the same assertion' })
}

/** Ends the check as blocked where a client_credentials request has the same result, which the other check judges. */
export async function relyOnClientCredentials(
  parties: Parties,
  id: string,
  wrong: TokenDeviation,
): Promise<void> {
  relyOn(id, await withClientCredentials(parties, id, wrong)).toGiveNoToken()
}
