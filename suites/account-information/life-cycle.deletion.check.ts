import { check } from '../../engine/journey/context.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { expect, relyOn } from '../../engine/judge/expect.ts'
import { answerOf } from '../../engine/judge/matchers.ts'
import { deleted } from '../endings.ts'
import { consentPath } from './common/consent-requests.ts'
import { awaitingDeleted, expectNoData, relyOnDeletion, statusOf } from './common/ended-consents.ts'

/**
 * What becomes of a consent that the TPP deletes.
 * Requirements: specs/account-information/life-cycle.yaml
 */

check(
  'CLC-01/awaiting',
  'DELETE of a consent that nobody has authorised answers 204',
  {},
  async (context) => {
    expect((await awaitingDeleted(context)).deletion).toHaveStatus(204)
  },
)

check(
  'CLC-01/authorised',
  'DELETE of a consent that the customer has authorised answers 204',
  { uses: ['debits in a period'], spends: 'debits in a period' },
  async (context) => {
    await relyOnDeletion(context)
    expect((await deleted(context)).deletion).toHaveStatus(204)
  },
)

check(
  'CLC-03/query-refused',
  'A consent that the TPP deleted cannot be queried any more',
  { uses: ['debits in a period'], spends: 'debits in a period' },
  async (context) => {
    const awaiting = await awaitingDeleted(context)
    relyOn(OWNERS.query, awaiting.before)
    relyOn(OWNERS.deletion, awaiting.deletion)
    context.observe('query of a deleted consent', answerOf(awaiting.after), awaiting.after)
    expect(awaiting.after).toBeAnError()
    const { approval, deletion, query, after } = await deleted(context)
    relyOn(OWNERS.query, query)
    relyOn('CLC-01/authorised', deletion)
    expect(after.query).toBeAnError()
    const deviation = 'its consent was deleted before'
    for (const id of [awaiting.id, approval.consentId]) {
      expect(await approval.get(consentPath(id), { deviation })).toBeAnError()
    }
  },
)

check(
  'CLC-04/data-refused',
  'After the TPP deleted a consent, its access token gets no data',
  { uses: ['debits in a period'], spends: 'debits in a period' },
  async (context) => {
    const ended = await deleted(context)
    relyOn('CLC-01/authorised', ended.deletion)
    expectNoData(ended, context)
  },
)

check('CLC-06/recorded', 'What a second DELETE of a consent gives', {}, async (context) => {
  const { deletion, again } = await awaitingDeleted(context)
  relyOn(OWNERS.deletion, deletion)
  context.observe('DELETE of a deleted consent', answerOf(again), again)
})

check(
  'CLC-19/others-untouched',
  'Deleting one consent leaves another of the same client and customer as it was',
  { uses: ['everything', 'debits in a period'], spends: 'debits in a period' },
  async (context) => {
    const { deletion, others } = await deleted(context)
    relyOn(OWNERS.query, others.before.query)
    relyOn(OWNERS.accounts, others.before.accounts)
    relyOn('CLC-01/authorised', deletion)
    expect(others.after.query).toSucceed()
    expect(others.after.query).toHaveMember('Data.Status', statusOf(others.before.query))
    expect(others.after.accounts).toSucceed()
  },
)
