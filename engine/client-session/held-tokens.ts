import type { Tpp } from '../client/tpp.ts'
import type { ConsentFacts } from '../wire/exchange.ts'
import type { ResumableRun } from './resume-run.ts'
import { refreshed, type TokenSet } from './tokens.ts'

/**
 * The tokens in use now for each consent. What becomes of the tokens of a first authorisation is
 * open: the latest ones serve every approval of the consent.
 */
export interface HeldTokens {
  hold(consent: ConsentFacts, tokens: TokenSet): void
  of(consent: ConsentFacts): TokenSet | undefined
  /** New tokens by the refresh token, held from then on; undefined where there is none, or no token. */
  refresh(consent: ConsentFacts, client: Tpp): Promise<TokenSet | undefined>
  /** The same, with an access token that has not expired where a refresh token can renew it. */
  current(consent: ConsentFacts, client: Tpp, first: () => Promise<TokenSet>): Promise<TokenSet>
}

/** Milliseconds before its expiry at which a token is no longer sent. */
const MARGIN = 2000

/** @param resumable where tokens are written down, for the run after one that is interrupted. */
export function createHeldTokens(resumable: ResumableRun | undefined): HeldTokens {
  const held = new Map<string, TokenSet>()
  const hold = (consent: ConsentFacts, tokens: TokenSet) => {
    held.set(consent.id, tokens)
    resumable?.tokens(consent, tokens)
  }
  const refresh = async (consent: ConsentFacts, client: Tpp) => {
    const tokens = held.get(consent.id)
    if (tokens?.refreshToken === undefined) return undefined
    const grant = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken } as const
    const about = { subject: consent.id }
    const next = refreshed(tokens, await client.token(grant, { about }))
    if (next) hold(consent, next)
    return next
  }
  return {
    of: ({ id }) => held.get(id),
    hold,
    refresh,
    async current(consent, client, first) {
      const known = held.get(consent.id)
      const tokens = known ?? (await first())
      if (!known) held.set(consent.id, tokens)
      if (Date.now() <= tokens.expiresAt - MARGIN) return tokens
      return (await refresh(consent, client)) ?? tokens
    },
  }
}
