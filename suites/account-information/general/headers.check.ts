import { type Context, check } from '../../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import type { CallDeviation } from '../../../engine/suite-api/flow.ts'
import type { Exchange } from '../../../engine/suite-api/responses.ts'
import { everything } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { expectTable, type Place } from '../../tables.ts'
import { type AcceptValue, type Answer, acceptedType } from '../../values/accepted-type.ts'
import { type Content, type ContentTypeValue, contentType } from '../../values/media-type.ts'
import { fundsConfirmation } from '../common/consents/consent-kinds.ts'
import { consentPath, create, createConsent } from '../common/consents/consent-requests.ts'
import {
  ableToDelete,
  atWork,
  create as createFunds,
  fundsPath,
  newFundsId,
} from '../common/consents/funds-consents.ts'
import { requireAccountIds } from '../common/data/data-reads.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { everyPath } from '../common/data/same-rows.ts'

/** Header fields that HTTP lets a client spell in several ways. Requirements: specs/account-information/general.yaml */

type Row = { lawful?: boolean; level: string }

const isSpelled = ({ lawful, level }: Row) => lawful === true && level === 'should'

/** A right request, and the same with another header. */
function place<Right, Made, Used extends typeof everything = never>(
  name: string,
  right: Right,
  owner: string,
  open: (
    context: Context<Used>,
  ) => Promise<(deviation?: Made & { deviation: string }) => Promise<Exchange>>,
): Place<Right, Made, Used> {
  return {
    ...{ name, kind: name, dear: true },
    async open(context) {
      const send = await open(context)
      relyOn(owner, await send()).toSucceed()
      return { right, ask: (made, deviation) => send({ ...made, deviation }) }
    },
  }
}

const json = { kind: 'json' } as const

const accepting: Place<Answer, AcceptValue, typeof everything>[] = [
  place('create-account-access-consent', json, OWNERS.consent, async ({ caller }) => {
    const client = await caller()
    return (deviation?: CallDeviation) => create(client, {}, deviation)
  }),
  place('accounts', json, OWNERS.accounts, async ({ approved }) => {
    const { get } = await approved(everything)
    return (deviation?: CallDeviation) => get('/accounts', deviation)
  }),
  place('transactions', json, OWNERS.transactions, async ({ approved }) => {
    const { get } = await approved(everything)
    return (deviation?: CallDeviation) => get('/transactions', deviation)
  }),
]

check(
  'GEN-18/accept',
  'A request whose Accept header allows application/json is answered, however it is spelled',
  { uses: [everything], asks: [acceptedType] },
  async (context) =>
    expectTable(context, {
      ...{ owner: 'GEN-18/accept', type: acceptedType, rows: isSpelled },
      places: accepting,
    }),
)

const withContentType = ({
  contentType: type,
  ...told
}: ContentTypeValue & { deviation: string }) => ({
  ...told,
  headers: { 'Content-Type': type ?? undefined },
})

type Sent = ContentTypeValue & { deviation: string }

const withBody: Place<Content, ContentTypeValue>[] = [
  place('create-account-access-consent', json, OWNERS.consent, async ({ caller }) => {
    const client = await caller()
    return (sent?: Sent) => create(client, {}, sent && withContentType(sent))
  }),
  place('token', { kind: 'form' }, OWNERS.management, async ({ caller }) => {
    const { tpp } = await caller()
    return (sent?: Sent) => tpp.token({ grant_type: 'client_credentials' }, sent)
  }),
]

const fundsWithBody: Place<Content, ContentTypeValue> = place(
  'create-funds-confirmation-consent',
  json,
  OWNERS.fundsConfirmation,
  async (context) => {
    const client = await atWork(context)
    return (sent?: Sent) => createFunds(client, {}, sent && withContentType(sent))
  },
)

check(
  'GEN-19/content-type',
  'A body is taken whose Content-Type is spelled in another way, or names its charset',
  { asks: [contentType] },
  async (context) => {
    const creators = await fundsConfirmation.creators(context).catch(() => [])
    await expectTable(context, {
      ...{ owner: 'GEN-19/content-type', type: contentType, rows: isSpelled },
      places: creators.length > 0 ? [...withBody, fundsWithBody] : withBody,
    })
  },
)

/** Headers that our requests have and the documents do not. */
const UNDOCUMENTED = { 'x-fapi-interaction-id': undefined }

check(
  'GEN-20/without-interaction-id',
  'A request that has the headers of the document and no others is served',
  { uses: [everything] },
  async (context) => {
    const approval = await context.approved(everything)
    const client = await context.caller()
    const deviation = 'the headers of the document alone'
    const alone = { headers: UNDOCUMENTED, deviation }
    const created = (told?: CallDeviation) => create(client, {}, told)
    relyOn(OWNERS.consent, await created()).toSucceed()
    expect(await created(alone)).toSucceed()
    const path = consentPath(await createConsent(client))
    relyOn(OWNERS.query, await client.get(path)).toSucceed()
    expect(await client.get(path, alone)).toSucceed()
    const [id = ''] = await requireAccountIds(approval)
    for (const data of everyPath(approval, id)) {
      relyOn(readOwner(approval, data), await approval.get(data)).toSucceed()
      expect(await approval.get(data, alone)).toSucceed()
    }
    relyOn('CLC-01/awaiting', await client.delete(path)).toSucceed()
    // Made after that: the newest alone may wait.
    const another = consentPath(await createConsent(client))
    expect(await client.delete(another, alone)).toSucceed()
  },
)

check(
  'GEN-20/funds-confirmation',
  'A request about a funds confirmation consent that has the headers of the document alone is served',
  { follows: ['GEN-20/without-interaction-id'] },
  async (context) => {
    const client = await ableToDelete(context)
    const alone = { headers: UNDOCUMENTED, deviation: 'the headers of the document alone' }
    relyOn(OWNERS.fundsConfirmation, await createFunds(client)).toSucceed()
    expect(await createFunds(client, {}, alone)).toSucceed()
    const path = fundsPath(await newFundsId(client))
    relyOn(OWNERS.fundsDeletion, await client.delete(path)).toSucceed()
    expect(await client.delete(fundsPath(await newFundsId(client)), alone)).toSucceed()
  },
)

type Told = Required<Pick<CallDeviation, 'headers' | 'deviation'>>

/** What libraries for HTTP send without being told to. */
const COMPRESSED: Told = {
  headers: { 'Accept-Encoding': 'gzip, deflate, br' },
  deviation: 'a client that takes compressed answers',
}

/**
 * RFC 9110 8.4. Each request without Accept-Encoding as its control, then with it. Fails: no success with it, or a body of which
 * the codings that it names cannot be undone. One that is no JSON then breaks GEN-01, which blocks this.
 */
check(
  'GEN-21/compressed',
  'A client that takes compressed answers gets the same JSON',
  { uses: [everything] },
  async (context) => {
    const approval = await context.approved(everything)
    const client = await context.caller()
    const { tpp } = client
    const path = consentPath(await createConsent(client))
    const asked: [owner: string, ask: (told?: Told) => Promise<Exchange>][] = [
      [OWNERS.query, (told) => client.get(path, told)],
      // After that: the newest alone may wait.
      [OWNERS.consent, (told) => create(client, {}, told)],
    ]
    const [id = ''] = await requireAccountIds(approval)
    for (const data of everyPath(approval, id)) {
      asked.push([readOwner(approval, data), (told) => approval.get(data, told)])
    }
    // Last: the newest alone may be good.
    asked.push([OWNERS.management, (told) => tpp.token({ grant_type: 'client_credentials' }, told)])
    for (const [owner, ask] of asked) {
      const plain = await ask()
      relyOn(owner, plain).toSucceed()
      relyOn('GEN-01/json', plain).toBeJson()
      const answer = await ask(COMPRESSED)
      expect(answer).toSucceed()
      relyOn('GEN-01/json', answer).toBeJson()
    }
  },
)
