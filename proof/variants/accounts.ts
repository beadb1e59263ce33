import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import { stateOf } from '../../bank/state/state.ts'
import { withCheckDigit } from '../altering/card-numbers.ts'
import { rowsOf } from '../altering/data-requests.ts'
import { answers, elements, type Json, partOf } from '../altering/rewriting.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobin, roundRobinPerKey } from '../run/round-robin.ts'

const seen = answers((ctx) => partOf(ctx) === 'data')

const maskOf = roundRobin(['************', '•••• •••• •••• ', '', '000000000000'])

const noCard = roundRobin<object>([{}, [{}]])

/** Removes the member that identifies the card. */
const bare = ({ Account: _card, ...row }: Json): Json => row

/** Sixteen digits made from an id, with a card's check digit. */
function likeACard(id: string): string {
  return withCheckDigit(`4${Buffer.from(id).readUIntBE(3, 6)}`.padEnd(15, '7').slice(0, 15))
}

const variants: Variant[] = [
  {
    id: 'basic-prevails-over-detail',
    story:
      'A consent with both the Basic and the Detail permission shows the basic fields only. The level of detail "depends on whether the consent holds the basic or the detail permission" (AMB-44).',
    policies: (correct, { fired }) => ({
      detailVisible(permissions, resource) {
        if (!permissions.includes(`Read${resource}Basic`)) {
          return correct.detailVisible(permissions, resource)
        }
        fired()
        return false
      },
    }),
  },
  {
    id: 'one-account-only',
    story: 'The first customer has one account only.',
    settings: { data: { accounts: 1 } },
    middleware: seen,
    target(document) {
      document.absent = [...(document.absent ?? []), 'second-account']
    },
  },
  {
    id: 'account-of-two-customers',
    story:
      'Two customers share one account with the same AccountId, and each also has an account alone. The document does not say that an account has one customer.',
    target({ customers }) {
      delete customers.second?.accounts
    },
    policies: (correct) => ({
      accountIdFor: (_consentId, card, secret) => correct.accountIdFor('', card, secret),
    }),
    async middleware(ctx, next) {
      const [one, other] = stateOf(ctx).bank.customers
      const shared = one?.cards[0]
      if (shared && other && !other.cards.includes(shared)) {
        other.cards.unshift(shared)
        ctx.state.fired()
      }
      await next()
    },
  },
  {
    id: 'account-ids-of-any-form',
    story:
      'AccountIds have different forms: one must be encoded in a path, one passes the check-digit test of card numbers by chance, and one is the same in other consents. An AccountId is a string, "persistent for a given ConsentId".',
    policies: (correct, { fired }) => {
      const form = roundRobinPerKey(['encoded', 'digits', 'shared'] as const)
      return {
        accountIdFor(consentId, cardKey, secret) {
          fired()
          const own = correct.accountIdFor(consentId, cardKey, secret)
          switch (form(`${consentId} ${cardKey}`)) {
            case 'encoded':
              return `GB:${own.slice(0, 16)}/1+a=%41 ü`
            case 'digits':
              return likeACard(own)
            default:
              return correct.accountIdFor('any', cardKey, secret)
          }
        },
      }
    },
  },
  {
    id: 'account-ids-count-within-a-consent',
    story:
      'AccountIds count from 1 within each consent, so two customers have the same ids. An AccountId is "unique and persistent for a given ConsentId".',
    policies: (_correct, { fired }) => {
      const known = new Map<string, Map<string, string>>()
      return {
        accountIdFor(consentId, cardKey) {
          fired()
          const own = known.get(consentId) ?? new Map<string, string>()
          const id = own.get(cardKey) ?? String(own.size + 1)
          known.set(consentId, own.set(cardKey, id))
          return id
        },
      }
    },
  },
  {
    id: 'accounts-as-in-3.1.2',
    story:
      'Accounts have the other members of 3.1.2, such as Status, Nickname and Servicer. All accounts have the same Description, in several scripts.',
    middleware: elements('Account', (row) => ({
      ...row,
      Description: 'Kreditkarte “Größe” 信用卡',
      Status: 'Enabled',
      StatusUpdateDateTime: '2020-01-01T06:06:06+00:00',
      Nickname: 'Card – für Reisen ✈',
      Servicer: { SchemeName: 'UK.OBIE.BICFI', Identification: '80200112344562' },
    })),
  },
  {
    id: 'detail-by-values',
    story:
      'A consent with ReadAccountsBasic shows the card number with all digits masked; one with ReadAccountsDetail shows four digits.',
    policies: (correct, { fired }) => ({
      accountView(facts) {
        const view = correct.accountView(facts)
        if (facts.detail) return view
        fired()
        const card = {
          SchemeName: facts.scheme,
          Identification: '*'.repeat(16),
          Name: facts.card.holder,
        }
        return { ...view, Account: [card] }
      },
    }),
  },
  {
    id: 'cards-at-single-addresses',
    story: 'GET /accounts does not show the card number; GET /accounts/{AccountId} does.',
    warns: ['ACC-20/detail-shows-card'],
    middleware: rowsOf('accounts', (rows) => rows.map(bare)),
  },
  {
    id: 'cards-in-the-list-alone',
    story: 'GET /accounts/{AccountId} does not show the card number; GET /accounts does.',
    warns: ['ACC-20/detail-shows-card'],
    middleware: rowsOf('account', (rows) => rows.map(bare)),
  },
  {
    id: 'cards-that-are-not-shown-are-empty',
    story:
      'If the consent may not see the card number, Account is an empty object or an array with an empty object. Which members are shown depends on the permission (AMB-17).',
    middleware: elements('Account', (row) => ({ Account: noCard(), ...row })),
  },
  {
    id: 'cards-masked-in-any-way',
    story:
      'Card numbers are masked in different ways: first six and last four digits, groups of dots, only the last four digits, or zeros or nines instead of the hidden digits. The document only says "masked version of the primary card number".',
    policies: (_correct, { fired }) => {
      const mask = roundRobinPerKey<(pan: string) => string>([
        (pan) => `${pan.slice(0, 6)}XXXXXX${pan.slice(-4)}`,
        (pan) => `•••• •••• •••• ${pan.slice(-4)}`,
        (pan) => pan.slice(-4),
        (pan) => `${pan.slice(0, 6)}000000${pan.slice(-4)}`,
        (pan) => `999999999999${pan.slice(-4)}`,
        (pan) => `${pan.slice(0, 8)}0000${pan.slice(-4)}`,
      ])
      return {
        maskCard(pan) {
          fired()
          return mask(pan)(pan)
        },
      }
    },
  },
  {
    id: 'cards-masked-to-the-last-digit',
    story:
      'Card numbers are masked completely, so all cards look alike. The document does not say how much of the "masked version of the primary card number" is visible.',
    policies: (_correct, { fired }) => ({
      maskCard() {
        fired()
        return 'XXXX XXXX XXXX XXXX'
      },
    }),
  },
  {
    id: 'cards-masked-by-zeros-to-the-last-digit',
    story:
      'Card numbers show the first six digits and zeros, so two cards of one issuer look alike. The document does not say how much of the number is visible.',
    policies: (_correct, { fired }) => ({
      maskCard(pan) {
        fired()
        return pan.slice(0, 6).padEnd(16, '0')
      },
    }),
  },
  {
    id: 'cards-masked-otherwise-each-time',
    story:
      'The same card number is masked differently in each response, depending on the server. Each is a "masked version of the primary card number".',
    policies: (_correct, { fired }) => ({
      maskCard(pan) {
        fired()
        return `${maskOf()}${pan.slice(-4)}`
      },
    }),
  },
  {
    id: 'cards-masked-more-after-a-refresh',
    story:
      'A refreshed token shows fewer digits of the card number (the first six) than the first token (the first eight and the last four). The document does not say how much of the number is visible.',
    policies: (_correct, { fired }) => ({
      maskCard(pan) {
        fired()
        const ctx = currentRequest()
        const isRefreshed = ctx !== undefined && tokenInfoOf(ctx)?.refreshed
        return isRefreshed
          ? `${pan.slice(0, 6)}XXXXXXXXXX`
          : `${pan.slice(0, 4)} ${pan.slice(4, 8)} XXXX ${pan.slice(-4)}`
      },
    }),
  },
]

export default variants
