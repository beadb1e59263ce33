import type { Tpp } from '../client/tpp.ts'
import { answerOf } from '../judge/answer-words.ts'
import { member } from '../judge/data-rows.ts'
import { requireReachable } from '../judge/expect.ts'
import { refused, succeeded } from '../judge/matchers.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import type { ConsentFacts, Exchange } from '../wire/exchange.ts'
import { claimsOf } from '../wire/jwt-decode.ts'
import type { Visits } from './authorisation.ts'
import { type Approval, createCaller } from './caller.ts'
import type { ClientSteps } from './client-steps.ts'
import {
  type ConsentData,
  consentData,
  consentFacts,
  type NamedConsent,
  requireInTime,
  spelled,
  withOptional,
} from './consent.ts'
import type { Hooks } from './hooks.ts'
import { anotherForApproval } from './ledger/another-token.ts'
import type { HeldTokens } from './ledger/held-tokens.ts'
import { hasEnded } from './ledger/newer-approvals.ts'
import { createReplacedApprovals } from './ledger/replaced-approvals.ts'
import { resumableApproval } from './resume-approval.ts'
import type { ResumableRun } from './resume-run.ts'
import { untilTimeHasMoved } from './status-times.ts'
import {
  accountsOwner,
  ownersOf,
  requireValue,
  type SharedBySteps,
  type Step,
} from './step-owners.ts'
import { refreshed, type TokenSet, tokensOf, withoutRefresh, workedOnce } from './tokens.ts'
import { currentTrace, rulesBrokenBy } from './trace.ts'
import { type Visit, type VisitOptions, visitEnd } from './visit.ts'

type Granted = Visit & { kind: 'granted' }
interface Created {
  exchange: Exchange
  asked: ConsentData
}
type VisitStep = Step<Granted> & { visit?: Visit; before?: Exchange }

/**
 * "A client can call the token endpoint only with a registered grant type": one that the configuration does not list
 * is not asked for, whether refresh tokens come or not.
 */
function requireRefreshGrant({ registered, registrationClaims }: Tpp): void {
  const has = (grants: unknown) => Array.isArray(grants) && grants.includes('refresh_token')
  if (has(registrationClaims().grant_types) || has(registered?.grant_types)) return
  throw new NotApplicable(
    'the bank lists no refresh_token grant, and the client is registered for none',
  )
}

/** What a visit asks for, apart from its state. */
function messageOf(named: NamedConsent, consentId: string, { registered }: Tpp) {
  const uris = registered?.redirect_uris ?? []
  return {
    client: named.client,
    customer: named.customer,
    consentId,
    purpose: `${named.name}: ${named.purpose}`,
    redirectUri: uris[named.redirectUri ?? 0] ?? uris[0],
    ...(named.oneAccount && { oneAccount: true }),
    correct: true,
  }
}

/** The tokens that the code of an approval gives, for a consent. */
async function exchangeCode(client: Tpp, { code, request, redirect }: Granted, subject: string) {
  const idToken = { ...claimsOf(redirect.idToken ?? ''), nonce: request.nonce }
  const sent = await client.token(
    { grant_type: 'authorization_code', code, redirect_uri: request.redirectUri },
    { about: { idToken, subject } },
  )
  const tokens = tokensOf(sent)
  return { sent, tokens: tokens && { ...tokens, authorised: idToken } }
}

/** The request has no state, neither in the request object nor beside it. */
const WITHOUT_STATE = {
  requestObject: { claims: { state: undefined } },
  query: { state: undefined },
}

/** The texts that the bank is to give back. */
function textsOf(
  { withoutState, state, nonce }: NamedConsent,
  seed: number,
): Partial<VisitOptions> {
  return {
    ...(withoutState && { deviation: WITHOUT_STATE }),
    ...(state && { state: state(seed) }),
    ...(nonce && { nonce: nonce(seed) }),
  }
}

/** From a consent to the data behind it: each step is sent when first asked for, and remembered. */
export function createCustomerSteps(
  parts: SharedBySteps & {
    hooks: Hooks
    clients: ClientSteps
    visits: Visits
    held: HeldTokens
    /** What an interrupted run left, and where this one writes down as it goes. */
    resumable?: ResumableRun
    /** Which draw this run makes. */
    seed(): number
    /** Told which consents customers have approved. */
    onApproved(consentId: string): void
  },
) {
  const { target, hooks, memory, owners, ledger, clients, visits, held, resumable } = parts
  const approvals = new Map<string, Promise<Approval>>()

  const consent = (named: NamedConsent) =>
    memory.once(`consent ${named.name}`, ownersOf(named, owners).consent, async () => {
      const data = { ...consentData(named, hooks.shortLife), ...(await chosenDates(named.dates)) }
      const client = await clients.caller(named.client)
      const written = spelled(named, data, parts.seed())
      const attempts = [withOptional(named, written ?? data), written, data].flatMap((one) =>
        one ? [one] : [],
      )
      // Each of them a bank may refuse but for the last.
      const create = async ([Data = data, ...others]: ConsentData[]): Promise<Created> => {
        const optional = others.length > 0 || named.optional
        const about = { optional }
        const body = { Data, Risk: {} }
        const exchange = await client.post('/account-access-consents', body, { about })
        return others.length > 0 && refused(exchange) ? create(others) : { exchange, asked: Data }
      }
      const { exchange, asked } = await create(attempts)
      requireReachable(exchange)
      return {
        exchange,
        value: consentFacts(exchange, asked),
        why: `the consent ${named.name} was not created: ${answerOf(exchange)}`,
      }
    })

  /** Dates that another approval shows to be good ones; none where it was not given. */
  const chosenDates = async (dates: NamedConsent['dates']) => {
    const approval = dates && (await approved(dates.of).catch(() => undefined))
    return approval && dates.choose(approval)
  }

  /** `before`: for a re-confirmation, a query of the consent just before the visit. */
  const visit = (named: NamedConsent): Promise<VisitStep> =>
    memory.once(`visit ${named.name}`, ownersOf(named, owners).visit, async () => {
      visits.customer(named.customer)
      if (named.reconfirms) {
        await approved(named.reconfirms)
        // Read before the customer is asked again: whether the accounts keep their ids is judged by ACC-04.
        await accounts(named.reconfirms).catch(() => {})
      }
      const { id, expiration } = requireValue(await consent(named.reconfirms ?? named))
      const client = requireValue(await clients.registration(named.client))
      const before = named.reconfirms && (await queried(named, id))
      if (named.watched) {
        const created = (await consent(named)).exchange
        await untilTimeHasMoved(created, created)
      }
      const message = messageOf(named, id, client)
      const made = await visits.visit({ ...message, ...textsOf(named, parts.seed()) })
      const special = named.withoutState || named.state || named.nonce
      // One that is not granted without a state has shown that; what is read under it is judged all the same.
      const again = special && made.kind !== 'granted' ? await visits.visit(message) : made
      if (again.kind === 'granted') {
        // A code lives for a minute, and nobody is asked twice.
        if (!named.keepsCode) await exchanged(named, again).catch(() => {})
        void approved(named).catch(() => {})
      } else {
        requireInTime(named.name, expiration)
        if (named.reconfirms) await replaced.requireNotReplaced(named.reconfirms)
      }
      return {
        exchange: made.last ?? made.first,
        visit: made,
        before,
        value: again.kind === 'granted' ? again : undefined,
        // What is not granted with a state either is refused for another reason.
        ...(again.kind !== 'granted' && named.withoutState && { owner: owners.steps.visit }),
        why: `the customer's approval of ${named.name} ended with ${visitEnd(made)}`,
      }
    }) as Promise<VisitStep>

  /**
   * Tokens of the same consent where the bank issues no refresh token and the access token has expired:
   * the lifetime of tokens is open, a refresh token is optional.
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

  const queried = async (named: NamedConsent, id: string) =>
    (await clients.caller(named.client)).get(`/account-access-consents/${encodeURIComponent(id)}`)

  const { settlingTime } = target
  const replaced = createReplacedApprovals({ ledger, held, queried, settlingTime })

  const exchange = async (named: NamedConsent) => exchanged(named, requireValue(await visit(named)))

  const exchanged = (named: NamedConsent, visited: Granted) =>
    memory.once(`exchange ${named.name}`, ownersOf(named, owners).exchange, async () => {
      const client = requireValue(await clients.registration(named.client))
      const { sent, tokens } = await exchangeCode(client, visited, visited.request.consentId)
      requireReachable(sent)
      const why = `the code of ${named.name} was not exchanged: ${answerOf(sent)}`
      return { exchange: sent, value: tokens, why }
    })

  /** The first refresh_token grant of an approval; not applicable where it has no refresh token. */
  const refresh = (named: NamedConsent) =>
    memory.once(`refresh ${named.name}`, owners.steps.refresh, async () => {
      const { exchange: sent, tokens: value } = await (await approved(named)).refresh()
      const why = `the refresh token of ${named.name} gave no token: ${answerOf(sent)}`
      return { exchange: sent, value, why }
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

  /** A customer's approval, with tokens unless a check exchanges its code. */
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

  const approve = async (named: NamedConsent): Promise<Approval> => {
    const visited = requireValue(await visit(named))
    const facts = requireValue(await consent(named.reconfirms ?? named))
    const client = requireValue(await clients.registration(named.client))
    const resumed = resumable?.earlier.approvals.get(named.name)?.visit.code === visited.code
    const exchangedTokens = async () => requireValue(await exchange(named))
    if (!named.keepsCode && !resumed) held.hold(facts, await exchangedTokens())
    parts.onApproved(facts.id)
    if (resumable && !resumed) {
      const created = await consent(named.reconfirms ?? named)
      const exchanged = named.keepsCode ? undefined : await exchange(named)
      const taken = { created, visited: await visit(named), exchanged }
      resumable.approved(resumableApproval(named, client.registered?.client_id ?? '', taken))
    }
    const again = () => confirmedAgain(named, facts, client)
    const tokens = () => held.current(facts, client, { first: exchangedTokens, again })
    const caller = createCaller(client, {
      ledger,
      management: async (funds) => requireValue(await clients.management(named.client, funds)),
      data: async () => (await tokens()).accessToken,
      funds: () => parts.funds,
      about: { approval: named.name, consent: facts },
      anotherForConsents: (refused, funds) =>
        clients.another(named.client ?? 'first', refused, funds),
      anotherForData: (refused) =>
        anotherForApproval({ ledger, held, replaced }, { named, facts, client }, refused),
    })
    const { name, customer = 'first' } = named
    const use = (next: TokenSet) => held.hold(facts, next)
    const refreshNow = async () => {
      const before = await tokens()
      const { refreshToken, authorised } = before
      if (!refreshToken) throw new NotApplicable('the bank issues no refresh token')
      const sent = await client.token(
        { grant_type: 'refresh_token', refresh_token: refreshToken },
        { about: { idToken: authorised, subject: facts.id } },
      )
      if (!sent.response) requireReachable(sent)
      const next = refreshed(before, sent)
      if (next) use(next)
      else {
        if (workedOnce(before, sent)) {
          use(withoutRefresh(before))
          throw new NotApplicable('the bank takes a refresh token once, and gave no other for it')
        }
        requireRefreshGrant(client)
        // Before what a gateway's trouble leaves in doubt: of an approval that was replaced nothing is to judge.
        await replaced.requireNotReplaced(named)
        await replaced.requireNewestRefreshes(named)
      }
      requireReachable(sent)
      return { exchange: sent, tokens: next }
    }
    const approval: Approval = {
      ...caller,
      ...{ name, consentId: facts.id, facts, visit: visited, customer },
      ...{ tokens, use, refresh: refreshNow },
    }
    replaced.add(approval, named.permissions)
    return approval
  }

  return { consent, visit, exchange, refresh, accounts, approved, given: replaced.all }
}
