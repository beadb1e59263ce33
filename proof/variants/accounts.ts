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
      'The level of detail "depends on whether the consent holds the basic or the detail permission": one that holds both gets the least (AMB-44).',
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
    story: 'A customer may have one card and no other.',
    settings: { data: { accounts: 1 } },
    middleware: seen,
    target(document) {
      document.absent = [...(document.absent ?? []), 'second-account']
    },
  },
  {
    id: 'account-of-two-customers',
    story:
      'No sentence says that an account has one customer: two share one, by the same AccountId, and each has another one alone.',
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
      'An AccountId is a string: one that must be encoded in a path, digits that add up like a card number by chance, and, being "persistent for a given ConsentId", one that other consents have as well.',
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
      'An AccountId is "unique and persistent for a given ConsentId": each consent counts its accounts from 1, and that of one customer has the ids of another’s.',
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
      'The other members of 3.1.2: a state, a nickname, a servicer. Description is a textual description: that of every card may be the same, in any script.',
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
      'The level of detail shows in values: Basic masks the whole card number, Detail all but four digits.',
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
    story:
      'The list of accounts names them, and no more; the level of detail shows where one is asked for.',
    warns: ['ACC-20/detail-shows-card'],
    middleware: rowsOf('accounts', (rows) => rows.map(bare)),
  },
  {
    id: 'cards-in-the-list-alone',
    story:
      'The other way round: a single address names the account, and no more; the level of detail shows in the list.',
    warns: ['ACC-20/detail-shows-card'],
    middleware: rowsOf('account', (rows) => rows.map(bare)),
  },
  {
    id: 'cards-that-are-not-shown-are-empty',
    story:
      'Which members of a card are shown depends on the permission (AMB-17): a serializer writes the object of a card that may not be shown, with nothing in it.',
    middleware: elements('Account', (row) => ({ Account: noCard(), ...row })),
  },
  {
    id: 'cards-masked-in-any-way',
    story:
      'A "masked version of the primary card number" may show its first six and last four digits, be grouped, with dots, be what is left of it, four digits, or have zeros or nines in its midst, as many as its first eight leave, where a field takes digits alone.',
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
      'How much of the "masked version of the primary card number" is left is not said: nothing, so that all cards look alike.',
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
      'The same where a field takes digits alone: the digits after the first six are zeros, and both cards of one issuer look alike.',
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
      'Each is a "masked version of the primary card number": which one depends on the server that answers.',
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
      'How much of the number is left is not said, and may depend on the token: the first eight digits and the last four, or what is left of these.',
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
