import type { ConsentFacts } from '../wire/exchange.ts'
import { type Caller, createCaller } from './caller.ts'
import type { ClientName, CustomerName, NamedConsent } from './consent.ts'
import { type FundsAddresses, inTime, type Steps } from './happy-path.ts'
import { kept } from './kept-approval.ts'
import type { KeptRun } from './kept-run.ts'
import { taken } from './steps.ts'
import { refreshed, type TokenSet } from './tokens.ts'
import { currentTrace } from './trace.ts'
import type { Visit } from './visit.ts'

/** Approvals: asked for once, shared by all checks. */

/** A customer's approval of a consent, and the TPP client that may use it. */
export interface Approval extends Caller {
  readonly name: string
  readonly consent: NamedConsent
  readonly consentId: string
  readonly facts: ConsentFacts
  readonly visit: Visit & { kind: 'granted' }
  readonly customer: CustomerName
  /** The tokens in use now; a refresh replaces them. */
  tokens(): Promise<TokenSet>
  use(tokens: TokenSet): void
}

/** What approvals work with. */
export interface ApprovalParts {
  steps(): Steps
  funds: FundsAddresses
  /** Where approvals are written down, for the run after one that is interrupted. */
  keptRun?: KeptRun
  /** Told which consents customers have approved. */
  onApproved(consentId: string): void
}

export interface Approvals {
  approved(consent: NamedConsent): Promise<Approval>
  /** The tokens that an interrupted run used last for a consent. */
  restore(consent: ConsentFacts, tokens: TokenSet): void
}

/** The approvals of one session. */
export function createApprovals(parts: ApprovalParts): Approvals {
  // What becomes of the tokens of a first authorisation is open: the latest ones serve them all.
  const holding = new Map<string, { tokens?: TokenSet }>()
  const approvals = new Map<string, Promise<Approval>>()
  const approved = (consent: NamedConsent): Promise<Approval> => {
    currentTrace()?.approvals.add(consent.name)
    const known = approvals.get(consent.name)
    if (known) return known.then(stillInTime)
    const made = approve(consent)
    approvals.set(consent.name, made)
    made.catch(() => {})
    return made
  }

  const stillInTime = (approval: Approval) => {
    inTime(approval.name, approval.facts.expiration)
    return approval
  }

  const approve = async (consent: NamedConsent): Promise<Approval> => {
    const visited = taken(await parts.steps().visit(consent))
    const facts = taken(await parts.steps().consent(consent.reconfirms ?? consent))
    const client = taken(await parts.steps().registration(consent.client))
    const held = holding.get(facts.id) ?? {}
    holding.set(facts.id, held)
    const before = parts.keptRun?.earlier.approvals.get(consent.name)
    const resumed = before?.visit.code === visited.code
    const tokens = async (): Promise<TokenSet> => {
      held.tokens ??= taken(await parts.steps().exchange(consent))
      const { refreshToken, expiresAt } = held.tokens
      if (refreshToken && Date.now() > expiresAt - 2000) {
        const exchange = await client.token({
          grant_type: 'refresh_token',
          refresh_token: refreshToken,
        })
        hold(facts, refreshed(held.tokens, exchange) ?? held.tokens)
      }
      return held.tokens
    }
    if (!consent.keepsCode && !resumed) {
      held.tokens = taken(await parts.steps().exchange(consent))
    }
    parts.onApproved(facts.id)
    if (parts.keptRun && !resumed) {
      parts.keptRun.approved(await kept(consent, parts.steps()))
      if (held.tokens) parts.keptRun.tokens(facts, held.tokens)
    }
    const bound = createCaller(client, {
      management: (forFunds) => managementToken(consent.client, forFunds),
      data: async () => (await tokens()).accessToken,
      funds: () => parts.funds,
      about: { approval: consent.name, consent: facts },
    })
    return {
      ...bound,
      name: consent.name,
      consent,
      consentId: facts.id,
      facts,
      visit: visited,
      customer: consent.customer ?? 'first',
      tokens,
      use: (next) => hold(facts, next),
    }
  }

  const hold = (consent: ConsentFacts, tokens: TokenSet) => {
    const held = holding.get(consent.id) ?? {}
    held.tokens = tokens
    holding.set(consent.id, held)
    parts.keptRun?.tokens(consent, tokens)
  }

  const managementToken = async (name: ClientName | undefined, forFunds: boolean) =>
    taken(await parts.steps().management(name, forFunds))

  return { approved, restore: hold }
}
