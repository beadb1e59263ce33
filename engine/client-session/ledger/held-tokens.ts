import type { Tpp } from '../../client/tpp.ts'
import { now } from '../../record/clock.ts'
import type { ConsentFacts } from '../../wire/exchange.ts'
import type { ResumableRun } from '../resume-run.ts'
import { MARGIN, refreshed, type TokenSet, withoutRefresh, workedOnce } from '../tokens.ts'
import { inUse, type Ledger } from './events.ts'

/** Where the tokens of an approval come from. */
interface TokenSources {
  /** The exchange of its code. */
  first(): Promise<TokenSet>
  /** Without a refresh token: the customer confirms the consent once more. Undefined once it has ended. */
  again(): Promise<TokenSet | undefined>
}

export type HeldTokens = ReturnType<typeof createHeldTokens>

/**
 * The tokens in use now for each consent. What becomes of the tokens of a first authorisation is
 * open: the latest ones serve every approval of the consent.
 *
 * @param resumable where tokens are written down, for the run after one that is interrupted.
 */
export function createHeldTokens(ledger: Ledger, resumable: ResumableRun | undefined) {
  const hold = (consent: ConsentFacts, tokens: TokenSet) => {
    ledger.add({ kind: 'in use', key: consent.id, tokens })
    resumable?.tokens(consent, tokens)
  }
  /** New tokens by the refresh token, held from then on; undefined where there is none, or no token. */
  const refresh = async (consent: ConsentFacts, client: Tpp) => {
    const tokens = inUse(ledger.events, consent.id)
    if (tokens?.refreshToken === undefined) return undefined
    const grant = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken } as const
    const about = { subject: consent.id }
    const sent = await client.token(grant, { about })
    const next = refreshed(tokens, sent)
    if (next) hold(consent, next)
    else if (workedOnce(tokens, sent)) hold(consent, withoutRefresh(tokens))
    return next
  }
  const underWay = new Map<string, Promise<TokenSet | undefined>>()
  /** Requests that go out at the same time share one visit of the customer. */
  const once = (id: string, again: TokenSources['again']) => {
    const made = underWay.get(id) ?? again().finally(() => underWay.delete(id))
    underWay.set(id, made)
    return made
  }
  return {
    hold,
    refresh,
    /** The tokens with an access token that has not expired, where refresh token or customer gives one. */
    async current(consent: ConsentFacts, client: Tpp, { first, again }: TokenSources) {
      const known = inUse(ledger.events, consent.id)
      const tokens = known ?? (await first())
      if (!known) ledger.add({ kind: 'in use', key: consent.id, tokens })
      if (now() <= tokens.expiresAt - MARGIN) return tokens
      if (tokens.refreshToken !== undefined) return (await refresh(consent, client)) ?? tokens
      const next = await once(consent.id, again)
      if (next) hold(consent, next)
      return next ?? tokens
    },
  }
}
