import type { HookName } from '../configuration/target.ts'
import type { Exchange } from '../wire/exchange.ts'

/** What a client can be asked to do, with the meaning of each for whoever drives it. */
export const GOALS = {
  connect:
    'register if need be, create a consent, have the customer approve it, read accounts, balances and transactions',
  'connect-another': 'as connect, for another customer, who has connected nothing yet',
  read: 'read the data of the customer of connect again with what was kept; the customer is absent',
  reconfirm: 'have the customer confirm the consent that exists, then read the data again',
  disconnect: 'the customer revokes consent with the TPP',
  'confirm-funds': 'create a funds confirmation consent for the customer’s card, and delete it',
  products: 'read the list of products',
} as const

export type Goal = keyof typeof GOALS

/** A fact that is made true at the bank, or a certificate that is replaced. */
export type Fact =
  | HookName
  | 'certificate-of-the-bank-renewed'
  | 'certificate-of-the-TPP-renewed'
  | 'certificate-of-a-stranger'
  | 'certificate-of-another-host'
  | 'certificate-of-a-stranger-at-the-api'
  | 'certificate-of-another-host-at-the-api'

/** One step: the client is asked for a goal, or a fact is made true. */
export type Step = Goal | { fact: Fact }

/** How a step ended according to the client. */
export interface Said {
  goal: Goal
  /** `done`: it has what was requested. `refused`: it would not or could not do it, and says so. */
  end: 'done' | 'refused'
  /** Its own words. */
  words: string
}

/** All results of one scenario. */
export interface ScenarioRun {
  scenario: Scenario
  said: Said[]
  /** What the bank saw, in the order of its answers. */
  exchanges: Exchange[]
  /** Exchanges in which the alteration had an effect. */
  altered: Exchange[]
  /** Ids of the rules of level must or should that an exchange broke. */
  broken(exchange: Exchange): string[]
  /** Records what no sentence judges. */
  observe(what: string, value: string): void
}

/** One way in which a bank behaves, and what a correct client then does. */
export interface Scenario {
  /** TIDT-01/wrong-signature: the check that judges it. */
  id: string
  /** A sentence about the client. */
  title: string
  /** What a correct client does. */
  right: string
  /** Id of what is altered at the bank; absent: the correct bank. */
  alteration?: string
  /** What happens, in order. Default: connect. */
  steps?: Step[]
  /** The steps that remain are left out once this holds. */
  enough?(run: ScenarioRun): boolean
  /** What the customer decides at the bank's page. Default: approve. */
  decision?: 'approve' | 'deny'
  /** The correct bank, on which every other scenario with a login depends. */
  control?: true
  /** Ids of rules that skip the exchanges of this scenario, because it judges the same thing. */
  owns?: string[]
  /** Throws the same errors as `expect`. */
  judge(run: ScenarioRun): void
  /** Judges a client that had to be stopped, by what it sent until then. It is blocked if this throws nothing. */
  unending?(run: ScenarioRun): void
}

/** How often equal requests with equal answers are kept in a scenario: a misbehaving client sends thousands. */
export const MOST_ALIKE = 200

export const stepsOf = ({ steps = ['connect'] }: Scenario): Step[] => steps

export const goalsOf = (scenario: Scenario): Goal[] =>
  stepsOf(scenario).filter((step) => typeof step === 'string')
