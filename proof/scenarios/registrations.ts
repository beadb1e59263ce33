import type { Alteration } from '../../bank/alteration.ts'

const alterations: Alteration[] = [
  {
    id: 'last-redirect-uri-is-stored',
    story: 'Of the redirect URIs that a client registers, the bank keeps the last.',
    policies: (correct, { fired }) => ({
      redirectUrisStored(requested, stated) {
        const stored = correct.redirectUrisStored(requested, stated)
        if (stored.length > 1) fired()
        return stored.slice(-1)
      },
    }),
  },
  {
    id: 'scope-for-accounts-alone',
    story: 'Of the scopes that a client registers, the bank keeps openid and accounts.',
    policies: (correct, { fired }) => ({
      scopesStored(requested, roles) {
        const stored = correct.scopesStored(requested, roles)
        const kept = stored.filter((scope) => scope === 'openid' || scope === 'accounts')
        if (kept.length < stored.length) fired()
        return kept
      },
    }),
  },
]

export default alterations
