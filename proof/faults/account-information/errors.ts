import { setTimeout as wait } from 'node:timers/promises'
import { stateOf } from '../../../bank/state/state.ts'
import { tokenForm } from '../../altering/jwt-rewrites.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** Refresh tokens that are being used. */
const locked = ofEachBank(() => new Set<string>())

/** Milliseconds: long enough for two connections that are opened at once. */
const LOCKED = 50

const faults: Fault[] = [
  {
    id: 'unknown-account-is-a-crash',
    story: 'An unknown AccountId gets status 500, because the service crashes on it.',
    fails: [],
    warns: ['ERR-01/no-5xx'],
    policies: (correct, { fired }) => ({
      refusal(reason) {
        const right = correct.refusal(reason)
        if (reason !== 'account-unknown') return right
        fired()
        return { ...right, status: 500 }
      },
    }),
  },
  {
    id: 'unsupported-permission-is-unavailable',
    story:
      'A consent request with an unsupported permission gets status 503, which the service returns for every error of the consent store.',
    fails: [],
    warns: ['ERR-01/no-5xx'],
    policies: (correct, { fired }) => ({
      refusal(reason) {
        const right = correct.refusal(reason)
        if (reason !== 'permission-unsupported') return right
        fired()
        return { ...right, status: 503 }
      },
    }),
  },
  {
    id: 'refresh-token-is-locked-while-it-is-used',
    story:
      'Two refreshes with one refresh token at the same time: the second gets status 500, because the first has locked the row in the database.',
    fails: [],
    warns: ['ERR-01/no-5xx'],
    async middleware(ctx, next) {
      const token = tokenForm(ctx)?.get('refresh_token')
      if (!token) return next()
      const all = locked()
      if (all.has(token)) {
        ctx.status = 500
        ctx.body = { error: 'server_error' }
        stateOf(ctx).fired()
        return undefined
      }
      all.add(token)
      await wait(LOCKED)
      await next()
      all.delete(token)
      return undefined
    },
  },
]

export default faults
