import type { Fault } from '../../proof.ts'

const faults: Fault[] = [
  {
    id: 'paths-of-version-three-zero',
    story: 'The services moved to 3.1.2; the gateway in front of them kept the paths of v3.0.',
    fails: ['VER-01/segment'],
    target(document) {
      const { addresses } = document
      addresses.overrides = { aisp: `${addresses.base_url}/open-banking/v3.0/aisp` }
    },
    async middleware(ctx, next) {
      if (ctx.path.startsWith('/open-banking/v3.0/')) {
        ctx.path = ctx.path.replace('/v3.0/', '/v3.1/')
        ctx.state.fired()
      }
      await next()
    },
  },
]
export default faults
