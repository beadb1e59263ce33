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
    story:
      'The error of a refused registration repeats claims of the request, for the log of the sender.',
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
      'The bank has no funds confirmation and leaves out its scope. "The service may modify or discard any supplied value".',
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
      'If a redirect URI is not in the software statement, the bank stores only the first one of the statement. Each software has one client, which its latest registration changes. "The service may modify or discard any supplied value".',
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
      'The bank stores only the first redirect URI. "The service may modify or discard any supplied value".',
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
      'The bank stores redirect URIs with the default port :443; they are the same addresses (RFC 3986 6.2.3). "The service may modify or discard any supplied value".',
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
      'The bank replaces values that the configuration does not advertise, and leaves out redirect URIs that are not in the software statement (AMB-19). "The service may modify or discard any supplied value".',
    policies: putRight,
  },
  {
    id: 'clients-are-managed-at-one-address',
    story:
      'registration_client_uri is the same for all clients, or has the client_id in its query; the token identifies the client. It is for "future registration queries".',
    middleware: successes(['registration'], (client, ctx) => {
      const { registration } = stateOf(ctx).bank.services.endpoints
      const uri = `${registration}${addressOf(String(client.client_id))}`
      return { ...client, registration_client_uri: uri }
    }),
  },
  {
    id: 'registered-with-much-more',
    story:
      'The registration response has many more values, such as a secret and the software statement, and no software_on_behalf_of, which a statement need not have (AMB-24). It returns "all values stored for the client".',
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
      'The registration response has only the values that later requests are compared with. The table has no column for required fields.',
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
    story: 'A software statement can be registered once. How often is not said (AMB-35).',
    middleware: registeringOnly(1),
  },
  {
    id: 'software-registers-twice',
    story: 'A software statement can be registered twice. How often is not said (AMB-35).',
    middleware: registeringOnly(2),
  },
  {
    id: 'software-registers-once-put-right',
    story:
      'A software statement can be registered once (AMB-35), and values that are not advertised are discarded. So a wrong first registration creates the client, and a later correct one is refused.',
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
