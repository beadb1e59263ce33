import { check } from '../../../engine/suite-api/check.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import { blockBy, Nonconformance, NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { answerOf, refused, succeeded } from '../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../engine/suite-api/shared-fixture.ts'
import { expectOthersUntouched } from '../../bystanders.ts'
import { debitsInPeriod, everything } from '../../consents.ts'
import { deleted } from '../../ended-consents.ts'
import { OWNERS } from '../../owners.ts'
import { changedSince } from '../common/consents/consent-comparisons.ts'
import { consentPath, createConsent, statusOf } from '../common/consents/consent-requests.ts'
import {
  attackedByAnother,
  awaitingDeleted,
  deletedWhereThere,
  eachAwaitingDeleted,
  expectNoData,
  FORBIDDEN,
  relyOnDeletion,
} from '../common/consents/deleted-consents.ts'
import { ELSEWHERE } from '../common/elsewhere.ts'
import { DENIED, deniedAndQueried } from '../common/visits/denial.ts'
import { settling } from '../common/visits/settling.ts'

/**
 * Consents that the TPP deletes. Requirements:
 * specs/account-information/life-cycle.yaml
 */

check(
  'CLC-01/awaiting',
  'DELETE of a consent that nobody has authorised answers 204',
  {},
  async (context) => {
    for (const { deletion } of await eachAwaitingDeleted(context)) {
      expect(deletion).toHaveStatus(204)
    }
  },
)

/** The denied consent. Another client tries to read and to delete it before its own client deletes it. */
const deniedAttacked = sharedFixture([everything], async (context) => {
  const { consentId } = await deniedAndQueried(context)
  return attackedByAnother(context, consentId, 'its customer denied')
})

const deniedDeleted = sharedFixture([everything], async (context) => {
  const { consentId } = await deniedAndQueried(context)
  await deniedAttacked(context).catch(() => undefined)
  return deletedWhereThere(context, consentId, 'its consent was denied')
})

const DENIED_OF_ANOTHER = { ...DENIED, needs: ['clients.second'] } as const

check(
  'SEC-05/denied',
  'A client cannot query a consent of another client that its customer denied',
  { ...DENIED_OF_ANOTHER, follows: ['SEC-05/other-client', 'SEC-05/authorised'] },
  async (context) => expect((await deniedAttacked(context)).read).toBeRefused(),
)

check(
  'CLC-08/denied',
  'DELETE of a consent of another client that its customer denied is refused',
  { ...DENIED_OF_ANOTHER, follows: ['CLC-08/refused', 'CLC-08/survives', 'CLC-08/authorised'] },
  async (context) => {
    await relyOnDeletion(context)
    expect((await deniedAttacked(context)).deletion).toBeAnError()
  },
)

check(
  'CLC-23/denied',
  'Denial leaves the permissions of a consent as they were',
  { ...DENIED, follows: ['CONS-22/after-approval'] },
  async (context) => {
    const { creation, query } = await deniedAndQueried(context)
    relyOn(OWNERS.query, query).toSucceed()
    const finding = changedSince({ creation, query })
    if (finding?.place === '/Data/Permissions') {
      throw new Nonconformance({ ...finding, exchange: query })
    }
  },
)

check(
  'CLC-24/denied',
  'A consent that the customer denied is not shown as authorised',
  { ...DENIED, follows: ['AUTHZ-21/denied'] },
  async (context) => {
    const { creation, query } = await deniedAndQueried(context)
    relyOn(OWNERS.query, query).toSucceed()
    if (statusOf(creation) === 'Authorised') {
      blockBy(
        'CONS-04/awaiting-authorisation',
        'the consent was authorised from the beginning',
        creation,
      )
    }
    expectThat(statusOf(query) !== 'Authorised', {
      message: 'the denied consent is authorised',
      expected: 'another Status',
      actual: 'Authorised',
      exchange: query,
      place: '/Data/Status',
    })
  },
)

check(
  'CLC-01/denied',
  'DELETE of a consent that the customer has denied, and that the TPP can query, answers 204',
  DENIED,
  async (context) => {
    await relyOnDeletion(context)
    expect((await deniedDeleted(context)).deletion).toHaveStatus(204)
  },
)

check(
  'CLC-03/denied',
  'A consent that the customer denied and the TPP then deleted cannot be queried any more',
  { ...DENIED, follows: ['CLC-03/query-refused'] },
  async (context) => {
    const { deletion, query } = await deniedDeleted(context)
    relyOn('CLC-01/denied', deletion).toSucceed()
    expect(query).toBeAnError()
  },
)

/** Not applicable where its own client cannot query it afterwards: what is not there belongs to nobody. */
check(
  'CLC-22/denied',
  'The refusal to delete a consent of another client that its customer denied has status 403, too',
  { ...DENIED_OF_ANOTHER, follows: FORBIDDEN },
  async (context) => {
    const { deletion } = await deniedAttacked(context)
    relyOn('CLC-08/denied', deletion).toBeAnError()
    relyOn('CLC-01/denied', (await deniedDeleted(context)).deletion).toSucceed()
    expect(deletion).toHaveStatus(403)
  },
)

check(
  'CLC-01/authorised',
  'DELETE of a consent that the customer has authorised answers 204',
  { uses: [everything, debitsInPeriod], spends: debitsInPeriod },
  async (context) => {
    await relyOnDeletion(context)
    expect((await deleted(context)).deletion).toHaveStatus(204)
  },
)

/**
 * CLC-03/query-refused: GET right after the 204, for a consent that awaited authorisation
 * and for one that was authorised, and again later over a new connection: each an error response.
 */
/** A query during the deletion may write the consent back into a cache or into the store. */
check(
  'CLC-03/at-once',
  'A consent that was queried while it was deleted cannot be queried any more',
  { for: 'each client', follows: ['CLC-03/query-refused'] },
  async (context) => {
    const client = await context.caller()
    const path = consentPath(await createConsent(client))
    // In parallel too, so that each of the next three requests finds an open connection.
    const before = await Promise.all([client.get(path), client.get(path), client.get(path)])
    for (const query of before) relyOn(OWNERS.query, query).toSucceed()
    const read = () => client.get(path, { deviation: 'while it is deleted' })
    const [, deletion] = await Promise.all([read(), client.delete(path), read()])
    if (refused(deletion))
      throw new NotApplicable('the bank serves one request for a consent at a time')
    relyOn('CLC-01/awaiting', deletion).toSucceed()
    const { until } = settling(context)
    const deviation = 'it was deleted before'
    expect(await until(() => client.get(path, { deviation }), refused)).toBeAnError()
  },
)

check(
  'CLC-03/query-refused',
  'A consent that the TPP deleted cannot be queried any more',
  { uses: [everything, debitsInPeriod], spends: debitsInPeriod },
  async (context) => {
    const awaiting = await awaitingDeleted(context)
    for (const { before, deletion, after } of await eachAwaitingDeleted(context)) {
      relyOn(OWNERS.query, before).toSucceed()
      relyOn(OWNERS.deletion, deletion).toSucceed()
      context.observe('query of a deleted consent', answerOf(after), after)
      expect(after).toBeAnError()
    }
    const { approval, deletion, query, after } = await deleted(context)
    relyOn(OWNERS.query, query).toSucceed()
    relyOn('CLC-01/authorised', deletion).toSucceed()
    expect(after.query).toBeAnError()
    const deviation = 'its consent was deleted before'
    const { until } = settling(context)
    for (const id of [awaiting.id, approval.consentId]) {
      const ask = () => approval.get(consentPath(id), { ...ELSEWHERE, deviation })
      expect(await until(ask, refused)).toBeAnError()
    }
  },
)

check(
  'CLC-04/data-refused',
  'After the TPP deleted a consent, its access token gets no data',
  { uses: [everything, debitsInPeriod], spends: debitsInPeriod },
  async (context) => {
    const ended = await deleted(context)
    relyOn('CLC-01/authorised', ended.deletion).toSucceed()
    expectNoData(ended, context)
  },
)

check('CLC-06/recorded', 'What a second DELETE of a consent gives', {}, async (context) => {
  const { deletion, again } = await awaitingDeleted(context)
  relyOn(OWNERS.deletion, deletion).toSucceed()
  context.observe('DELETE of a deleted consent', answerOf(again), again)
})

/**
 * After a DELETE of an authorised consent, another authorised one of the same
 * client and customer still answers 2xx on GET /accounts and on its query.
 */
check(
  'CLC-19/awaiting-untouched',
  'Deleting a consent that nobody has authorised leaves another one as it was',
  {},
  async (context) => {
    for (const { id, deletion, others } of await eachAwaitingDeleted(context)) {
      if (others.path === consentPath(id)) {
        blockBy('CONS-03/unique', 'both consents have the same ConsentId', others.before)
      }
      // No requirement says how many consents may await authorisation at once.
      if (!succeeded(others.before))
        throw new NotApplicable('only the newest consent may await authorisation')
      relyOn('CLC-01/awaiting', deletion).toSucceed()
      expect(others.after).toSucceed()
      expect(others.after).toHaveMember('Data.Status', statusOf(others.before))
    }
  },
)

check(
  'CLC-19/others-untouched',
  'Deleting one consent leaves another of the same client and customer as it was',
  { uses: [everything, debitsInPeriod], spends: debitsInPeriod },
  async (context) => {
    const { deletion, others } = await deleted(context)
    for (const { before } of others) {
      relyOn(OWNERS.query, before.query).toSucceed()
      relyOn(OWNERS.accounts, before.data).toSucceed()
    }
    relyOn('CLC-01/authorised', deletion).toSucceed()
    expectOthersUntouched(others)
  },
)
