import { setTimeout as wait } from 'node:timers/promises'
import { endpointOf } from '../../data-requests.ts'
import type { Fault } from '../../proof.ts'

let lastToken: string | undefined

const faults: Fault[] = [
  {
    id: 'consent-of-the-other-request',
    story:
      'The consent of the current request is kept in a field of a service that all requests share.',
    fails: ['DATA-08/concurrent'],
    async middleware(ctx, next) {
      if (endpointOf(ctx) === 'transactions') {
        const own = ctx.req.headers.authorization
        lastToken = own
        await wait(5)
        if (lastToken !== own) ctx.state.fired()
        ctx.req.headers.authorization = lastToken
      }
      await next()
    },
  },
]

export default faults
