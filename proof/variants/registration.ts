import { stateOf } from '../../bank/state/state.ts'
import { decoded } from '../altering/jwt-rewrites.ts'
import { type Json, jsonOf, partOf, refusals, successes } from '../altering/rewriting.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobinOf } from '../run/round-robin.ts'

/** Changes the registered client in the 201 before it is sent. */
const registered = (change: (client: Json) => Json) => successes(['registration'], change)

/** Replaces values that are not advertised by advertised ones, and drops redirect URIs outside the statement. */
const putRight: NonNullable<Variant['policies']> = (correct, { fired }) => ({
  redirectUrisAcceptable: () => true,
  redirectUrisStored(requested, stated) {
    const kept = requested?.filter((uri) => stated.includes(uri))
    if (kept && kept.length < (requested?.length ?? 0)) fired()
    return correct.redirectUrisStored(kept?.length ? kept : undefined, stated)
  },
  registrationValueRefusal(claims, advertised) {
    const reason = correct.registrationValueRefusal(claims, advertised)
    if (reason === undefined) return undefined
    fired()
    const grants = claims.grant_types
    if (Array.isArray(grants)) {
      claims.grant_types = grants.filter((one) => advertised.grantTypes.includes(one))
    }
    return undefined
  },
  grantTypesStored: (requested) =>
    requested.length > 0 ? requested : ['authorization_code', 'client_credentials'],
})

const addressOf = roundRobinOf<[string], string>(
  () => '/current',
  (id) => `?client_id=${encodeURIComponent(id)}`,
)

const variants: Variant[] = [
  {
    id: 'registration-errors-repeat-the-claims',
    story: 'An error of the registration shows what was asked for, for the log of whoever sent it.',
    middleware: refusals(['registration'], (ctx) => {
      const { client_id, redirect_uris } = decoded(stateOf(ctx).body).claims
      const error = jsonOf(ctx)
      if (!error || !redirect_uris) return false
      ctx.body = { ...error, redirect_uris, ...(client_id !== undefined && { client_id }) }
    }),
  },
  {
    id: 'registered-without-funds',
    story:
      '"The service may modify or discard any supplied value": a bank without funds confirmation leaves its scope out.',
    policies: (correct, { fired }) => ({
      scopesStored(requested, roles) {
        fired()
        const stored = correct.scopesStored(requested, roles)
        return stored.filter((scope) => scope !== 'fundsconfirmations')
      },
    }),
  },
  {
    id: 'one-client-whose-redirect-uris-are-cut-where-one-is-wrong',
    story:
      '"The service may modify or discard any supplied value": of a list with a redirect URI outside the statement the first of the statement is left; each software has one client, which the latest registration describes.',
    policies: (_correct, { fired }) => ({
      clientIdFor: ({ software_id: id }) => String(id),
      redirectUrisAcceptable: () => true,
      redirectUrisStored(requested, stated) {
        if (!requested || requested.every((uri) => stated.includes(uri))) return requested ?? stated
        fired()
        return stated.slice(0, 1)
      },
    }),
  },
  {
    id: 'one-redirect-uri-is-stored',
    story:
      '"The service may modify or discard any supplied value": of the redirect URIs it keeps the first.',
    policies: (correct, { fired }) => ({
      redirectUrisStored(requested, stated) {
        const stored = correct.redirectUrisStored(requested, stated)
        if (stored.length > 1) fired()
        return stored.slice(0, 1)
      },
    }),
  },
  {
    id: 'redirect-uris-with-their-port',
    story:
      '"The service may modify or discard any supplied value": it writes redirect URIs with the port that they have by default, which are the same addresses (RFC 3986 6.2.3).',
    policies: (correct, { fired }) => ({
      redirectUrisStored(requested, stated) {
        fired()
        return correct
          .redirectUrisStored(requested, stated)
          .map((uri) => uri.replace(/^https:\/\/[^/:]+/, '$&:443'))
      },
    }),
  },
  {
    id: 'registrations-are-put-right',
    story:
      '"The service may modify or discard any supplied value": what the configuration does not advertise becomes what it does, and redirect URIs outside the statement are left out (AMB-19).',
    policies: putRight,
  },
  {
    id: 'clients-are-managed-at-one-address',
    story:
      'registration_client_uri is for "future registration queries": the token tells the client, and the address is one for all, or has the id in its query.',
    middleware: successes(['registration'], (client, ctx) => {
      const { registration } = stateOf(ctx).bank.services.endpoints
      const uri = `${registration}${addressOf(String(client.client_id))}`
      return { ...client, registration_client_uri: uri }
    }),
  },
  {
    id: 'registered-with-much-more',
    story:
      'The response returns "all values stored for the client": also a secret, the statement and its claims. A software statement need not have software_on_behalf_of (AMB-24): none is returned.',
    warns: ['REG-31/on-behalf-of'],
    because:
      'The statement of the reference bank names on whose behalf the software acts; this bank keeps that to itself.',
    middleware: registered(({ software_on_behalf_of: _none, ...client }) => ({
      ...client,
      client_secret: 'b5c2b4a3-9c4b-4e5a-8a4f-0c7f2f1d9e3b',
      client_secret_expires_at: 0,
      require_auth_time: false,
      subject_type: 'pairwise',
      tls_client_auth_subject_dn: null,
      software_roles: ['AISP'],
      software_statement: 'eyJhbGciOiJQUzI1NiJ9.e30.c2ln',
      backchannel_logout_uri: '',
    })),
  },
  {
    id: 'registered-with-the-least',
    story:
      'The table of the registered client has no column for required ones: only what later requests are judged by is returned.',
    middleware: registered((client) => {
      const names = [
        'client_id',
        'grant_types',
        'redirect_uris',
        'scope',
        'response_types',
        'token_endpoint_auth_method',
      ]
      return Object.fromEntries(names.map((name) => [name, client[name]]))
    }),
    warns: ['REG-28/all-fields'],
    because: 'AMB-24: the other fields should be returned.',
  },
  {
    id: 'software-registers-once',
    story: 'How often one software statement can be registered is not said (AMB-35): once.',
    middleware: registeringOnly(1),
  },
  {
    id: 'software-registers-twice',
    story:
      'How often one software statement can be registered is not said (AMB-35): a software has two clients at most.',
    middleware: registeringOnly(2),
  },
  {
    id: 'software-registers-once-put-right',
    story:
      'A software has one client (AMB-35), and a value that is not advertised is discarded: the first registration with such a value makes that client, and the correct one comes too late.',
    middleware: registeringOnly(1),
    policies: putRight,
  },
]

/** Refuses further registrations of an organisation after this many have succeeded. */
function registeringOnly(most: number): NonNullable<Variant['middleware']> {
  const known = ofEachBank(() => new Map<string, number>())
  return async (ctx, next) => {
    if (partOf(ctx) !== 'registration' || ctx.method !== 'POST') return next()
    const clients = known()
    const organisation = stateOf(ctx).transport.organisationId ?? ''
    const count = clients.get(organisation) ?? 0
    if (count >= most) {
      ctx.status = 400
      ctx.body = { error: 'invalid_client_metadata', error_description: 'already registered' }
      ctx.state.fired()
      return
    }
    await next()
    if (ctx.status === 201 && jsonOf(ctx)) clients.set(organisation, count + 1)
  }
}

export default variants
