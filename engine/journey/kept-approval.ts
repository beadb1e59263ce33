import { succeeded } from '../judge/matchers.ts'
import type { ConsentFacts, Exchange } from '../wire/exchange.ts'
import { createCaller } from './caller.ts'
import type { NamedConsent } from './consent.ts'
import type { Steps } from './happy-path.ts'
import { taken } from './steps.ts'
import { refreshed, type TokenSet } from './tokens.ts'
import type { Visit } from './visit.ts'

/** An approval as a run that was interrupted leaves it; exchanges by their ids. */
export interface KeptApproval {
  consent: NamedConsent
  /** Of the client that asked for it: another client's tokens are of no use. */
  clientId: string
  facts: ConsentFacts
  visit: Visit & { kind: 'granted' }
  /** Exchanges of the steps; absent where a browser or a person saw the answer. */
  created?: string
  before?: string
  first?: string
  last?: string
  exchanged?: string
  tokens?: TokenSet
}

/** What is kept of an approval that was just given. */
export async function kept(consent: NamedConsent, steps: Steps): Promise<KeptApproval> {
  const created = await steps.consent(consent.reconfirms ?? consent)
  const visited = await steps.visit(consent)
  const exchanged = consent.keepsCode ? undefined : await steps.exchange(consent)
  const { first, last, ...visit } = taken(visited)
  return {
    consent,
    clientId: taken(await steps.registration(consent.client)).registered?.client_id ?? '',
    facts: taken(created),
    visit,
    created: created.exchange?.id,
    before: visited.before?.id,
    first: first?.id,
    last: last?.id,
    exchanged: exchanged?.exchange?.id,
    tokens: exchanged?.value,
  }
}

/** A minute at least must be left of what is gone on with. */
const LEFT = 60_000

/**
 * The tokens with which an approval still gives data; undefined when it does not. That is no fault
 * of the bank's: consents and tokens may be gone for any reason by the time a run goes on.
 */
export async function stillGood(
  approval: KeptApproval,
  latest: TokenSet,
  steps: Steps,
): Promise<TokenSet | undefined> {
  const { consent, facts } = approval
  if (facts.expiration !== undefined && Date.parse(facts.expiration) < Date.now() + LEFT) {
    return undefined
  }
  const tpp = taken(await steps.registration(consent.client))
  if (tpp.registered?.client_id !== approval.clientId) return undefined
  let tokens = latest
  const deviation = 'does an approval of an interrupted run still work?'
  if (Date.now() > tokens.expiresAt - LEFT) {
    if (!tokens.refreshToken) return undefined
    const grant = { grant_type: 'refresh_token', refresh_token: tokens.refreshToken } as const
    const renewed = refreshed(tokens, await tpp.token(grant, { deviation }))
    if (!renewed) return undefined
    tokens = renewed
  }
  const caller = createCaller(tpp, {
    management: async () => taken(await steps.management(consent.client)),
    data: async () => tokens.accessToken,
    funds: () => ({}),
  })
  const answer: Exchange = await caller.get(dataPath(consent), { deviation })
  return succeeded(answer) ? tokens : undefined
}

/** What its permissions open in any case. */
function dataPath({ permissions }: NamedConsent): string {
  const opens = (word: string) => permissions.some((each) => each.startsWith(word))
  if (opens('ReadAccounts')) return '/accounts'
  return opens('ReadBalances') ? '/balances' : '/transactions'
}
