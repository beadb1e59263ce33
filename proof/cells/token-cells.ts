import type { Context } from 'koa'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import { stateOf } from '../../bank/state/state.ts'
import {
  acceptsAssertion,
  type Decoded,
  goodAssertion,
  goodTimes,
  looksRight,
  tokenForm,
} from '../altering/jwt-rewrites.ts'
import { answers, type Json, jsonOf } from '../altering/rewriting.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Fault } from '../run/proof.ts'

/** The token endpoint, one cell at a time: one mistake in a request, for one grant and client. */

export type Said = Pick<Fault, 'fails' | 'warns' | 'because'>
export type Grant = 'client_credentials' | 'authorization_code' | 'refresh_token'

const now = () => Math.floor(Date.now() / 1000)

export const clientIs = (ctx: Context, id: unknown, name: 'first' | 'second') => {
  const { directory, records } = stateOf(ctx).bank.services
  const second =
    records.peek('Client', String(id))?.org_id === directory.clients.second.organisationId
  return second === (name === 'second')
}

type Wrong = (assertion: Decoded, form: URLSearchParams, ctx: Context) => Json | undefined

const alg =
  (name: string): Wrong =>
  ({ header, claims }) =>
    header.alg === name ? claims : undefined

/** The jti of client assertions. */
const used = ofEachBank(() => new Set<unknown>())

/** Possible mistakes in the client's authentication, and the claims that would be right. */
export const WRONG_AUTHENTICATION: Record<string, Wrong> = {
  rs256: alg('RS256'),
  ps384: alg('PS384'),
  ps512: alg('PS512'),
  es256: alg('ES256'),
  unsigned: alg('none'),
  hs256: alg('HS256'),
  'other-audience': ({ claims }, _form, ctx) => {
    const { issuer, token } = stateOf(ctx).bank.services.endpoints
    const fine = [claims.aud].flat().some((one) => one === issuer || one === token)
    return claims.aud === undefined || fine ? undefined : { ...claims, aud: token }
  },
  expired: ({ claims }) =>
    typeof claims.exp === 'number' && claims.exp < now()
      ? { ...claims, ...goodTimes() }
      : undefined,
  'other-key': (assertion, _form, ctx) => {
    const { header, claims } = assertion
    const other = header.alg === 'PS256' && !looksRight(ctx, assertion, claims.sub)
    return other ? claims : undefined
  },
  'unverified-signature': (assertion, _form, ctx) =>
    looksRight(ctx, assertion, assertion.claims.sub) ? assertion.claims : undefined,
  reused: ({ claims }, _form, ctx) => {
    const seen = used()
    if (claims.jti === undefined) return undefined
    if (!seen.has(claims.jti)) {
      seen.add(claims.jti)
      return undefined
    }
    return (claims.exp as number) > now() ? goodAssertion(ctx, String(claims.sub)) : undefined
  },
  'other-issuer': ({ claims }) =>
    claims.iss !== undefined && claims.sub !== undefined && claims.iss !== claims.sub
      ? { ...claims, iss: claims.sub }
      : undefined,
  'no-expiry': ({ claims }) =>
    claims.iss !== undefined && claims.exp === undefined
      ? { ...claims, exp: now() + 60 }
      : undefined,
  saml: ({ claims }, form) =>
    form.get('client_assertion_type')?.endsWith('saml2-bearer') ? claims : undefined,
  'no-type': (assertion, form, ctx) =>
    !form.has('client_assertion_type') && looksRight(ctx, assertion, assertion.claims.sub)
      ? assertion.claims
      : undefined,
  'other-client-id': (assertion, form, ctx) => {
    const { claims } = assertion
    const id = form.get('client_id')
    const right = looksRight(ctx, assertion, claims.sub)
    if (!id || !right || id === claims.sub || claims.iss !== claims.sub) return undefined
    form.delete('client_id')
    return claims
  },
  absent: (_assertion, form, ctx) => {
    const id = form.get('client_id')
    const secret = form.has('client_secret') || ctx.get('authorization') !== ''
    return id && !form.has('client_assertion') && !secret ? goodAssertion(ctx, id) : undefined
  },
  'secret-post': (_assertion, form, ctx) => {
    if (form.has('client_assertion') || !form.has('client_secret')) return undefined
    form.delete('client_secret')
    return goodAssertion(ctx, form.get('client_id') ?? '')
  },
  'secret-basic': (_assertion, form, ctx) => {
    const basic = /^Basic (.+)$/.exec(ctx.get('authorization'))?.[1]
    if (form.has('client_assertion') || !basic) return undefined
    delete ctx.req.headers.authorization
    const [id = ''] = Buffer.from(basic, 'base64').toString().split(':')
    return goodAssertion(ctx, decodeURIComponent(id))
  },
}

/** What is accepted in each case. */
const ACCEPTED: Readonly<Record<string, string>> = {
  rs256: 'a client assertion signed with RS256',
  ps384: 'a client assertion signed with PS384',
  ps512: 'a client assertion signed with PS512',
  es256: 'a client assertion signed with ES256',
  unsigned: 'an unsigned client assertion (alg none)',
  hs256: 'a client assertion signed with HS256',
  'other-audience': 'a client assertion with another aud',
  expired: 'an expired client assertion',
  'other-key': 'a client assertion signed with another key',
  'unverified-signature': 'a client assertion with an invalid signature',
  reused: 'a client assertion that was used before',
  'other-issuer': 'a client assertion whose iss differs from its sub',
  'no-expiry': 'a client assertion without exp',
  saml: 'the client_assertion_type of SAML',
  'no-type': 'a request without client_assertion_type',
  'other-client-id': 'a client_id that differs from the client of the assertion',
  absent: 'a request without a client assertion',
  'secret-post': 'a client_secret in the form instead of a client assertion',
  'secret-basic': 'a client_secret in the Authorization header instead of a client assertion',
}

/** What is wrong in the token response, by the start of the fault's id. */
const ANSWERED: Readonly<Record<string, string>> = {
  'expires-in-as-a-point-in-time': 'expires_in is a Unix time instead of a number of seconds',
  'expires-in-as-text': 'expires_in is a string instead of an integer',
  'id-token-issued-at-the-first-time': 'the iat of the ID token is one day early',
}

const ofClient = (client: string | undefined) => (client ? ` of the ${client} client` : '')

/** The bank accepts a wrong authentication for one grant, of one client. */
export function takesAuthentication(
  wrong: keyof typeof WRONG_AUTHENTICATION,
  grant: Grant,
  client: 'first' | 'second' | undefined,
  said: Said,
): Fault {
  return {
    id: `assertion-${wrong}-for-${grant.replaceAll('_', '-')}${client ? `-of-${client}` : ''}`,
    story: `In ${grant} requests${ofClient(client)}, the token endpoint accepts ${ACCEPTED[wrong] ?? wrong}.`,
    ...said,
    middleware: acceptsAssertion((assertion, form, ctx) => {
      // An assertion counts as used with any grant.
      if (form.get('grant_type') !== grant && wrong !== 'reused') return undefined
      const claims = WRONG_AUTHENTICATION[wrong]?.(assertion, form, ctx)
      if (form.get('grant_type') !== grant) return undefined
      return claims && (!client || clientIs(ctx, claims.sub, client)) ? claims : undefined
    }),
  }
}

/** Changes token responses of one grant and client. */
export function tokenAnswers(
  slug: string,
  change: (body: Json, ctx: Context) => Json | false,
  grant: Grant,
  client: 'first' | 'second' | undefined,
  said: Said,
): Fault {
  return {
    id: `${slug}-for-${grant.replaceAll('_', '-')}${client ? `-of-${client}` : ''}`,
    story: `In responses to ${grant} requests${ofClient(client)}, ${ANSWERED[slug] ?? slug}.`,
    ...said,
    middleware: answers((ctx) => {
      const form = tokenForm(ctx)
      const body = jsonOf(ctx)
      if (form?.get('grant_type') !== grant || !body || ctx.status !== 200) return false
      const { records } = stateOf(ctx).bank.services
      const access = String(body.access_token)
      const owner = (
        records.peek('AccessToken', access) ?? records.peek('ClientCredentials', access)
      )?.clientId
      if (client && !clientIs(ctx, owner, client)) return false
      const changed = change(body, ctx)
      if (changed === false) return false
      ctx.body = changed
    }),
  }
}

/** The bank accepts a grant from clients that did not register it. */
export function unregisteredGrant(grant: Grant, fails: string[]): Fault {
  return {
    id: `unregistered-${grant.replaceAll('_', '-')}`,
    story: `The bank accepts ${grant} from a client that did not register this grant type.`,
    fails,
    policies: (correct, { fired }) => ({
      stored(model, id, record) {
        const seen = correct.stored(model, id, record)
        const grants = (seen?.grant_types ?? []) as string[]
        if (model !== 'Client' || !seen || grants.includes(grant)) return seen
        const ctx = currentRequest()
        if (ctx && tokenForm(ctx)?.get('grant_type') === grant) fired()
        if (grant !== 'authorization_code') return { ...seen, grant_types: [...grants, grant] }
        // What the authorisation page needs to issue a code to it.
        const grant_types = [...grants, grant, 'implicit']
        return { ...seen, grant_types, response_types: ['code id_token'] }
      },
    }),
  }
}
