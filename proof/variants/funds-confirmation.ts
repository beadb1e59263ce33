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
      'The table of transitions is that of the AccountAccessConsent: the Status in which a funds confirmation consent is created is not shown, and the list of values is not complete.',
    middleware: created((data) => ({ ...data, Status: 'Pending' })),
  },
  {
    id: 'funds-consents-approved-with-any-scope',
    story:
      'What a customer approves for funds is not shown: a code comes for the scope accounts too, and its token, which reads no account, is refused.',
    policies: asAccounts,
  },
  {
    id: 'funds-consents-can-be-queried',
    story:
      'The document has no query of funds confirmation consents, and forbids none: their client gets them, until it deletes them.',
    middleware: queriedFunds(({ deleted }, isOwn) => isOwn && deleted === undefined),
  },
  {
    id: 'funds-deleted-under-aisp',
    story: 'The sample request places the deletion under the aisp prefix (AMB-05).',
    settings: { fundsConfirmationPaths: { delete: `aisp/${FUNDS}` } },
    middleware: seen,
  },
  {
    id: 'funds-deleted-at-two-addresses',
    story:
      'Which of the addresses is right is left open (AMB-05): the deletion is served at two of them, by the same code.',
    settings: { fundsConfirmationPaths: { delete: [`cbpii/${FUNDS}`, `aisp/${FUNDS}`] } },
    middleware: seen,
  },
  {
    id: 'funds-below-aisp-cbpii',
    story: 'cbpii may follow the prefix of all consent endpoints instead of replacing it (AMB-06).',
    settings: {
      fundsConfirmationPaths: { create: `aisp/cbpii/${FUNDS}`, delete: `aisp/cbpii/${FUNDS}` },
    },
    middleware: seen,
  },
  {
    id: 'funds-below-aisp',
    story: 'The heading of the deletion has no cbpii, and neither has this bank (AMB-05, AMB-06).',
    settings: { fundsConfirmationPaths: { create: `aisp/${FUNDS}`, delete: `aisp/${FUNDS}` } },
    middleware: seen,
  },
  {
    id: 'funds-with-members-of-the-bank',
    story:
      'Name is "assigned by the servicing institution": where none was sent, the bank has one. What ExpirationDateTime is when none was sent is not shown: a date of the bank.',
    middleware: created((data, account, sent) => ({
      ...(!sent.includes('ExpirationDateTime') && { ExpirationDateTime: '2999-12-31T00:00:00Z' }),
      ...data,
      DebtorAccount: { Name: 'MS A OKAFOR', SecondaryIdentification: '00', ...account },
    })),
  },
  {
    id: 'funds-with-names-of-the-bank-alone',
    story:
      'Name and SecondaryIdentification are "assigned by the servicing institution": whatever a TPP sends, the bank shows its own.',
    middleware: created((data, account) => ({
      ...data,
      DebtorAccount: { ...account, Name: 'MS A OKAFOR', SecondaryIdentification: '00' },
    })),
  },
  {
    id: 'funds-of-known-cards-only',
    story:
      'Identification is the "last 4 digits of the customer\'s card number": an ending that no card has is refused.',
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
      'Name is the "account name assigned by the servicing institution": one that it gave to no account is refused.',
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
      'SecondaryIdentification is "assigned by the servicing institution": one that it gave to no account is refused.',
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
      'No sentence says that a client may hold two consents for one card: a newer one takes the place of the older.',
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
