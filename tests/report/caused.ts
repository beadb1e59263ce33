import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import { stateOf } from '../../bank/state/state.ts'
import type { Scope } from '../../engine/run/scope.ts'
import { endpointOf } from '../../proof/altering/data-requests.ts'
import type { Bank } from './recorded.ts'

const HOUR = 3_600_000
const PRESENT = 'x-fapi-customer-ip-address'

/** What is judged of a bank whose mistake can't show elsewhere. */
const where = (...only: string[]): Scope => ({ profile: 'full', only })

/** Banks that do one thing wrong which shows in many places. */
export const CAUSES = {
  /** A limit that does not ask whether the customer is present. */
  limited: {
    faults: [],
    scope: where('SEC-*', 'ACC-*', 'BAL-*', 'DATA-*', 'RATE-*', 'TOK-*', 'CLC-*'),
    alteration: {
      id: 'limit-while-present',
      story: 'The limiter of the balances counts customers too.',
      async middleware(ctx, next) {
        const asked = endpointOf(ctx)
        if (!asked?.endsWith('balances') || ctx.get(PRESENT) === '') return next()
        ctx.status = 429
        ctx.set('retry-after', '0')
        ctx.body = { error: 'rate_limited' }
      },
    },
  },
  /** A refreshed access token never works. */
  unrefreshed: {
    faults: [],
    alteration: {
      id: 'refreshed-tokens-are-unknown',
      story: 'Refreshed tokens are stored where the gateway does not look.',
      async middleware(ctx, next) {
        if (!endpointOf(ctx) || !tokenInfoOf(ctx)?.refreshed) return next()
        ctx.status = 401
        ctx.body = { error: 'invalid_token' }
      },
    },
  },
  /** Equal requests for a consent are one request. */
  twice: {
    faults: [],
    alteration: {
      id: 'consents-by-their-bodies',
      story: 'A gateway answers equal POST requests from its cache.',
      middleware: (() => {
        const known = new Map<string, { status: number; body: unknown }>()
        return async (ctx, next) => {
          if (ctx.method !== 'POST' || !ctx.path.endsWith('/account-access-consents')) return next()
          const { body } = stateOf(ctx)
          const key = `${tokenInfoOf(ctx)?.clientId} ${body}`
          const before = known.get(key)
          if (before && ctx.get('authorization') !== '') {
            Object.assign(ctx, before)
            return
          }
          await next()
          if (ctx.status === 201) known.set(key, { status: 201, body: ctx.body })
        }
      })(),
    },
  },
  /** The configuration names another issuer than the ID tokens. */
  issuer: {
    faults: [],
    alteration: {
      id: 'issuer-of-the-configuration',
      story: 'The configuration was copied from the test system.',
      settings: { discovery: { issuer: 'https://test.bank.example' } },
    },
  },
  /** A clock that is an hour ahead. */
  clock: {
    faults: [],
    scope: where('CONS-*', 'CLC-*', 'FCC-*'),
    alteration: {
      id: 'clock-of-an-hour',
      story: 'The clock was never set to UTC.',
      policies: (correct) => ({
        consentView: (consent, spelling) =>
          correct.consentView(
            {
              ...consent,
              created: consent.created + HOUR,
              statusUpdated: consent.statusUpdated + HOUR,
            },
            spelling,
          ),
      }),
    },
  },
  /** No certificate is looked at. */
  open: {
    scope: where('REG-*', 'SEC-*', 'AUTHZ-*', 'general'),
    faults: [
      'no-certificate-needed',
      'any-certificate-will-do',
      'expired-certificates-are-forgiven',
    ],
  },
} satisfies Record<string, Bank>
