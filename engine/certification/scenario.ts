import type { HookName } from '../configuration/target.ts'
import type { Exchange } from '../wire/exchange.ts'

/** What a client can be asked to do, and what each means to whoever drives one. */
export const GOALS = {
  connect:
    'register if need be, create a consent, have the customer approve it, read accounts, balances and transactions',
  read: 'read the data again with what was kept; the customer is absent',
  reconfirm: 'have the customer confirm the consent that exists, then read the data again',
  disconnect: 'the customer revokes consent with the TPP',
  'confirm-funds': 'create a funds confirmation consent for the customer’s card, and delete it',
  products: 'read the list of products',
} as const

export type Goal = keyof typeof GOALS

/** A fact that is made true at the bank, or a certificate that becomes another one. */
export type Fact =
  | HookName
  | 'certificate-of-the-bank-renewed'
  | 'certificate-of-the-TPP-renewed'
  | 'certificate-of-a-stranger'
  | 'certificate-of-another-host'

/** One thing after another: the client is asked for a goal, or a fact is made true. */
export type Step = Goal | { fact: Fact }

/** How the client said that a step ended. */
export interface Said {
  goal: Goal
  /** `done`: it has what it was asked for. `refused`: it would not, or could not, and says so. */
  end: 'done' | 'refused'
  /** Its own words. */
  words: string
}

/** Everything that came of one scenario. */
export interface ScenarioRun {
  scenario: Scenario
  said: Said[]
  /** What the bank saw, in the order of its answers. */
  exchanges: Exchange[]
  /** Exchanges in which the alteration showed itself. */
  altered: Exchange[]
  /** Rules of level must or should that an exchange broke. */
  broken(exchange: Exchange): string[]
  /** Records what no sentence judges. */
  observe(what: string, value: string): void
}

/** One way in which a bank meets a client, and what a right client then does. */
export interface Scenario {
  /** TIDT-01/wrong-signature: the check that judges it. */
  id: string
  /** A sentence about the client. */
  title: string
  /** What a right client does. */
  right: string
  /** Id of what is altered at the bank; absent: the correct bank. */
  alteration?: string
  /** What happens, in order. Default: connect. */
  steps?: Step[]
  /** What the customer decides at the bank's page. Default: approve. */
  decision?: 'approve' | 'deny'
  /** The correct bank, which every other scenario with a login rests on. */
  control?: true
  /** Rules that leave the exchanges of this scenario to it: it judges the same thing. */
  owns?: string[]
  /** Throws what `expect` throws. */
  judge(run: ScenarioRun): void
  /** Judges a client that had to be ended, by what came until then. It is blocked where this throws nothing. */
  unending?(run: ScenarioRun): void
}

/** How often one request with one answer is kept in a scenario: a client that hammers sends thousands. */
export const MOST_ALIKE = 200

export const stepsOf = ({ steps = ['connect'] }: Scenario): Step[] => steps

export const goalsOf = (scenario: Scenario): Goal[] =>
  stepsOf(scenario).filter((step) => typeof step === 'string')
