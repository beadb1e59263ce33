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
    'The answer is made for a page with one field, which has the first redirect URI.',
    (uris) => uris.slice(0, 1),
  ),
  uriUnlisted(
    'first-redirect-uri-is-not-listed',
    'The first redirect URI is the home of the client in the data model, and the list has the rest.',
    (uris) => uris.slice(1),
  ),
  unlisted(
    'authorization_code',
    'Every client uses codes, so the answer names what clients may have beside them.',
  ),
  unlisted('client_credentials', 'The grant of the machine is a setting of the gateway alone.'),
  unlisted('refresh_token', 'Refresh tokens come with codes, and are no grant in the data model.'),
  {
    id: 'scope-of-accounts-is-not-listed',
    story: 'Every client may ask for accounts, so the answer names the scopes that it has beside.',
    fails: ['AUTHZ-09/beyond'],
    warns: ['TOK-36/within-registration'],
    middleware: successes(['registration'], (body) => ({
      ...body,
      scope: String(body.scope).replace(/ ?\baccounts\b/, ''),
    })),
  },
  {
    id: 'page-of-one-customer-names-nobody',
    story: 'The page was translated for some customers, and the names in its text were left out.',
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
    story:
      'The page that asks for a second confirmation takes for granted that customers know who asks.',
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
    story: 'Each client has its ID tokens in the algorithm that it likes; the list says PS256.',
    fails: ['REG-05/signing-algorithm'],
    policies: echoes('id_token_signed_response_alg'),
  },
  {
    id: 'scope-as-asked',
    story: 'scope goes into the database as it came; what is not known gives no access anyway.',
    fails: ['REG-05/scope'],
    policies: echoes('scope'),
  },
  {
    id: 'any-scope-beside-a-short-list',
    story: 'The same, and the configuration lists the one scope that each server must list.',
    fails: ['REG-05/scope'],
    policies: echoes('scope'),
    middleware: successes(['discovery'], (body) => ({ ...body, scopes_supported: ['openid'] })),
  },
  {
    id: 'organisation-of-the-request',
    story:
      'The claims of the statement and those of the request are put into one map, the latter last.',
    fails: [],
    warns: ['REG-36/not-adopted'],
    policies: echoes('org_name'),
  },
  {
    id: 'organisation-id-of-the-request',
    story:
      'The name of the organisation is that of the statement; its identifier has a column with a default.',
    fails: [],
    warns: ['REG-36/not-adopted'],
    policies: echoes('org_id'),
  },
  {
    id: 'client-id-of-the-request',
    story: 'The product issues a client_id where the request has none.',
    fails: [],
    warns: ['REG-36/not-adopted'],
    policies: echoes('client_id'),
  },
  {
    id: 'last-redirect-uri-alone-is-compared',
    story: 'A loop over the redirect URIs keeps the result of its last turn.',
    fails: ['REG-04/outside'],
    policies: comparesOnly((uris) => [uris.at(-1)]),
  },
  {
    id: 'first-and-last-redirect-uri-are-compared',
    story: 'The form of the directory has room for two redirect URIs: the first and the last.',
    fails: ['REG-04/outside'],
    policies: comparesOnly((uris) => [uris[0], uris.at(-1)]),
  },
  {
    id: 'page-names-the-client-before',
    story:
      'The template of the consent page is filled once and cached without the client in its key.',
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
    story: 'The audience of a registration is not compared: TPPs send one JWT to all banks.',
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
    story: 'A registration is read by hand: exp is compared, and nobody has ever sent nbf.',
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
      'Clients are made from a template of the mobile app, whose grant type the configuration does not have.',
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
      'RFC 7591 has code for a default: the library adds it to the response types that a client asks for.',
    fails: [],
    warns: ['REG-35/advertised'],
    middleware: successes(['registration'], (body) => ({
      ...body,
      response_types: ['code', ...(body.response_types as string[])],
    })),
  },
  {
    id: 'redirect-uris-are-not-returned',
    story: 'The answer is made of a record whose list of redirect URIs is loaded later.',
    fails: ['REG-13/as-registered'],
    middleware: successes(['registration'], (body) => ({ ...body, redirect_uris: [] })),
  },
]
export default faults
