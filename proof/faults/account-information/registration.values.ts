import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { decoded } from '../../altering/jwt-rewrites.ts'
import { successes } from '../../altering/rewriting.ts'
import type { Fault } from '../../run/proof.ts'

/** A claim of the current registration. */
function requested(claim: string): unknown {
  const ctx = currentRequest()
  return ctx && decoded(stateOf(ctx).body).claims[claim]
}

const KNOWN_SCOPES = ['openid', 'accounts', 'fundsconfirmations']

/** Compares only some of the redirect URIs with the statement. */
function comparesOnly(chosen: (uris: string[]) => (string | undefined)[]): Fault['policies'] {
  return (correct, { fired }) => ({
    redirectUrisAcceptable(requested, stated) {
      if (correct.redirectUrisAcceptable(requested, stated)) return true
      if (!chosen(requested).every((uri) => stated.includes(uri ?? ''))) return false
      fired()
      return true
    },
  })
}

/** Stores and returns one claim as it was sent, whatever the configuration advertises. */
function echoes(claim: string): NonNullable<Fault['policies']> {
  return (correct, { fired }) => ({
    registrationValueRefusal(claims, advertised) {
      const { [claim]: _, ...others } = claims
      return correct.registrationValueRefusal(others, advertised)
    },
    scopesStored: (scopes, roles) =>
      correct.scopesStored(
        scopes.filter((scope) => KNOWN_SCOPES.includes(scope)),
        roles,
      ),
    registrationView(stored) {
      const view = correct.registrationView(stored)
      const sent = requested(claim)
      if (sent === undefined || sent === view[claim]) return view
      fired()
      return { ...view, [claim]: sent }
    },
  })
}

/** The answer leaves out a grant type that works. */
const unlisted = (grant: string, story: string): Fault => ({
  id: `${grant.replaceAll('_', '-')}-is-not-listed`,
  story,
  fails: ['REG-12/as-registered'],
  policies: (correct, { fired }) => ({
    registrationView(stored) {
      const view = correct.registrationView(stored)
      const grants = view.grant_types as string[]
      if (!grants.includes(grant)) return view
      fired()
      return { ...view, grant_types: grants.filter((one) => one !== grant) }
    },
  }),
})

/** The answer has only some of the redirect URIs, although all work. */
const uriUnlisted = (id: string, story: string, listed: (uris: string[]) => string[]): Fault => ({
  id,
  story,
  fails: ['REG-13/left-out'],
  policies: (correct, { fired }) => ({
    registrationView(stored) {
      const view = correct.registrationView(stored)
      const uris = view.redirect_uris as string[]
      if (uris.length < 2) return view
      fired()
      return { ...view, redirect_uris: listed(uris) }
    },
  }),
})

const faults: Fault[] = [
  uriUnlisted(
    'first-redirect-uri-alone-is-listed',
    'The registration response lists only the first redirect URI, although the bank accepts all of them.',
    (uris) => uris.slice(0, 1),
  ),
  uriUnlisted(
    'first-redirect-uri-is-not-listed',
    'The registration response leaves out the first redirect URI, although the bank accepts it. The data model stores it in another field.',
    (uris) => uris.slice(1),
  ),
  unlisted(
    'authorization_code',
    'The registration response leaves out authorization_code, although the client can use it.',
  ),
  unlisted(
    'client_credentials',
    'The registration response leaves out client_credentials, although the client can use it.',
  ),
  unlisted(
    'refresh_token',
    'The registration response leaves out refresh_token, although the client can use it.',
  ),
  {
    id: 'scope-of-accounts-is-not-listed',
    story:
      'The registration response leaves out the scope accounts, although the bank accepts it, because every client has that scope.',
    fails: ['AUTHZ-09/beyond'],
    warns: ['TOK-36/within-registration'],
    middleware: successes(['registration'], (body) => ({
      ...body,
      scope: String(body.scope).replace(/ ?\baccounts\b/, ''),
    })),
  },
  {
    id: 'page-of-one-customer-names-nobody',
    story:
      'The consent page of some customers does not name the TPP. The names were left out in a translation of the page.',
    fails: ['REG-22/on-behalf-of'],
    async middleware(ctx, next) {
      const { bank } = stateOf(ctx)
      const [, uid = ''] = /^\/interaction\/([^/]+)/.exec(ctx.path) ?? []
      const visitor = bank.services.visitors.get(uid)
      await next()
      const translated = visitor !== undefined && visitor.id === bank.customers[1]?.id
      if (!translated || typeof ctx.body !== 'string') return
      ctx.body = ctx.body.replace(/<strong>[\s\S]*?<\/strong>/g, 'Rhaglen')
      stateOf(ctx).fired()
    },
  },
  {
    id: 'confirming-again-names-nobody',
    story: 'The page for the re-confirmation of a consent does not name the TPP.',
    fails: ['REG-22/again'],
    async middleware(ctx, next) {
      await next()
      if (!ctx.path.startsWith('/interaction/') || typeof ctx.body !== 'string') return
      const nameless = ctx.body
        .replace(/<p>[^<]* sent you here\./, '<p>An application sent you here.')
        .replace(
          /<strong>[\s\S]*asks you to confirm again/,
          'An application asks you to confirm again',
        )
      if (nameless === ctx.body) return
      ctx.body = nameless
      stateOf(ctx).fired()
    },
  },
  {
    id: 'id-token-algorithm-as-asked',
    story:
      'The bank stores the id_token_signed_response_alg that a client asks for, even if the configuration lists only PS256.',
    fails: ['REG-05/signing-algorithm'],
    policies: echoes('id_token_signed_response_alg'),
  },
  {
    id: 'scope-as-asked',
    story: 'The bank stores the scope as requested, even scopes that it does not support.',
    fails: ['REG-05/scope'],
    policies: echoes('scope'),
  },
  {
    id: 'any-scope-beside-a-short-list',
    story: 'The bank stores the scope as requested, and its configuration lists only openid.',
    fails: ['REG-05/scope'],
    policies: echoes('scope'),
    middleware: successes(['discovery'], (body) => ({ ...body, scopes_supported: ['openid'] })),
  },
  {
    id: 'organisation-of-the-request',
    story:
      'The bank stores the organisation that the registration request states, not the one of the software statement. It merges the claims of both, and those of the request win.',
    fails: [],
    warns: ['REG-36/not-adopted'],
    policies: echoes('org_name'),
  },
  {
    id: 'organisation-id-of-the-request',
    story:
      'The bank stores the org_id that the registration request states, not the one of the software statement.',
    fails: [],
    warns: ['REG-36/not-adopted'],
    policies: echoes('org_id'),
  },
  {
    id: 'client-id-of-the-request',
    story:
      'The bank uses the client_id that the registration request contains. The product issues its own only if there is none.',
    fails: [],
    warns: ['REG-36/not-adopted'],
    policies: echoes('client_id'),
  },
  {
    id: 'last-redirect-uri-alone-is-compared',
    story:
      'The bank compares only the last redirect URI with the software statement, because a loop keeps only its last result.',
    fails: ['REG-04/outside'],
    policies: comparesOnly((uris) => [uris.at(-1)]),
  },
  {
    id: 'first-and-last-redirect-uri-are-compared',
    story:
      'The bank compares only the first and the last redirect URI with the software statement.',
    fails: ['REG-04/outside'],
    policies: comparesOnly((uris) => [uris[0], uris.at(-1)]),
  },
  {
    id: 'page-names-the-client-before',
    story:
      'The consent page of the second client names the first client. The page is cached without the client in the cache key.',
    fails: ['REG-22/second-client'],
    policies: (correct, { fired }) => ({
      stored(model, id, record) {
        const seen = correct.stored(model, id, record)
        const ctx = currentRequest()
        if (model !== 'Client' || !seen || !ctx?.path.startsWith('/interaction/')) return seen
        const { bank } = stateOf(ctx)
        const { first, second } = bank.services.directory.clients
        if (seen.org_id !== second.organisationId) return seen
        fired()
        const { claims } = decoded(first.softwareStatement)
        const { org_name, software_on_behalf_of } = claims
        return { ...seen, org_name, software_on_behalf_of }
      },
    }),
  },
  {
    id: 'registration-for-another-bank',
    story:
      'The bank does not compare the aud of a registration JWT, so it accepts one that was made for another bank.',
    fails: [],
    warns: ['REG-24/other-audience'],
    policies: (correct, { fired }) => ({
      registrationClaimsRefusal(claims, expected) {
        if (!expected.audiences.includes(String(claims.aud))) fired()
        const [aud] = expected.audiences
        return correct.registrationClaimsRefusal({ ...claims, aud }, expected)
      },
    }),
  },
  {
    id: 'registrations-from-the-future',
    story: 'The bank ignores the nbf of a registration JWT and accepts one that is not yet valid.',
    fails: [],
    warns: ['REG-24/not-yet-good'],
    policies: (correct, { fired }) => ({
      registrationClaimsRefusal({ nbf, ...others }, expected) {
        if (Number(nbf ?? 0) > expected.now + 1800) fired()
        return correct.registrationClaimsRefusal(others, expected)
      },
    }),
  },
  {
    id: 'a-grant-of-another-channel-is-stored',
    story:
      'The registration response has a grant type that the configuration does not list. New clients are created from a template of the mobile app.',
    fails: [],
    warns: ['REG-35/advertised'],
    middleware: successes(['registration'], (body) => ({
      ...body,
      grant_types: [...(body.grant_types as string[]), 'urn:openid:params:grant-type:ciba'],
    })),
  },
  {
    id: 'the-default-response-type-is-stored-too',
    story:
      'The bank adds response type code, the default of RFC 7591, although the configuration does not list it and the client did not ask for it.',
    fails: [],
    warns: ['REG-35/advertised'],
    middleware: successes(['registration'], (body) => ({
      ...body,
      response_types: ['code', ...(body.response_types as string[])],
    })),
  },
  {
    id: 'redirect-uris-are-not-returned',
    story:
      'The registration response has an empty list of redirect_uris, because the stored list is not loaded yet.',
    fails: ['REG-13/as-registered'],
    middleware: successes(['registration'], (body) => ({ ...body, redirect_uris: [] })),
  },
]
export default faults
