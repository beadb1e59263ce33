import type { Told } from '../client/messages.ts'
import type { Tpp } from '../client/tpp.ts'
import { requireReachable } from '../judge/expect.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import type { ConsentFacts } from '../wire/exchange.ts'
import type { Visits } from './authorisation.ts'
import { type Approval, createCaller } from './caller.ts'
import type { ClientSteps } from './client-steps.ts'
import type { NamedConsent } from './consent.ts'
import { anotherForApproval } from './ledger/another-token.ts'
import type { HeldTokens } from './ledger/held-tokens.ts'
import { hasEnded } from './ledger/newer-approvals.ts'
import type { ReplacedApprovals } from './ledger/replaced-approvals.ts'
import { resumableApproval } from './resume-approval.ts'
import type { ResumableRun } from './resume-run.ts'
import { requireValue, type SharedBySteps, type Step } from './step-owners.ts'
import { exchangeCode, refreshed, type TokenSet, withoutRefresh, workedOnce } from './tokens.ts'
import { visitEnd } from './visit.ts'
import { messageOf, type VisitStep } from './visit-step.ts'

export interface ApprovingParts extends SharedBySteps {
  clients: ClientSteps
  visits: Visits
  held: HeldTokens
  /** What an interrupted run left, and where this run saves its progress. */
  resumable?: ResumableRun
  /** Called with the ids of consents that customers have approved. */
  onApproved(consentId: string): void
}

/** The steps of an approval. */
interface ApprovalSteps {
  consent(named: NamedConsent): Promise<Step<ConsentFacts>>
  visit(named: NamedConsent): Promise<VisitStep>
  exchange(named: NamedConsent): Promise<Step<TokenSet>>
}

/** Makes an approval from its steps and manages its tokens afterwards. */
export function createApproving(
  parts: ApprovingParts,
  replaced: ReplacedApprovals,
  steps: ApprovalSteps,
) {
  const { owners, ledger, funds, clients, visits, held, resumable, onApproved } = parts
  const means = { ledger, held, replaced }

  /**
   * New tokens of the same consent where the bank issues no refresh token and the access token has expired: the
   * lifetime of tokens is open, and a refresh token is optional.
   */
  const confirmedAgain = async (named: NamedConsent, { id }: ConsentFacts, client: Tpp) => {
    if (hasEnded(ledger.events, id)) return undefined
    const made = await visits.visit(messageOf(named, id, client))
    const owner = owners.steps.visitAgain
    if (made.kind !== 'granted') {
      await replaced.requireNotReplaced(named)
      const why = `the access token of “${named.name}” has expired, confirming the consent again ended with ${visitEnd(made)}`
      throw new Blocked({ kind: 'check', id: owner }, why, made.last)
    }
    return (await exchangeCode(client, made, id)).tokens
  }

  return async (named: NamedConsent): Promise<Approval> => {
    const visited = requireValue(await steps.visit(named))
    const facts = requireValue(await steps.consent(named.reconfirms ?? named))
    const client = requireValue(await clients.registration(named.client))
    const resumed = resumable?.earlier.approvals.get(named.name)?.visit.code === visited.code
    const exchangedTokens = async () => requireValue(await steps.exchange(named))
    if (!named.keepsCode && !resumed) held.hold(facts, await exchangedTokens())
    onApproved(facts.id)
    if (resumable && !resumed) {
      const created = await steps.consent(named.reconfirms ?? named)
      const exchanged = named.keepsCode ? undefined : await steps.exchange(named)
      const taken = { created, visited: await steps.visit(named), exchanged }
      resumable.approved(resumableApproval(named, client.registered?.client_id ?? '', taken))
    }
    const of = { named, facts, client }
    const again = () => confirmedAgain(named, facts, client)
    const tokens = () => held.current(facts, client, { first: exchangedTokens, again })
    const caller = createCaller(client, {
      ledger,
      management: async (funds) => requireValue(await clients.management(named.client, funds)),
      data: async () => (await tokens()).accessToken,
      funds: () => funds,
      about: { approval: named.name, consent: facts },
      anotherForConsents: (refused, funds) =>
        clients.another(named.client ?? 'first', refused, funds),
      anotherForData: (refused) => anotherForApproval(means, of, refused),
    })
    const { name, customer = 'first' } = named
    const approval: Approval = {
      ...caller,
      ...{ name, consentId: facts.id, facts, visit: visited, customer },
      tokens,
      use: (next) => held.hold(facts, next),
      refresh: async (over) => refresh(means, of, await tokens(), over),
    }
    replaced.add(approval, named.permissions)
    return approval
  }
}

/** Exchanges the refresh token of an approval; the new tokens are used from then on. */
async function refresh(
  { held, replaced }: { held: HeldTokens; replaced: ReplacedApprovals },
  { named, facts, client }: { named: NamedConsent; facts: ConsentFacts; client: Tpp },
  before: TokenSet,
  over: Pick<Told, 'newConnection'> = {},
) {
  const { refreshToken, authorised } = before
  if (!refreshToken) throw new NotApplicable('the bank issues no refresh token')
  const sent = await client.token(
    { grant_type: 'refresh_token', refresh_token: refreshToken },
    { ...over, about: { idToken: authorised, subject: facts.id } },
  )
  if (!sent.response) requireReachable(sent)
  const next = refreshed(before, sent)
  if (next) held.hold(facts, next)
  else {
    if (workedOnce(before, sent)) {
      held.hold(facts, withoutRefresh(before))
      throw new NotApplicable('the bank takes a refresh token once, and gave no other for it')
    }
    requireRefreshGrant(client)
    // Before requireReachable, which a gateway fault can trigger: a replaced approval leaves nothing to judge.
    await replaced.requireNotReplaced(named)
    await replaced.requireNewestRefreshes(named)
  }
  requireReachable(sent)
  return { exchange: sent, tokens: next }
}

/**
 * "A client can call the token endpoint only with a registered grant type": a grant type that the configuration does
 * not list is not tried, whether the bank issues refresh tokens or not.
 */
function requireRefreshGrant({ registered, registrationClaims }: Tpp): void {
  const has = (grants: unknown) => Array.isArray(grants) && grants.includes('refresh_token')
  if (has(registrationClaims().grant_types) || has(registered?.grant_types)) return
  throw new NotApplicable(
    'the bank lists no refresh_token grant, and the client is registered for none',
  )
}
