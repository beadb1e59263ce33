import type { Fault } from '../../run/proof.ts'

/** Changes the path in Links.Self. */
function linksOf(change: (path: string) => string): NonNullable<Fault['policies']> {
  return (correct, { fired }) => ({
    selfLink(base, path) {
      const changed = change(path)
      if (changed !== path) fired()
      return correct.selfLink(base, changed)
    },
  })
}

const faults: Fault[] = [
  {
    id: 'paths-of-version-three-zero',
    story:
      'Consents and data are served under v3.0 instead of v3.1. The gateway kept the old paths.',
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
  {
    id: 'links-of-version-three-zero',
    story: 'Links.Self names v3.0, although the paths are under v3.1.',
    fails: [],
    warns: ['VER-03/in-links'],
    policies: linksOf((path) => path.replace('/v3.1/', '/v3.0/')),
  },
  {
    id: 'links-of-balances-name-the-release',
    story:
      'Links.Self of balances names v3.1.2, the release of the specification, instead of v3.1.',
    fails: [],
    warns: ['VER-03/in-links'],
    policies: linksOf((path) =>
      path.endsWith('/balances') ? path.replace('/v3.1/', '/v3.1.2/') : path,
    ),
  },
  {
    id: 'links-of-funds-consents-of-version-four',
    story:
      'Links.Self of funds confirmation consents names v4, because the service is shared with the next version.',
    fails: [],
    warns: ['VER-03/in-links'],
    policies: linksOf((path) =>
      path.includes('/funds-confirmation-consents') ? path.replace('/v3.1/', '/v4/') : path,
    ),
  },
]
export default faults
