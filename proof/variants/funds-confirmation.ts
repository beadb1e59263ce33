import { currentRequest } from '../../bank/listeners/request-context.ts'
import { stateOf } from '../../bank/state/state.ts'
import { isAbout, queriedFunds } from '../altering/consent-requests.ts'
import { asAccounts } from '../altering/funds-as-accounts.ts'
import { answers, type Json, partOf, successes } from '../altering/rewriting.ts'
import type { Variant } from '../run/proof.ts'

const FUNDS = 'funds-confirmation-consents'
const seen = answers((ctx) => partOf(ctx) === 'consents' && ctx.path.includes(FUNDS))

const created = (change: (data: Json, account: Json, sent: string) => Json) =>
  successes(['consents'], (body, ctx) => {
    const data = body.Data as Json
    if (!ctx.path.includes(FUNDS)) return undefined
    return { ...body, Data: change(data, data.DebtorAccount as Json, stateOf(ctx).body) }
  })

const variants: Variant[] = [
  {
    id: 'funds-consents-begin-in-any-state',
    story:
      'A new funds confirmation consent has Status Pending. The Status in which it is created is not shown, and the list of values is not complete.',
    middleware: created((data) => ({ ...data, Status: 'Pending' })),
  },
  {
    id: 'funds-consents-approved-with-any-scope',
    story:
      'A funds confirmation consent can be approved with the scope accounts; its token reads no account. How a customer approves such a consent is not shown.',
    policies: asAccounts,
  },
  {
    id: 'funds-consents-can-be-queried',
    story:
      'A client can query its funds confirmation consents until it deletes them. The document has no such query and does not forbid it.',
    middleware: queriedFunds(({ deleted }, isOwn) => isOwn && deleted === undefined),
  },
  {
    id: 'funds-deleted-under-aisp',
    story:
      'Funds confirmation consents are deleted under the aisp prefix, as in the sample request (AMB-05).',
    settings: { fundsConfirmationPaths: { delete: `aisp/${FUNDS}` } },
    middleware: seen,
  },
  {
    id: 'funds-deleted-at-two-addresses',
    story:
      'Funds confirmation consents can be deleted at two addresses, because the right one is open (AMB-05).',
    settings: { fundsConfirmationPaths: { delete: [`cbpii/${FUNDS}`, `aisp/${FUNDS}`] } },
    middleware: seen,
  },
  {
    id: 'funds-below-aisp-cbpii',
    story: 'The path of funds confirmation consents has both prefixes, aisp/cbpii (AMB-06).',
    settings: {
      fundsConfirmationPaths: { create: `aisp/cbpii/${FUNDS}`, delete: `aisp/cbpii/${FUNDS}` },
    },
    middleware: seen,
  },
  {
    id: 'funds-below-aisp',
    story:
      'The paths of funds confirmation consents have the prefix aisp and not cbpii, as in the heading of the delete (AMB-05, AMB-06).',
    settings: { fundsConfirmationPaths: { create: `aisp/${FUNDS}`, delete: `aisp/${FUNDS}` } },
    middleware: seen,
  },
  {
    id: 'funds-with-members-of-the-bank',
    story:
      'A funds confirmation consent created without Name, SecondaryIdentification or ExpirationDateTime shows values of the bank. Name is "assigned by the servicing institution".',
    middleware: created((data, account, sent) => ({
      ...(!sent.includes('ExpirationDateTime') && { ExpirationDateTime: '2999-12-31T00:00:00Z' }),
      ...data,
      DebtorAccount: { Name: 'MS A OKAFOR', SecondaryIdentification: '00', ...account },
    })),
  },
  {
    id: 'funds-with-names-of-the-bank-alone',
    story:
      'A funds confirmation consent always shows the bank’s own Name and SecondaryIdentification, whatever the TPP sends. They are "assigned by the servicing institution".',
    middleware: created((data, account) => ({
      ...data,
      DebtorAccount: { ...account, Name: 'MS A OKAFOR', SecondaryIdentification: '00' },
    })),
  },
  {
    id: 'funds-of-known-cards-only',
    story:
      'The bank refuses an Identification that no card has. It is the "last 4 digits of the customer\'s card number".',
    policies: (correct, { fired }) => ({
      debtorAccountRefusal(account, scheme) {
        const reason = correct.debtorAccountRefusal(account, scheme)
        if (reason) return reason
        const { bank } = currentRequest()?.state ?? {}
        const customers = bank?.customers as { cards: { pan: string }[] }[] | undefined
        fired()
        return customers?.some(({ cards }) =>
          cards.some(({ pan }) => pan.endsWith(account.Identification)),
        )
          ? undefined
          : ['field-invalid', 'Identification']
      },
    }),
  },
  {
    id: 'funds-of-known-names-only',
    story:
      'The bank refuses a Name that no account has. It is the "account name assigned by the servicing institution".',
    policies: (correct, { fired }) => ({
      debtorAccountRefusal(account, scheme) {
        const reason = correct.debtorAccountRefusal(account, scheme)
        if (reason || account.Name === undefined) return reason
        const ctx = currentRequest()
        const cards = ctx ? stateOf(ctx).bank.customers.flatMap((one) => one.cards) : []
        fired()
        return cards.some(({ holder }) => holder === account.Name)
          ? undefined
          : ['field-invalid', 'Name']
      },
    }),
  },
  {
    id: 'funds-of-known-secondary-identifications-only',
    story:
      'The bank refuses a SecondaryIdentification that no account has. It is "assigned by the servicing institution".',
    target({ customers }) {
      customers.first.secondaryIdentification = '0417'
    },
    policies: (correct, { fired }) => ({
      debtorAccountRefusal(account, scheme) {
        const reason = correct.debtorAccountRefusal(account, scheme)
        const { SecondaryIdentification: given } = account
        if (reason || given === undefined || given === '0417') return reason
        fired()
        return ['field-invalid', 'SecondaryIdentification']
      },
    }),
  },
  {
    id: 'one-funds-consent-for-each-card',
    story:
      "A new funds confirmation consent replaces the client's earlier one for the same card. The document does not say that a client can have two.",
    async middleware(ctx, next) {
      await next()
      if (!isAbout(ctx, 'funds-confirmation', 'POST') || ctx.status !== 201) return
      const all = [...stateOf(ctx).bank.services.consents.all()]
      const newest = all.findLast(({ kind }) => kind === 'funds-confirmation')
      for (const other of all) {
        const same = other.debtorAccount?.Identification === newest?.debtorAccount?.Identification
        if (other === newest || other.kind !== newest?.kind || !same) continue
        if (other.clientId !== newest.clientId || other.deleted) continue
        other.deleted = Date.now()
        stateOf(ctx).fired()
      }
    },
  },
]

export default variants
