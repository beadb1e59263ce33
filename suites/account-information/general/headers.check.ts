import { type Context, check } from '../../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import {
  type CallDeviation,
  type Caller,
  requireExchange,
  requireValue,
} from '../../../engine/suite-api/flow.ts'
import type { Exchange } from '../../../engine/suite-api/responses.ts'
import { COMPRESSED } from '../../compressed.ts'
import { everything } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { expectTable, type Place } from '../../tables.ts'
import { type AcceptValue, type Answer, acceptedType } from '../../values/accepted-type.ts'
import { type AddedHeaders, type AnyRequest, clientHeader } from '../../values/client-header.ts'
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
import { requireAccountIds, servedRead } from '../common/data/data-reads.ts'
import { readOwner } from '../common/data/read-owners.ts'
import { everyPath } from '../common/data/same-rows.ts'
import { DATA_PLACES } from '../common/places/data-places.ts'

/** Header fields with several equivalent spellings in HTTP. Requirements: specs/account-information/general.yaml */

type Row = { lawful?: boolean; level: string }

const isSpelled = ({ lawful, level }: Row) => lawful === true && level === 'should'

/** A correct request, and the same with a different header. */
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
  'A body whose Content-Type is spelled differently, or names its charset, is accepted',
  { asks: [contentType] },
  async (context) => {
    const creators = await fundsConfirmation.creators(context).catch(() => [])
    await expectTable(context, {
      ...{ owner: 'GEN-19/content-type', type: contentType, rows: isSpelled },
      places: creators.length > 0 ? [...withBody, fundsWithBody] : withBody,
    })
  },
)

type Told = Pick<CallDeviation, 'headers' | 'headerNames' | 'deviation'>

interface RightRequest {
  name: string
  /** Id of the check that judges whether the bank serves the correct request. */
  owner: string
  content: AnyRequest['content']
  /** The request without the changes, or an earlier answer to it. */
  control(): Promise<Exchange>
  ask(told?: Told): Promise<Exchange>
}

/** Each request for a consent and its data. */
async function everyRequest(context: Context<typeof everything>): Promise<RightRequest[]> {
  const approval = await context.approved(everything)
  const client = await context.caller()
  const path = consentPath(await createConsent(client))
  const [id = ''] = await requireAccountIds(approval)
  return [
    {
      ...{ name: 'query-account-access-consent', owner: OWNERS.query, content: 'none' },
      control: () => client.get(path),
      ask: (told) => client.get(path, told),
    },
    // After the query: perhaps only the newest consent stays valid while it awaits authorisation.
    {
      ...{ name: 'create-account-access-consent', owner: OWNERS.consent, content: 'json' },
      control: () => create(client),
      ask: (told) => create(client, {}, told),
    },
    ...everyPath(approval, id).map(
      (data, at): RightRequest => ({
        ...{ name: DATA_PLACES[at] ?? data, owner: readOwner(approval, data), content: 'none' },
        control: () => servedRead(approval, data),
        ask: (told) => approval.get(data, told),
      }),
    ),
  ]
}

/** The same, and one for a token. It comes last, since perhaps only the newest token is valid. */
async function everyRequestAndToken(context: Context<typeof everything>): Promise<RightRequest[]> {
  const { tpp } = await context.caller()
  const ask = (told?: Told) => tpp.token({ grant_type: 'client_credentials' }, told)
  return [
    ...(await everyRequest(context)),
    { name: 'token', owner: OWNERS.management, content: 'form', control: () => ask(), ask },
  ]
}

/** Without the headers that Assay sends and the documents do not have: a correct request like the others. */
const ALONE: Told = { headers: { 'x-fapi-interaction-id': undefined } }

check(
  'GEN-20/without-interaction-id',
  'A request that has the headers of the document and no others is served',
  { uses: [everything] },
  async (context) => {
    for (const { owner, control, ask } of await everyRequest(context)) {
      relyOn(owner, await control()).toSucceed()
      expect(await ask(ALONE)).toSucceed()
    }
    await expectDeletionWith(ALONE, await context.caller())
  },
)

/** Deletes a consent as documented, and another one with these headers. */
async function expectDeletionWith(told: Told, client: Caller): Promise<void> {
  const path = consentPath(await createConsent(client))
  relyOn(OWNERS.deletion, await client.delete(path)).toSucceed()
  // Created after that: perhaps only the newest consent stays valid while it awaits authorisation.
  const another = consentPath(await createConsent(client))
  expect(await client.delete(another, told)).toSucceed()
}

check(
  'GEN-20/funds-confirmation',
  'A request about a funds confirmation consent that has the headers of the document alone is served',
  { follows: ['GEN-20/without-interaction-id'] },
  async (context) => {
    const client = await ableToDelete(context)
    relyOn(OWNERS.fundsConfirmation, await createFunds(client)).toSucceed()
    expect(await createFunds(client, {}, ALONE)).toSucceed()
    await expectFundsDeletionWith(ALONE, client)
  },
)

async function expectFundsDeletionWith(told: Told, client: Caller): Promise<void> {
  const path = fundsPath(await newFundsId(client))
  relyOn(OWNERS.fundsDeletion, await client.delete(path)).toSucceed()
  expect(await client.delete(fundsPath(await newFundsId(client)), told)).toSucceed()
}

const adding = ({
  name,
  owner,
  content,
  control,
  ask,
}: RightRequest): Place<AnyRequest, AddedHeaders, typeof everything> => ({
  ...{ name, kind: 'requests' },
  async open() {
    relyOn(owner, await control()).toSucceed()
    return {
      right: { content },
      async ask(added, deviation) {
        const answer = await ask({ ...added, deviation })
        // RFC 9112 6.3: a server may ask for the length of a body.
        return answer.response?.status === 411 ? { exchange: answer } : answer
      },
    }
  },
})

check(
  'GEN-24/added-headers',
  'A request is served whatever headers a library or a proxy adds, and however it spells their names',
  { uses: [everything], asks: [clientHeader] },
  async (context) =>
    expectTable(context, {
      ...{ owner: 'GEN-24/added-headers', type: clientHeader, rows: isSpelled },
      places: (await everyRequestAndToken(context)).map(adding),
    }),
)

/** A library may name the type of the content that a deletion does not have: a correct request like the others. */
const TYPED: Told = { headers: { 'Content-Type': 'application/json' } }

check(
  'GEN-24/deletions',
  'A deletion that has a Content-Type, and no content, is served',
  { follows: ['GEN-24/added-headers'] },
  async (context) => expectDeletionWith(TYPED, await context.caller()),
)

check(
  'GEN-24/funds-confirmation',
  'A deletion of a funds confirmation consent that has a Content-Type, and no content, is served',
  { follows: ['GEN-24/deletions'] },
  async (context) => expectFundsDeletionWith(TYPED, await ableToDelete(context)),
)

/**
 * RFC 9110 8.4. Each request without Accept-Encoding as its control, then with it. Fails: no success with it, or a
 * body that cannot be decoded by the codings it names. A body that is no JSON breaks GEN-01, which blocks this check.
 */
check(
  'GEN-21/compressed',
  'A client that accepts compressed answers is served too',
  { uses: [everything] },
  async (context) => {
    for (const { owner, control, ask } of await everyRequestAndToken(context)) {
      const plain = await control()
      relyOn(owner, plain).toSucceed()
      relyOn('GEN-01/json', plain).toBeJson()
      for (const told of COMPRESSED) {
        const answer = await ask(told)
        expect(answer).toSucceed()
        relyOn('GEN-01/json', answer).toBeJson()
      }
    }
  },
)

/** A proxy may compress public documents. Each is first read without Accept-Encoding, as the control. */
check(
  'GEN-21/configuration',
  'A client that accepts compressed answers gets the configuration and the keys',
  {},
  async ({ steps, tpp }) => {
    requireValue(await steps.discovery())
    const { url } = requireExchange(await steps.jwks()).request
    const asked = [
      ['DISC-01/again', 'discovery'],
      ['DISC-10/again', 'jwks', url],
    ] as const
    for (const [owner, endpoint, path] of asked) {
      const plain = await tpp().call(endpoint, { ...(path && { path }) })
      relyOn(owner, plain).toSucceed()
      relyOn(owner, plain).toBeJson()
      for (const told of COMPRESSED) {
        const answer = await tpp().call(endpoint, { ...told, ...(path && { path }) })
        expect(answer).toSucceed()
        expect(answer).toBeJson()
      }
    }
  },
)
