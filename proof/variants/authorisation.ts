import type { Context, Middleware } from 'koa'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import { stateOf } from '../../bank/state/state.ts'
import { extraScopesLeftOut } from '../altering/extra-scopes.ts'
import { changeFragment, idTokens, rehashed } from '../altering/id-tokens.ts'
import { answers, partOf } from '../altering/rewriting.ts'
import { tokensSpelt } from '../altering/token-spelling.ts'
import { locationOf, onPages, page, pages } from '../altering/visit-pages.ts'
import { ofEachBank } from '../run/each-bank.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobin, roundRobinOf, roundRobinPerKey } from '../run/round-robin.ts'

/** Changes the redirects to a TPP that have an error in the fragment. */
const errors = (change: (ctx: Context, fragment: URLSearchParams, address: string) => unknown) =>
  answers((ctx) => {
    const [address = '', text = ''] = locationOf(ctx).split('#', 2)
    const fragment = new URLSearchParams(text)
    return onPages(ctx) && fragment.has('error') ? change(ctx, fragment, address) : false
  })

/** Shows the denial as a link after the form instead of a button. */
const declining = pages((html) => {
  const action = /action="(\S+\/decision)"/.exec(html)?.[1]
  if (action === undefined) return html
  const link = `<a href="${action}?decision=deny">Not now</a>`
  return html.replace(/<button[^>]*value="deny"[^>]*>Deny<\/button>\s*<\/form>/, `</form>${link}`)
})

/** The denial that met an outage. */
const outages = ofEachBank(() => new Set<string>())

const variants: Variant[] = [
  {
    id: 'extra-scopes-are-left-out',
    story:
      'The bank ignores a requested scope that is not registered, and asks the customer for the others. Whether it must refuse is open (AMB-28; RFC 6749 3.3 lets a server ignore a part of the scope).',
    middleware: extraScopesLeftOut,
  },
  {
    id: 'declined-by-a-link',
    story:
      'The customer denies by a link beside the form, not by a button. How a customer denies is the bank’s choice.',
    target: ({ authorisation }) => {
      for (const form of authorisation.forms ?? []) delete form.deny
      authorisation.forms?.unshift({ follow: 'Not now', only: 'deny' })
    },
    async middleware(ctx, next) {
      if (onPages(ctx) && ctx.path.endsWith('/decision') && ctx.method === 'GET') {
        ctx.method = 'POST'
        stateOf(ctx).body = ctx.querystring
        ctx.state.fired()
      }
      await declining(ctx, next)
    },
  },
  {
    id: 'all-accounts-are-shared',
    story:
      'The consent covers all accounts of the customer, and no page asks for a choice. How accounts are chosen is the bank’s choice.',
    policies: (_correct, { fired }) => ({
      cardsGranted(offered) {
        fired()
        return offered
      },
    }),
    middleware: pages((html) => html.replace(/<fieldset>[\s\S]*?<\/fieldset>/, '')),
  },
  {
    id: 'accounts-chosen-again',
    story: 'In a re-confirmation, the customer chooses the accounts again.',
    policies: (correct, { fired }) => ({
      choosesCards: ({ kind }) => kind !== 'funds-confirmation',
      cardsOffered(consent, customer) {
        if (!consent.customerId) return correct.cardsOffered(consent, customer)
        fired()
        return correct.cardsOffered({ ...consent, customerId: undefined }, customer)
      },
    }),
  },
  {
    id: 're-confirmed-by-a-login-alone',
    story:
      'In a re-confirmation, the customer only logs in, and no page asks for the decision. The customer re-confirms "by using the existing intent ID in a request to the authorisation endpoint".',
    async middleware(ctx, next) {
      const uid = onPages(ctx) && /^\/interaction\/([^/]+)$/.exec(ctx.path)?.[1]
      const { provider, consents, policies, visitors } = stateOf(ctx).bank.services
      if (uid && ctx.method === 'GET' && visitors.has(uid)) {
        const { params } = await provider.interactionDetails(ctx.req, ctx.res)
        const claims: unknown = JSON.parse(String(params.claims ?? '{}'))
        if (consents.get(policies.intentOf({ claims }) ?? '')?.customerId) {
          ctx.method = 'POST'
          ctx.path += '/decision'
          stateOf(ctx).body = 'decision=approve'
          ctx.state.fired()
        }
      }
      await next()
    },
  },
  {
    id: 'buttons-say-where',
    story:
      'The buttons of the pages have the address of the form in formaction. How the pages send their forms is the bank’s choice.',
    middleware: pages((html) => {
      const [said, address] = / action="(\/interaction[^"]+)"/.exec(html) ?? []
      if (said === undefined) return html
      return html.replace(said, '').replaceAll('<button ', `<button formaction="${address}" `)
    }),
  },
  {
    id: 'one-account-chosen-for-debits',
    story:
      'The customer chooses only one of two accounts in one of the approvals. How many accounts to choose is up to the customer.',
    policies(correct, { fired }) {
      let debitsOnly = false
      return {
        cardsOffered(consent, customer) {
          const { permissions } = consent
          const credits = permissions.includes('ReadTransactionsCredits')
          debitsOnly = permissions.includes('ReadTransactionsDebits') && !credits
          return correct.cardsOffered(consent, customer)
        },
        cardsGranted(offered, ticked, again) {
          const granted = correct.cardsGranted(offered, ticked, again)
          if (!debitsOnly || again || granted.length < 2) return granted
          fired()
          return granted.slice(1)
        },
      }
    },
    target(document) {
      delete document.customers.first.accounts
    },
    blocks: ['ACC-14/all-accounts', 'ACC-14/other-approvals', 'TXN-20/nothing-missing'],
    because: 'What another approval shows is no measure of a consent that covers fewer accounts.',
  },
  {
    id: 'refused-later-in-the-visit',
    story:
      'An invalid consent is refused only after the login or after the approval. When it is refused is open (AMB-23).',
    policies: (correct, { fired }) => {
      const after = roundRobinPerKey(['login', 'decision'] as const)
      const early = (consentId: string) => {
        const path = currentRequest()?.path ?? ''
        return after(consentId) === 'login' ? path === '/authorize' : !path.endsWith('/decision')
      }
      const later = <Reason>(reason: Reason, put: boolean) => {
        if (!reason || !put) return reason
        fired()
        return undefined
      }
      return {
        authorisable(consent, clientId, scopes, age) {
          const reason = correct.authorisable(consent, clientId, scopes, age)
          const atLogin = currentRequest()?.path === '/authorize'
          return later(reason, consent ? early(consent.id) : atLogin)
        },
        confirmableBy(consent, customer, offered) {
          return later(correct.confirmableBy(consent, customer, offered), early(consent.id))
        },
      }
    },
  },
  {
    id: 'refused-by-a-page',
    story:
      'Invalid authorisation requests end with an error page of the bank (400 or 200), not with a redirect, because the redirect URI of such a request cannot be trusted. A denial is redirected.',
    middleware: errors((ctx, fragment) => {
      if (fragment.get('error') === 'access_denied') return false
      ctx.remove('location')
      ctx.type = 'text/html'
      ctx.body = page(`<p>This request cannot be served (${fragment.get('error')}).</p>`)
      ctx.status = statusOfPage()
    }),
  },
  {
    id: 'errors-told-in-any-way',
    story:
      'The redirect has the error in the query, or has another error value, or has no error_description, which is optional (RFC 6749 4.1.2.1). The document does not say where an error is and what its value is.',
    middleware: errors(
      roundRobinOf<[Context, URLSearchParams, string], void>(
        (ctx, fragment, address) => {
          ctx.set('location', `${address}${address.includes('?') ? '&' : '?'}${fragment}`)
        },
        (ctx, fragment, address) => {
          const denied = fragment.get('error') === 'access_denied'
          fragment.set('error', denied ? 'consent_declined' : 'unauthorized')
          ctx.set('location', `${address}#${fragment}`)
        },
        (ctx, fragment, address) => {
          fragment.delete('error_description')
          ctx.set('location', `${address}#${fragment}`)
        },
      ),
    ),
  },
  {
    id: 'an-outage-at-the-first-denial',
    story:
      'The first denial is redirected with error temporarily_unavailable (RFC 6749 4.1.2.1), because the server is overloaded for a moment.',
    middleware: errors((ctx, fragment, address) => {
      if (fragment.get('error') !== 'access_denied' || outages().has('first')) return false
      outages().add('first')
      fragment.set('error', 'temporarily_unavailable')
      ctx.set('location', `${address}#${fragment}`)
    }),
  },
  {
    id: 'one-of-two-parameters-is-taken',
    story:
      'If a parameter of an authorisation request is sent twice, the bank uses the first or the last. A client must not send one twice (RFC 6749 3.1), and the document does not say what the bank does then.',
    async middleware(ctx, next) {
      const twice = Object.entries(ctx.query).flatMap(([name, value]) =>
        Array.isArray(value) ? [[name, value.at(oneOfTwo(name)) ?? '']] : [],
      )
      if (twice.length > 0 && onPages(ctx)) {
        ctx.query = { ...ctx.query, ...Object.fromEntries(twice) }
        stateOf(ctx).fired()
      }
      await next()
    },
  },
  {
    id: 'errors-beside-empty-members',
    story:
      'A redirect with an error also has empty code and id_token parameters. A parameter without a value counts as omitted (RFC 6749 3.1).',
    middleware: errors((ctx, fragment, address) => {
      ctx.set('location', `${address}#code=&id_token=&${fragment}`)
    }),
  },
  {
    id: 'more-in-the-fragment',
    story:
      'The redirect has more parameters: iss (RFC 9207), session_state and scope. Spaces are written as + or %20, and other characters may be percent-encoded too.',
    middleware: answers((ctx) => {
      const [address, text] = locationOf(ctx).split('#', 2)
      if (!onPages(ctx) || text === undefined) return false
      const fragment = new URLSearchParams(text)
      fragment.set('session_state', '7b1c.aa')
      fragment.set('scope', 'openid accounts')
      fragment.set('iss', stateOf(ctx).bank.services.endpoints.issuer)
      ctx.set('location', `${address}#${spellForm(fragment)}`)
    }),
  },
  {
    id: 'codes-and-tokens-with-every-character',
    story:
      'Codes are long and have characters that a form must encode (RFC 6749 A.11). Access tokens have characters such as / and + (RFC 6750 2.1), or are long signed JWTs.',
    middleware: (ctx, next) => tokens(ctx, () => longCodes(ctx, next)),
  },
]

const oneOfTwo = roundRobin([0, -1])

const statusOfPage = roundRobin([400, 200])

const spellForm = roundRobinOf<[URLSearchParams], string>(
  (form) => form.toString(),
  (form) => {
    const members = [...form].toReversed()
    return members.map(([name, value]) => `${name}=${everyOctet(value)}`).join('&')
  },
)

const tokens = tokensSpelt(
  roundRobinOf<[string, Context], string>(
    (token) => `v1/${token}+~.==`,
    (token, ctx) =>
      stateOf(ctx).bank.signAsBank(
        { jti: token, scp: ['accounts'], pad: 'x'.repeat(1500) },
        { typ: 'at+jwt' },
      ),
  ),
)

/** Writes codes in another form wherever the bank issues or accepts one. */
const longCodes: Middleware = async (ctx, next) => {
  const state = stateOf(ctx)
  const form = partOf(ctx) === 'token' ? new URLSearchParams(state.body) : undefined
  const code = form?.get('code')
  if (form && code) {
    form.set('code', code.replace(/^.*~(\S+) $/, '$1'))
    state.body = form.toString()
  }
  await idTokens((claims, sign, context) => {
    const location = locationOf(context)
    const plain = new URLSearchParams(location.split('#')[1]).get('code')
    return plain === null || partOf(context) === 'token'
      ? undefined
      : sign(rehashed(claims, 'c_hash', plain, longCode(plain)))
  })(ctx, next)
  changeFragment(ctx, (fragment) => {
    const plain = fragment.get('code')
    if (plain === null) return false
    fragment.set('code', longCode(plain))
    return true
  })
}

/** Percent-encodes every octet. */
function everyOctet(text: string): string {
  return [...Buffer.from(text)].map((octet) => `%${octet.toString(16).padStart(2, '0')}`).join('')
}

const longCode = (code: string) => `${'AZ/+=&#%?'.repeat(20)}~${code} `

export default variants
