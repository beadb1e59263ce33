import type { Tpp } from '../../client/tpp.ts'
import { member } from '../../judge/data-rows.ts'
import { now } from '../../record/clock.ts'
import type { ConsentFacts, Exchange } from '../../wire/exchange.ts'
import type { ResumableRun } from '../resume-run.ts'
import { MARGIN, refreshed, type TokenSet, withoutRefresh, workedOnce } from '../tokens.ts'
import { oneAtATime } from '../under-way.ts'
import { inUse, type Ledger, lastOf } from './events.ts'

/** The sources of an approval's tokens. */
interface TokenSources {
  /** The exchange of its code. */
  first(): Promise<TokenSet>
  /**
   * Without a refresh token, or after it rested too long: the customer confirms the consent again. Undefined once the
   * consent has ended.
   */
  again(): Promise<TokenSet | undefined>
}

export type HeldTokens = ReturnType<typeof createHeldTokens>

/**
 * The current tokens of each consent. What happens to the tokens of a first authorisation is open, so the latest tokens
 * serve every approval of the consent.
 *
 * @param resumable where tokens are saved for the run after an interrupted one.
 */
export function createHeldTokens(ledger: Ledger, resumable: ResumableRun | undefined) {
  const hold = (consent: ConsentFacts, tokens: TokenSet) => {
    ledger.add({ kind: 'in use', key: consent.id, tokens })
    resumable?.tokens(consent, tokens)
  }
  const sendRefresh = async (consent: ConsentFacts, client: Tpp) => {
    const tokens = inUse(ledger.events, consent.id)
    if (tokens?.refreshToken === undefined) return undefined
    const grant = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken } as const
    const about = { subject: consent.id }
    const sent = await client.token(grant, { about })
    const next = refreshed(tokens, sent)
    if (next) hold(consent, next)
    else if (workedOnce(tokens, sent) || isUnused(consent, tokens, sent))
      hold(consent, withoutRefresh(tokens))
    return next
  }
  /** Was the refused refresh token not used for twice as long as its access token lives? How long it may rest is open. */
  const isUnused = ({ id }: ConsentFacts, { expiresAt }: TokenSet, { response }: Exchange) => {
    const since = lastOf(ledger.events, { kind: 'in use', key: id })?.at ?? Number.NaN
    const isEnded = member(response?.json, 'error') === 'invalid_grant'
    return isEnded && now() - since > 2 * (expiresAt - since)
  }
  const oneRefresh = oneAtATime<TokenSet | undefined>()
  /**
   * Refreshes and holds tokens of a consent; undefined if there is no refresh token, or no new token came. Simultaneous
   * requests share one refresh: a refresh token that comes again may end all tokens of the approval (RFC 9700 4.14.2).
   */
  const refresh = (consent: ConsentFacts, client: Tpp) =>
    oneRefresh(consent.id, () => sendRefresh(consent, client))
  /** Simultaneous requests share one visit of the customer. */
  const oneVisit = oneAtATime<TokenSet | undefined>()
  return {
    hold,
    refresh,
    /** Tokens with an access token that has not expired, if the refresh token or the customer can give one. */
    async current(consent: ConsentFacts, client: Tpp, { first, again }: TokenSources) {
      const known = inUse(ledger.events, consent.id)
      const tokens = known ?? (await first())
      if (!known) ledger.add({ kind: 'in use', key: consent.id, tokens })
      if (now() <= tokens.expiresAt - MARGIN) return tokens
      const fresh = await refresh(consent, client)
      if (fresh) return fresh
      if (inUse(ledger.events, consent.id)?.refreshToken !== undefined) return tokens
      const next = await oneVisit(consent.id, again)
      if (next) hold(consent, next)
      return next ?? tokens
    },
  }
}
