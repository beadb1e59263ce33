import { randomUUID } from 'node:crypto'
import { DATA_PERMISSIONS, daysFromNow } from '../../../../engine/suite-api/consents.ts'
import { expect, expectThat, relyOn } from '../../../../engine/suite-api/expect.ts'
import type { CallDeviation, Caller } from '../../../../engine/suite-api/flow.ts'
import { blockBy } from '../../../../engine/suite-api/outcomes.ts'
import {
  brief,
  type Exchange,
  member,
  percentEncoded,
  succeeded,
} from '../../../../engine/suite-api/responses.ts'
import { OWNERS } from '../../../owners.ts'
import { secondsOf } from '../instants.ts'

export const CONSENTS = '/account-access-consents'

/** "Allowed values", all nine of them. */
export const NINE_PERMISSIONS = [
  ...DATA_PERMISSIONS,
  'ReadStatementsBasic',
  'ReadStatementsDetail',
] as const

/** A period in the past that no check reads. */
export function pastPeriod() {
  return {
    TransactionFromDateTime: daysFromNow(-200),
    TransactionToDateTime: daysFromNow(-100),
  }
}

/** A consent that opens only the accounts. */
export const ACCOUNTS = { Permissions: ['ReadAccountsBasic'] }

/** The correct request, with these members in Data; a member that is undefined is left out. */
export function consentBody(data: Record<string, unknown> = {}) {
  return { Data: { Permissions: [...DATA_PERMISSIONS], ...data }, Risk: {} }
}

/** POST of an account access consent, with these members in Data. */
export function create(
  caller: Caller,
  data: Record<string, unknown> = {},
  deviation?: CallDeviation,
): Promise<Exchange> {
  return caller.post(CONSENTS, consentBody(data), deviation)
}

export function consentPath(id: string): string {
  return `${CONSENTS}/${percentEncoded(id)}`
}

/** The ConsentId of a creation; without one, the rule that requires it blocks the check. */
export function requireConsentId(exchange: Exchange, rule = 'CONS-02/consent-id'): string {
  const id = member(exchange.response?.json, 'Data', 'ConsentId')
  if (typeof id === 'string' && id !== '') return id
  blockBy(rule, 'the consent has no ConsentId', exchange)
}

/** Creates a consent that nobody has authorised, and returns its id; the creation is the control of later requests. */
export async function createConsent(
  caller: Caller,
  data: Record<string, unknown> = {},
): Promise<string> {
  const exchange = await create(caller, data)
  relyOn(OWNERS.consent, exchange).toSucceed()
  return requireConsentId(exchange)
}

/** Members that a TPP cannot set, with values. */
export function fieldsOfTheBank() {
  return {
    ConsentId: randomUUID(),
    CreationDateTime: '2001-01-01T00:00:00Z',
    Status: 'Authorised',
    StatusUpdateDateTime: '2001-01-02T00:00:00Z',
  }
}

/** What is told of a request with these members: rules about the times of consents leave it to the check. */
export const TELLS_TIMES = {
  owns: ['CONS-06/at-creation', 'FCC-22/at-creation', 'CONS-29/not-before-creation'],
}

/**
 * Expects that a creation with these members is refused, or shows values of the
 * bank's own. Values that a creation without them also shows are the bank's own.
 */
export function expectNotAdopted(
  answer: Exchange,
  sent: ReturnType<typeof fieldsOfTheBank>,
  without: Exchange,
) {
  if (!succeeded(answer)) return expect(answer).toBeRefused()
  const data = member(answer.response?.json, 'Data')
  const created = secondsOf(member(data, 'CreationDateTime'))
  const updated = secondsOf(member(data, 'StatusUpdateDateTime'))
  const usual = member(without.response?.json, 'Data', 'Status')
  const adopted = [
    ...(member(data, 'ConsentId') === sent.ConsentId ? ['ConsentId'] : []),
    ...(member(data, 'Status') === sent.Status && usual !== sent.Status ? ['Status'] : []),
    ...(created === secondsOf(sent.CreationDateTime) ? ['CreationDateTime'] : []),
    ...(updated === secondsOf(sent.StatusUpdateDateTime) ? ['StatusUpdateDateTime'] : []),
  ]
  expectThat(adopted.length === 0, {
    message: `the bank took ${adopted.join(' and ')} from the request`,
    expected: 'values of its own, or a refusal',
    actual: brief(data),
    exchange: answer,
  })
}

/** Bodies that are not a JSON object, with their descriptions; one begins like the correct one. */
export function bodiesWithoutObject(correct: unknown): [what: string, body: string][] {
  return [
    ['a truncated body', JSON.stringify(correct).slice(0, -10)],
    ['an empty body', ''],
    ['a body []', '[]'],
    ['a body null', 'null'],
  ]
}

/** Status of the consent in the answer to a query. */
export const statusOf = (query: Exchange) => member(query.response?.json, 'Data', 'Status')
