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
    story: 'The account is read before it is known to exist; the gateway turns the crash into 500.',
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
      'The consent store rejects the enumeration value, and its client says 503 to all errors.',
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
      'A refresh locks the row of its token. A second one at the same time does not get the lock, and nobody handles that exception.',
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
