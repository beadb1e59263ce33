/** Data as banks may return it. Requirements: specs/tpp/data.yaml */

import type { ScenarioRun } from '../../engine/suite-api/certification.ts'
import { scenario } from '../../engine/suite-api/certification.ts'
import { Nonconformance } from '../../engine/suite-api/outcomes.ts'
import {
  after,
  dataIn,
  lastSaid,
  redemptions,
  requireReading,
  requireSecondVisit,
  survives,
} from './common/expect.ts'
import { seenOf } from './common/messages.ts'

scenario({
  id: 'TXN-13/changed-amount',
  title: 'the amount of a transaction has changed when it is read again',
  right: 'It takes the new amount.',
  alteration: 'amounts-change',
  steps: ['connect', 'read'],
  judge(run) {
    requireReading(run)
    survives(run)
  },
})

/** Data was read with the tokens of the last redeemed code. */
function readsTheNewestConsent(run: ScenarioRun): void {
  const codes = redemptions(run.exchanges).filter(({ response }) => response?.status === 200)
  const newest = codes.at(-1)
  const consentId = newest && seenOf(newest).code?.consentId
  // If the customer approved only once, there is no second consent.
  if (!newest || consentId === undefined || codes.length < 2) return
  const later = dataIn(after(run, newest))
  if (later.some((each) => seenOf(each).consent?.id === consentId)) return
  throw new Nonconformance({
    message: 'the customer approved a second consent, and nothing was read under it',
    expected: 'data by the access token of the second consent',
    actual: later.length > 0 ? 'data under the first consent alone' : 'no data',
    exchange: later[0] ?? newest,
  })
}

scenario({
  id: 'TDAT-05/second-consent',
  title:
    'the customer connects a second time: under the new consent accounts have other AccountIds',
  right: 'It reads the accounts of the new consent by the AccountIds that came with it.',
  steps: ['connect', 'connect'],
  judge(run) {
    requireSecondVisit(run)
    survives(run)
    readsTheNewestConsent(run)
  },
})

for (const [id, alteration, title] of [
  ['TDAT-06/fewer-accounts', 'one-account-only', 'the customer has one account, and no other'],
  [
    'TDAT-06/account-ids',
    'account-ids-of-any-form',
    'an AccountId is of digits, or must be encoded where it stands in a path',
  ],
  [
    'TDAT-06/amounts',
    'amounts-of-any-currency-and-decimals',
    'amounts have no decimals or five, and are sometimes in another currency',
  ],
  [
    'TDAT-06/no-transactions',
    'no-transactions',
    'no card was ever used: there are no transactions',
  ],
  [
    'TDAT-06/no-transaction-ids',
    'transactions-without-an-id',
    'no transaction has a TransactionId, which no table names',
  ],
  [
    'TDAT-06/many-transactions',
    'thousands-of-transactions',
    'an answer with transactions is longer than a megabyte: there are no pages',
  ],
  [
    'TDAT-06/names',
    'merchants-with-any-signs',
    'names of merchants and addresses hold backslashes and percents',
  ],
  [
    'TDAT-06/pending-rows',
    'pending-rows-in-other-words',
    'pending rows have no BookingDateTime, or an unknown Status',
  ],
  [
    'TDAT-06/unknown-members',
    'more-members-everywhere',
    'every object has members that no table knows',
  ],
  [
    'TDAT-06/shapes',
    'dotted-names-of-any-shape',
    'Account and CreditLine are sometimes an object, sometimes an array',
  ],
  [
    'TDAT-06/masks',
    'cards-masked-in-any-way',
    'card numbers are masked with other characters than asterisks, and in other positions',
  ],
  ['TDAT-06/no-credit-line', 'no-credit-lines', 'no balance has a CreditLine: it is optional'],
  ['TDAT-06/no-pages', 'data-without-a-count-of-pages', 'Meta is empty: TotalPages is not there'],
  ['TDAT-06/zero-pages', 'total-pages-are-zero', 'TotalPages is 0: no answer has pages'],
  [
    'TDAT-06/date-times',
    'date-times-spelt-in-any-way',
    'date-times end in +00:00, have nine decimals, or are in lower case',
  ],
  [
    'TDAT-06/headers',
    'headers-in-capitals',
    'names of headers are in capitals, and there are more of them',
  ],
  [
    'TDAT-06/compressed',
    'bodies-framed-in-any-way',
    'answers are compressed where the request allows it, and framed in any way',
  ],
  [
    'TDAT-06/json',
    'json-written-in-any-way',
    'JSON is indented, escaped and called application/json;charset=UTF-8',
  ],
] as const) {
  scenario({
    id,
    title,
    right: 'It reads what there is.',
    alteration,
    // An AccountId that is not encoded leads to another path.
    ...(id === 'TDAT-06/account-ids' && { owns: ['TGEN-06/documented', 'TDAT-05/account-ids'] }),
    judge: (run) => survives(run),
  })
}

scenario({
  id: 'TDAT-08/interim',
  title: 'the interim answer 102 comes before each answer with data',
  right: 'It waits for the final answer.',
  alteration: 'interim-answers',
  judge: (run) => survives(run),
})

scenario({
  id: 'TDAT-07/no-accounts',
  title: 'the list of accounts is empty',
  right: 'How it handles that is recorded.',
  alteration: 'no-accounts',
  judge(run) {
    const { end, words } = lastSaid(run)
    run.observe(
      'without any account the client says',
      end === 'done' ? 'that it has the data' : words,
    )
  },
})

scenario({
  id: 'TDAT-12/nulls',
  title: 'every optional member without a value is there, and is null',
  right: 'How it handles that is recorded: a bank should leave such members out.',
  alteration: 'absent-members-are-null',
  judge(run) {
    const { end, words } = lastSaid(run)
    run.observe(
      'where absent members are null the client says',
      end === 'done' ? 'that it has the data' : words,
    )
  },
})
