import { routeOf } from '../client/call.ts'
import { succeeded } from '../judge/matchers.ts'
import { now } from '../record/clock.ts'
import type { ConsentFacts, Exchange } from '../wire/exchange.ts'
import type { ClientSteps } from './client-steps.ts'
import { dataPaths, type NamedConsent } from './consent.ts'
import { type Owners, ownersOf, requireValue, type Step, type StepMemory } from './step-owners.ts'
import { refreshed, type TokenSet } from './tokens.ts'
import type { Visit } from './visit.ts'

/** An approval as an interrupted run left it; it refers to exchanges by id. */
export interface ResumableApproval {
  consent: NamedConsent
  /** Of the client that requested it: tokens of another client are useless. */
  clientId: string
  facts: ConsentFacts
  visit: Visit & { kind: 'granted' }
  /** Exchanges of the steps; absent if a browser or a person saw the answer. */
  created?: string
  before?: string
  first?: string
  last?: string
  exchanged?: string
  tokens?: TokenSet
}

/** What is saved of an approval that was just given. */
export function resumableApproval(
  consent: NamedConsent,
  clientId: string,
  taken: {
    created: Step<ConsentFacts>
    visited: Step<ResumableApproval['visit']> & { before?: Exchange }
    exchanged?: Step<TokenSet>
  },
): ResumableApproval {
  const { created, visited, exchanged } = taken
  const { first, last, ...visit } = requireValue(visited)
  return {
    ...{ consent, clientId, facts: requireValue(created), visit },
    created: created.exchange?.id,
    before: visited.before?.id,
    first: first?.id,
    last: last?.id,
    exchanged: exchanged?.exchange?.id,
    tokens: exchanged?.value,
  }
}

/** What approvals of an interrupted run are restored into. */
interface Resuming {
  memory: StepMemory
  owners: Owners
  clients: ClientSteps
  /** An exchange of that run, by id. */
  sent(id: string | undefined): Exchange | undefined
  /** Sets the tokens that are used from now on. */
  hold(consent: ConsentFacts, tokens: TokenSet): void
}

/** Restores those of these approvals that still work; returns their names. */
export async function resumeApprovals(
  names: string[],
  earlier: {
    approvals: ReadonlyMap<string, ResumableApproval>
    /** By consent. */
    tokens: ReadonlyMap<string, TokenSet>
  },
  into: Resuming,
): Promise<string[]> {
  const works: string[] = []
  for (const name of names) {
    const known = earlier.approvals.get(name)
    if (!known) continue
    const latest = earlier.tokens.get(known.facts.id)
    const tokens = latest && (await stillGood(known, latest, into.clients))
    if (latest && !tokens) continue
    if (tokens) into.hold(known.facts, tokens)
    restoreSteps(into, known, tokens)
    works.push(name)
  }
  return works
}

/** Minimum remaining lifetime, in milliseconds, of what is resumed. */
const LEFT = 60_000

/**
 * The tokens with which an approval still gives data; undefined when it does not. That is not the bank's fault:
 * consents and tokens may be gone for any reason by the time a run resumes.
 */
async function stillGood(
  approval: ResumableApproval,
  latest: TokenSet,
  clients: ClientSteps,
): Promise<TokenSet | undefined> {
  const { consent, facts } = approval
  if (facts.expiration !== undefined && Date.parse(facts.expiration) < now() + LEFT) {
    return undefined
  }
  const tpp = requireValue(await clients.registration(consent.client))
  if (tpp.registered?.client_id !== approval.clientId) return undefined
  let tokens: TokenSet | undefined = latest
  const deviation = 'does an approval of an interrupted run still work?'
  if (now() > latest.expiresAt - LEFT) {
    if (!latest.refreshToken) return undefined
    const grant = { grant_type: 'refresh_token', refresh_token: latest.refreshToken } as const
    tokens = refreshed(latest, await tpp.token(grant, { deviation }))
    if (!tokens) return undefined
  }
  for (const path of dataPaths(consent.permissions)) {
    const { endpoint } = routeOf('GET', path)
    const answer = await tpp.call(endpoint, { bearer: tokens.accessToken, deviation })
    if (succeeded(answer)) return tokens
  }
  return undefined
}

/** Restores the steps of an approval that an interrupted run completed. */
function restoreSteps(
  { memory, owners, sent }: Resuming,
  { consent, facts, visit: granted, ...ids }: ResumableApproval,
  tokens: TokenSet | undefined,
): void {
  const { name, reconfirms } = consent
  const own = ownersOf(consent, owners)
  const why = 'an interrupted run sent it'
  if (!reconfirms) {
    const exchange = sent(ids.created)
    memory.restore(`consent ${name}`, { owner: own.consent, exchange, value: facts, why })
  }
  const [first, last] = [sent(ids.first), sent(ids.last)]
  const made = { ...granted, first, last }
  const step = { owner: own.visit, exchange: last ?? first, value: made, why }
  const visited = Object.assign(step, { visit: made, before: sent(ids.before) })
  memory.restore(`visit ${name}`, visited)
  if (!tokens) return
  const exchange = sent(ids.exchanged)
  memory.restore(`exchange ${name}`, { owner: own.exchange, exchange, value: tokens, why })
}
