import { answerOf } from '../judge/answer-words.ts'
import { member } from '../judge/data-rows.ts'
import { requireReachable } from '../judge/expect.ts'
import { succeeded } from '../judge/matchers.ts'
import { Blocked } from '../judge/outcome.ts'
import { percentEncoded } from '../record/percent.ts'
import { type ApprovingParts, createApproving } from './approving.ts'
import type { Approval } from './caller.ts'
import { type NamedConsent, requireInTime } from './consent.ts'
import { type ConsentParts, createConsentStep } from './consent-step.ts'
import { createReplacedApprovals } from './ledger/replaced-approvals.ts'
import { accountsOwner, ownersOf, requireValue } from './step-owners.ts'
import { exchangeCode } from './tokens.ts'
import { currentTrace, rulesBrokenBy } from './trace.ts'
import type { Granted } from './visit.ts'
import { createVisitStep } from './visit-step.ts'

/** The steps from a consent to its data: each is sent when first requested, and remembered. */
export function createCustomerSteps(parts: ConsentParts & ApprovingParts) {
  const { target, memory, owners, ledger, clients, held } = parts
  const approvals = new Map<string, Promise<Approval>>()

  /** Dates that another approval shows to be suitable; none if that approval was not given. */
  const chosenDates = async (dates: NamedConsent['dates']) => {
    const approval = dates && (await approved(dates.of).catch(() => undefined))
    return approval && dates.choose(approval)
  }

  const consent = createConsentStep(parts, chosenDates)

  const queried = async (named: NamedConsent, id: string) =>
    (await clients.caller(named.client)).get(`/account-access-consents/${percentEncoded(id)}`)

  const { settlingTime } = target
  const replaced = createReplacedApprovals({ ledger, held, queried, settlingTime })

  const exchanged = (named: NamedConsent, visited: Granted) =>
    memory.once(`exchange ${named.name}`, ownersOf(named, owners).exchange, async () => {
      const client = requireValue(await clients.registration(named.client))
      const { sent, tokens } = await exchangeCode(client, visited, visited.request.consentId)
      requireReachable(sent)
      const why = `the code of ${named.name} was not exchanged: ${answerOf(sent)}`
      return { exchange: sent, value: tokens, why }
    })

  const accounts = (named: NamedConsent) =>
    memory.once(`accounts ${named.name}`, accountsOwner(named.permissions, owners), async () => {
      const sent = await (await approved(named)).get('/accounts')
      requireReachable(sent)
      const rows = member(sent.response?.json, 'Data', 'Account')
      const ids = Array.isArray(rows)
        ? rows.map((row) => member(row, 'AccountId')).filter((id) => typeof id === 'string')
        : undefined
      const [rule] = rulesBrokenBy(sent)
      if (succeeded(sent) && !ids && rule) {
        const why = `the answer breaks ${rule} and lists no accounts`
        throw new Blocked({ kind: 'check', id: rule }, why, sent)
      }
      const why = `no accounts were listed: ${answerOf(sent)}`
      return { exchange: sent, value: succeeded(sent) ? ids : undefined, why }
    })

  /** A customer's approval, with tokens unless a check keeps its code. */
  const approved = async (named: NamedConsent): Promise<Approval> => {
    currentTrace()?.approvals.add(named.name)
    const known = approvals.get(named.name)
    if (!known) {
      const made = approve(named)
      approvals.set(named.name, made)
      made.catch(() => {})
      return made
    }
    const approval = await known
    requireInTime(approval.name, approval.facts.expiration)
    return approval
  }

  const around = { consent, queried, approved, accounts, exchanged }
  const visit = createVisitStep(parts, replaced, around)

  const exchange = async (named: NamedConsent) => exchanged(named, requireValue(await visit(named)))

  /** The first refresh_token grant of an approval; not applicable if it has no refresh token. */
  const refresh = (named: NamedConsent) =>
    memory.once(`refresh ${named.name}`, owners.steps.refresh, async () => {
      const { exchange: sent, tokens: value } = await (await approved(named)).refresh()
      const why = `the refresh token of ${named.name} gave no token: ${answerOf(sent)}`
      return { exchange: sent, value, why }
    })

  const approve = createApproving(parts, replaced, { consent, visit, exchange })

  return { consent, visit, exchange, refresh, accounts, approved, given: replaced.all }
}
