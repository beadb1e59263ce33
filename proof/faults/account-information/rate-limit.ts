import type { Context, Next } from 'koa'
import { stateOf } from '../../../bank/state.ts'
import type { Fault } from '../../proof.ts'
import { partOf } from '../../rewriting.ts'

const PRESENT = 'x-fapi-customer-ip-address'

/** From the first 429 on, refuses what `also` names as well: 429 for more than it is meant for. */
function spreads(also: (ctx: Context, limited: string) => boolean) {
  let limited: string | undefined
  return async (ctx: Context, next: Next) => {
    const client = String(stateOf(ctx).transport.organisationId)
    if (limited !== undefined && also(ctx, limited)) {
      stateOf(ctx).fired()
      ctx.status = 429
      return
    }
    await next()
    if (ctx.status === 429) limited ??= client
  }
}

/** Answers data requests before the bank does. */
function refusesData(when: (ctx: Context) => boolean) {
  return async (ctx: Context, next: Next) => {
    if (partOf(ctx) !== 'data' || !when(ctx)) return next()
    stateOf(ctx).fired()
    ctx.status = 400
    ctx.body = { Message: 'invalid header' }
  }
}

const faults: Fault[] = [
  {
    id: 'limit-closes-the-connection',
    story: 'The firewall in front drops whoever asks too often.',
    fails: ['RATE-01/with-429'],
    async middleware(ctx: Context, next: Next) {
      await next()
      if (ctx.status !== 429) return
      stateOf(ctx).fired()
      ctx.respond = false
      ctx.socket.destroy()
    },
  },
  {
    id: 'presence-by-ipv4-only',
    story: 'The pattern for the customer’s address knows four numbers and dots.',
    fails: [],
    warns: ['RATE-02/present-is-served'],
    policies: (correct, { fired }) => ({
      customerPresent(headers) {
        const ipv6 = String(headers[PRESENT] ?? '').includes(':')
        if (ipv6) fired()
        return correct.customerPresent(headers) && !ipv6
      },
    }),
  },
  {
    id: 'limit-for-consents-too',
    story: 'One limit stands before the whole interface.',
    fails: [],
    warns: ['RATE-03/consents-served'],
    middleware: spreads((ctx, limited) => {
      const same = stateOf(ctx).transport.organisationId === limited
      return same && partOf(ctx) === 'consents' && ctx.method === 'GET'
    }),
  },
  {
    id: 'limit-for-everybody',
    story: 'The counter has no key: all clients share it.',
    fails: [],
    warns: ['RATE-07/second-client'],
    middleware: spreads((ctx, limited) => {
      const same = stateOf(ctx).transport.organisationId === limited
      return partOf(ctx) === 'data' && !same && ctx.get(PRESENT) === ''
    }),
  },
  {
    id: 'ipv6-customer-refused',
    story: 'The header is validated by a pattern for IPv4.',
    fails: ['RATE-05/with-and-without'],
    middleware: refusesData((ctx) => ctx.get(PRESENT).includes(':')),
  },
  {
    id: 'absent-customer-has-no-transactions',
    story: 'Transactions are thought to need the customer’s presence.',
    fails: ['RATE-05/with-and-without'],
    middleware: refusesData((ctx) => {
      return ctx.get(PRESENT) === '' && ctx.path.endsWith('/aisp/transactions')
    }),
  },
]
export default faults
