import { mkdirSync } from 'node:fs'
import { setTimeout as wait } from 'node:timers/promises'
import { member } from '../judge/data-rows.ts'
import { Blocked, blockByEnvironment, blockForData } from '../judge/outcome.ts'
import { type Exchange, header } from '../wire/exchange.ts'
import { type BankHost, exchangeOf, type HostedBank } from './bank-host.ts'
import { briefingOf, type ClientDriver, ClientTrouble, customerFor, isPresent } from './client.ts'
import type { Customers } from './customer.ts'
import { type Fact, type Goal, MOST_ALIKE, type ScenarioRun, stepsOf } from './scenario.ts'

export interface Players {
  host: BankHost
  client: ClientDriver
  customers: Customers
  /** Milliseconds after each goal in which a client is still watched. */
  patience: number
}

interface Stage extends Players {
  /** The scenario's own folder. */
  folder: string
  nextId(): string
  /** Passes an exchange to the rules. */
  note(exchange: Exchange): void
}

/**
 * Plays a scenario: opens its bank, makes the client pursue each goal, and makes each fact true. Fills in the results.
 *
 * @throws Blocked when the client could not be driven, or a fact could not be made true.
 */
export async function play(run: ScenarioRun, stage: Stage): Promise<void> {
  const { scenario } = run
  let goal: Goal = 'connect'
  const alike = new Map<string, number>()
  const bank = await stage.host.open({
    alteration: scenario.alteration,
    onSighting(sighting) {
      const during = { scenario: scenario.id, goal, present: isPresent(goal, stage.client) }
      const exchange = exchangeOf(sighting, stage.nextId(), { ...during, owns: scenario.owns })
      const what = `${goal} ${likenessOf(exchange)}`
      const count = (alike.get(what) ?? 0) + 1
      alike.set(what, count)
      if (count > MOST_ALIKE) return
      run.exchanges.push(exchange)
      if (sighting.fired.length > 0) run.altered.push(exchange)
      stage.note(exchange)
    },
  })
  mkdirSync(stage.folder, { recursive: true })
  const admitted = new Map<string, ReturnType<Customers['admit']>>()
  const customerOf = (who: 'first' | 'second') => {
    const { decision = 'approve' } = scenario
    const customer = admitted.get(who) ?? stage.customers.admit(bank.document, decision, who)
    admitted.set(who, customer)
    return customer
  }
  try {
    for (const step of stepsOf(scenario)) {
      if (scenario.enough?.(run)) return
      if (typeof step !== 'string') {
        await state(step.fact, bank, run.exchanges)
        continue
      }
      goal = step
      const { visit } = customerOf(customerFor(goal))
      const briefing = briefingOf(bank, scenario, goal, {
        visit,
        folder: stage.folder,
        customerPresent: isPresent(goal, stage.client),
      })
      try {
        run.said.push({ goal, ...(await stage.client.pursue(briefing)) })
      } catch (error) {
        if (!(error instanceof ClientTrouble)) throw error
        scenario.unending?.(run)
        blockByEnvironment(`${error.message}${toldToWait(run, goal)}`)
      }
      await wait(stage.patience)
    }
  } finally {
    for (const customer of admitted.values()) await customer.leave()
    await bank.close()
  }
}

/** Words that the bank told the client to wait, which may be why it did not end. */
function toldToWait({ exchanges }: ScenarioRun, goal: Goal): string {
  const limited = exchanges.findLast(
    (each) => each.about.seen?.goal === goal && each.response?.status === 429,
  )
  const stated = limited && header(limited, 'retry-after')
  return stated === undefined ? '' : `; the bank had answered 429 with Retry-After: ${stated}`
}

/** Method, address and result of a request. */
function likenessOf({ request, response, failure }: Exchange): string {
  const [address] = request.url.split('?')
  return `${request.method} ${address} ${response?.status ?? failure?.code}`
}

/**
 * Makes a fact true at the bank, for the newest consent or access token of the scenario.
 *
 * @throws Blocked when there is none, or the bank says why not.
 */
async function state(fact: Fact, bank: HostedBank, exchanges: readonly Exchange[]): Promise<void> {
  if (fact === 'certificate-of-the-bank-renewed') return bank.renew('bank')
  if (fact === 'certificate-of-the-TPP-renewed') return bank.renew('TPP')
  if (fact === 'certificate-of-a-stranger') return bank.impersonate('stranger')
  if (fact === 'certificate-of-another-host') return bank.impersonate('other-host')
  if (fact === 'certificate-of-a-stranger-at-the-api') return bank.impersonate('stranger', 'api')
  if (fact === 'certificate-of-another-host-at-the-api')
    return bank.impersonate('other-host', 'api')
  const http = bank.document.hooks?.[fact]?.http
  const ofToken = fact === 'token-expired'
  const value = ofToken ? newestToken(exchanges) : newestConsent(exchanges)
  if (!http || value === undefined) {
    blockForData(`a client that has an ${ofToken ? 'access token' : 'approved consent'} by then`)
  }
  const answer = await fetch(http.url, {
    method: 'POST',
    headers: { 'content-type': 'application/json' },
    body: JSON.stringify({ [ofToken ? 'accessToken' : 'consentId']: value }),
  })
  if (answer.ok) return
  const what = `${fact}: ${await answer.text()}`
  throw new Blocked({ kind: 'data', what }, what)
}

function newestToken(exchanges: readonly Exchange[]) {
  const answer = exchanges.findLast(
    ({ endpoint, response, request }) =>
      endpoint === 'token' &&
      response?.status === 200 &&
      !/grant_type=client_credentials/.test(request.body ?? ''),
  )
  return member(answer?.response?.json, 'access_token')
}

/** The consent of the newest redeemed code: a client may create other consents and leave them. */
function newestConsent(exchanges: readonly Exchange[]) {
  const exchange = exchanges.findLast(
    ({ about, response }) => about.seen?.code?.consentId && response?.status === 200,
  )
  return exchange?.about.seen?.code?.consentId
}
