import { createHash } from 'node:crypto'
import type { Context } from 'koa'
import { tokenInfoOf } from '../../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../../bank/listeners/request-context.ts'
import { unescaped } from '../../../bank/operator/seen-facts.ts'
import type { DataEndpoint } from '../../../bank/policies/data.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { withCheckDigit } from '../../altering/card-numbers.ts'
import {
  answersWith,
  askedAccount,
  endpointOf,
  isSingle,
  rowsOf,
} from '../../altering/data-requests.ts'
import { type Json, jsonOf, successes } from '../../altering/rewriting.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

const shortened = (text: string) =>
  createHash('sha256').update(text).digest('base64url').slice(0, 22)

/** The account with the card of an additional holder behind its own. */
function withAnotherCard(account: Json): Json {
  const [own] = (account.Account ?? []) as Json[]
  return own
    ? { ...account, Account: [own, { ...own, Identification: '************9876' }] }
    : account
}

/** Shows only the first card in some lists. */
function firstCardIn(...lists: DataEndpoint[]): NonNullable<Fault['policies']> {
  return (correct, { fired }) => ({
    cardsCovered(cards, endpoint) {
      if (!lists.includes(endpoint) || cards.length < 2)
        return correct.cardsCovered(cards, endpoint)
      fired()
      return cards.slice(0, 1)
    },
  })
}

/** Serves some endpoints regardless of the permissions of the consent. */
function open(...endpoints: DataEndpoint[]): NonNullable<Fault['policies']> {
  return (correct, { fired }) => ({
    permits(permissions, endpoint) {
      const right = correct.permits(permissions, endpoint)
      if (right || !endpoints.includes(endpoint)) return right
      fired()
      return true
    },
  })
}

/** Access tokens that have read the list. */
const readersOfTheList = ofEachBank(() => new Set<string>())

/** AccountIds that the bank has shown, by their lower-case form. */
const shown = ofEachBank(() => new Map<string, string>())

/** Accounts of the answers so far, by their ids. */
const cardsInLists = ofEachBank(() => new Map<string, Json>())

/** Access tokens that have read a list of any kind. */
const readersOfAnyList = ofEachBank(() => new Set<string>())

const faults: Fault[] = [
  {
    id: 'account-ids-are-resolved-by-a-list',
    story:
      'What an AccountId stands for is kept in the session of an access token, and reading a list puts it there.',
    fails: ['ACC-04/before-the-list'],
    async middleware(ctx, next) {
      const endpoint = endpointOf(ctx)
      const token = ctx.get('authorization')
      await next()
      if (!endpoint || ctx.status !== 200) return
      if (!isSingle(endpoint)) readersOfAnyList().add(token)
      else if (!readersOfAnyList().has(token)) {
        stateOf(ctx).fired()
        ctx.status = 404
        ctx.body = { Message: 'the account is not known' }
      }
    },
  },
  {
    id: 'balances-with-their-accounts',
    story:
      'A balance of the bank’s own service has its account in it, as the page of the bank shows it.',
    fails: [],
    warns: ['ACC-23/nowhere-else'],
    middleware: rowsOf(['balances', 'account-balances'], (rows) =>
      rows.map((row) => ({
        ...row,
        Of: {
          AccountId: row.AccountId,
          Currency: 'GBP',
          AccountType: 'Personal',
          AccountSubType: 'CreditCard',
          Description: 'Everyday Credit Card',
        },
      })),
    ),
  },
  {
    id: 'accounts-beside-balances',
    story: 'The application shows a card with its balance on one page, and asks for both at once.',
    fails: [],
    warns: ['ACC-23/nowhere-else'],
    middleware: successes(['data'], (body, ctx) => {
      if (!['balances', 'account-balances'].includes(endpointOf(ctx) ?? '')) return undefined
      const Data = body.Data as Json
      const ids = new Set((Data.Balance as Json[]).map(({ AccountId }) => AccountId))
      const Account = [...ids].map((AccountId) => ({
        ...{ AccountId, Currency: 'GBP', AccountType: 'Personal', AccountSubType: 'CreditCard' },
        Description: 'Everyday Credit Card',
      }))
      return { ...body, Data: { ...Data, Account } }
    }),
  },
  {
    id: 'account-ids-in-any-case',
    story: 'The column of the AccountIds has a collation that ignores case.',
    fails: ['ACC-02/asked-account-only', 'BAL-02/asked-account-only', 'TXN-02/asked-account-only'],
    async middleware(ctx, next) {
      const [, before, id = '', behind] = /^(.*\/accounts\/)([^/]+)(.*)$/.exec(ctx.path) ?? []
      const asked = unescaped(id)
      const known = shown().get(asked.toLowerCase())
      if (known !== undefined && known !== asked) {
        ctx.path = `${before}${encodeURIComponent(known)}${behind}`
        stateOf(ctx).fired()
      }
      await next()
      const data = jsonOf(ctx)?.Data as { Account?: Json[] } | undefined
      for (const { AccountId } of data?.Account ?? []) {
        shown().set(String(AccountId).toLowerCase(), String(AccountId))
      }
    },
  },
  {
    id: 'unknown-accounts-have-no-rows-behind-a-filter',
    story: 'The query with a filter joins accounts and bookings, and finds none.',
    fails: [],
    warns: ['TXN-27/unknown-id'],
    async middleware(ctx, next) {
      await next()
      if (ctx.status < 400 || ctx.status === 429 || !ctx.query.fromBookingDateTime) return
      if (endpointOf(ctx) !== 'account-transactions' || !/^.{36}$/.test(askedAccount(ctx) ?? ''))
        return
      ctx.status = 200
      ctx.body = { Data: { Transaction: [] }, Links: { Self: ctx.href }, Meta: { TotalPages: 1 } }
      stateOf(ctx).fired()
    },
  },
  {
    id: 'basic-lists-accounts-once',
    story:
      'A cache of the second call looks for the card number, and finds that it may not be shown.',
    fails: ['ACC-11/basic-alone'],
    policies: (correct, { fired }) => ({
      permits(permissions, endpoint) {
        const right = correct.permits(permissions, endpoint)
        if (!right || endpoint !== 'accounts' || permissions.includes('ReadAccountsDetail'))
          return right
        const token = String(currentRequest()?.get('authorization'))
        const again = readersOfTheList().has(token)
        readersOfTheList().add(token)
        if (again) fired()
        return !again
      },
    }),
  },
  {
    id: 'permissions-forgotten-on-refresh',
    story: 'The permissions are claims of the first access token, and its successors have none.',
    fails: ['ACC-11/without-permission', 'TXN-14/without-permission'],
    policies: (correct, { fired }) => ({
      permits(permissions, endpoint) {
        const ctx = currentRequest()
        const right = correct.permits(permissions, endpoint)
        if (right || !ctx || !tokenInfoOf(ctx)?.refreshed) return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'statements-open-what-they-list',
    story: 'Who may see statements may see what stands in them: the account and its transactions.',
    fails: ['ACC-11/without-permission', 'TXN-14/without-permission'],
    policies: (correct, { fired }) => ({
      permits(permissions, endpoint) {
        const right = correct.permits(permissions, endpoint)
        if (right || !permissions.some((one) => one.startsWith('ReadStatements'))) return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'lists-are-partial-content',
    story: 'A caching gateway answers lists with 206, as it does for large documents.',
    fails: ['ACC-01/answers-200', 'BAL-01/answers-200', 'TXN-01/answers-200'],
    middleware: answersWith(['accounts', 'balances', 'transactions'], 206),
  },
  {
    id: 'account-of-second-card-unknown',
    story: 'The single address looks the account up among primary cards only.',
    fails: ['ACC-02/answers-200'],
    policies: (correct, { fired }) => {
      const ofTravelCard = new Set<string>()
      return {
        accountIdFor(consentId, cardKey, secret) {
          const id = correct.accountIdFor(consentId, cardKey, secret)
          if (cardKey === 'okafor-travel') ofTravelCard.add(id)
          return id
        },
        accountRefusal(own, known) {
          if (!own || endpointOf() !== 'account' || !ofTravelCard.has(askedAccount() ?? '')) {
            return correct.accountRefusal(own, known)
          }
          fired()
          return 'account-unknown'
        },
      }
    },
  },
  {
    id: 'single-addresses-read-by-customer',
    story: 'The single addresses join on the customer and bring the other card along.',
    fails: ['ACC-02/asked-account-only', 'BAL-02/asked-account-only', 'TXN-02/asked-account-only'],
    middleware: rowsOf(['account', 'account-balances', 'account-transactions'], (rows) => [
      ...rows,
      ...rows.slice(-1).map((row) => ({ ...row, AccountId: shortened(String(row.AccountId)) })),
    ]),
  },
  {
    id: 'account-empty',
    story: 'The single address filters by the internal number and finds nothing, with 200.',
    fails: ['ACC-02/asked-account-only'],
    middleware: rowsOf('account', () => []),
  },
  {
    id: 'account-twice-per-holder',
    story: 'The list is joined with the card holders, and the first card has two.',
    fails: ['ACC-03/unique'],
    middleware: rowsOf('accounts', (rows) =>
      rows.length > 1 ? [...rows, rows[0] as object as Record<string, unknown>] : undefined,
    ),
  },
  {
    id: 'account-ids-per-call',
    story: 'AccountIds are pseudonyms with a salt that each request draws again.',
    stops: true,
    fails: ['ACC-04/second-call'],
    policies: (correct, { fired }) => {
      const salts = new WeakMap<object, number>()
      let calls = 0
      return {
        accountIdFor(consentId, cardKey, secret) {
          const request = currentRequest() ?? secret
          const salt = salts.get(request) ?? calls++
          salts.set(request, salt)
          fired()
          return correct.accountIdFor(`${consentId} ${salt}`, cardKey, secret)
        },
      }
    },
  },
  {
    id: 'account-ids-per-token',
    story: 'AccountIds are pseudonyms salted with the access token, so a refresh changes them.',
    fails: ['ACC-04/after-refresh'],
    policies: (correct, { fired }) => ({
      accountIdFor(consentId, cardKey, secret) {
        fired()
        const token = currentRequest()?.get('authorization') ?? ''
        return correct.accountIdFor(`${consentId} ${token}`, cardKey, secret)
      },
    }),
  },
  {
    id: 'account-ids-per-confirmation',
    story: 'A re-confirmation links the accounts to the consent again, under new ids.',
    fails: ['ACC-04/after-reconfirmation'],
    policies: (correct, { fired }) => ({
      accountIdFor(consentId, cardKey, secret) {
        const request = currentRequest()
        const consent = request && stateOf(request).bank.services.consents.get(consentId)
        const links = consent?.grants.size ?? 1
        if (links < 2) return correct.accountIdFor(consentId, cardKey, secret)
        fired()
        return correct.accountIdFor(`${consentId} ${links}`, cardKey, secret)
      },
    }),
  },
  {
    id: 'account-ids-per-confirmation-of-the-second-customer',
    story: 'Customers who were moved from the old core are linked again whenever they confirm.',
    fails: ['ACC-04/kept'],
    policies: (correct, { fired }) => ({
      accountIdFor(consentId, cardKey, secret) {
        const bank = currentRequest() && stateOf(currentRequest() as Context).bank
        const consent = bank?.services.consents.get(consentId)
        const moved = consent?.customerId === bank?.customers[1]?.id
        if (!consent || !moved || consent.grants.size < 2) {
          return correct.accountIdFor(consentId, cardKey, secret)
        }
        fired()
        return correct.accountIdFor(`${consentId} ${consent.grants.size}`, cardKey, secret)
      },
    }),
  },
  {
    id: 'account-detail-without-difference',
    story: 'Detail is shown for every consent that may see accounts at all.',
    fails: ['ACC-10/detail-shows-more'],
    policies: (correct, { fired }) => ({
      detailVisible(permissions, resource) {
        if (resource !== 'Accounts') return correct.detailVisible(permissions, resource)
        fired()
        return true
      },
    }),
  },
  {
    id: 'refreshed-tokens-list-one-card',
    story:
      'The cards of a consent are a list at its first token; what a refresh makes has room for one.',
    fails: ['ACC-14/all-accounts'],
    middleware: rowsOf('accounts', (rows, ctx) => {
      const [first] = rows.map(({ AccountId }) => String(AccountId)).sort()
      const left = rows.filter(({ AccountId }) => AccountId === first)
      return tokenInfoOf(ctx)?.refreshed && left.length < rows.length ? left : undefined
    }),
  },
  {
    id: 'any-detail-shows-accounts-in-detail',
    story:
      'The level of detail is one flag of a consent, and each permission for a detail sets it.',
    fails: ['ACC-10/detail-shows-more'],
    policies: (correct, { fired }) => ({
      detailVisible(permissions, resource) {
        const right = correct.detailVisible(permissions, resource)
        const some = permissions.some((permission) => permission.endsWith('Detail'))
        if (resource !== 'Accounts' || right || !some) return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'single-account-in-full-detail',
    story:
      'The list looks at the permission; what stands behind one of its rows is shown as it is.',
    fails: ['ACC-10/single-address'],
    warns: ['ACC-15/bulk-equals-single'],
    policies: (correct, { fired }) => ({
      detailVisible(permissions, resource) {
        const right = correct.detailVisible(permissions, resource)
        if (right || endpointOf() !== 'account') return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'account-detail-for-clients-without-refresh',
    story:
      'The level of detail came with refresh tokens, and clients without those are in the table of before.',
    fails: [],
    warns: ['ACC-20/another-client'],
    policies: (correct, { fired }) => ({
      detailVisible(permissions, resource) {
        const right = correct.detailVisible(permissions, resource)
        if (right || resource !== 'Accounts') return right
        const ctx = currentRequest()
        const clientId = ctx && tokenInfoOf(ctx)?.clientId
        if (!ctx || clientId === undefined) return right
        const { records } = stateOf(ctx).bank.services
        const { grant_types: grants = [] } = records.peek('Client', clientId) ?? {}
        if ((grants as string[]).includes('refresh_token')) return right
        fired()
        return true
      },
    }),
  },
  {
    id: 'account-detail-without-number',
    story: 'The card number comes from a vault that open banking has no access to.',
    fails: [],
    warns: ['ACC-20/detail-shows-card'],
    policies: (correct, { fired }) => ({
      accountView(facts) {
        const view = correct.accountView(facts)
        if (!facts.detail) return view
        fired()
        return { ...view, Account: [{ SchemeName: facts.scheme, Name: facts.card.holder }] }
      },
    }),
  },
  {
    id: 'account-basic-shows-number',
    story: 'Only the holder’s name was moved behind the detail permission.',
    fails: [],
    warns: ['ACC-20/basic-hides-card'],
    policies: (correct, { fired }) => ({
      accountView(facts) {
        if (facts.detail) return correct.accountView(facts)
        fired()
        const card = { SchemeName: facts.scheme, Identification: facts.number }
        return { ...correct.accountView(facts), Account: [card] }
      },
    }),
  },
  {
    id: 'accounts-need-detail',
    story: 'The gateway’s policy for accounts names the detail permission only.',
    fails: ['ACC-11/basic-alone'],
    policies: (correct, { fired }) => ({
      permits(permissions, endpoint) {
        if (endpoint !== 'accounts' && endpoint !== 'account') {
          return correct.permits(permissions, endpoint)
        }
        const allowed = permissions.includes('ReadAccountsDetail')
        if (!allowed && correct.permits(permissions, endpoint)) fired()
        return allowed
      },
    }),
  },
  {
    id: 'detail-needs-basic',
    story: 'Detail was meant as an addition to basic, so basic is what the gateway asks for.',
    fails: ['ACC-11/detail-alone', 'TXN-14/detail-alone'],
    policies: (correct, { fired }) => ({
      permits(permissions, endpoint) {
        const right = correct.permits(permissions, endpoint)
        const basic = endpoint.endsWith('transactions') ? 'Transactions' : 'Accounts'
        if (!right || endpoint.endsWith('balances') || permissions.includes(`Read${basic}Basic`)) {
          return right
        }
        fired()
        return false
      },
    }),
  },
  {
    id: 'lists-open-to-every-consent',
    story: 'Lists of what a customer has count as harmless and need no permission.',
    fails: ['ACC-11/without-permission', 'TXN-14/without-permission'],
    policies: open('accounts', 'transactions'),
  },
  {
    id: 'single-addresses-open-to-every-consent',
    story: 'Permissions are checked by exact path, and the paths with an id were forgotten.',
    fails: ['ACC-11/without-permission', 'TXN-14/without-permission'],
    policies: open('account', 'account-transactions'),
  },
  {
    id: 'unknown-account-is-nothing',
    story: 'An AccountId that finds no account is answered with an empty list.',
    fails: [],
    warns: ['ACC-13/unknown-id', 'BAL-15/unknown-id', 'TXN-27/unknown-id'],
    policies: (correct, { fired }) => ({
      accountRefusal(own, known) {
        if (own || known) return correct.accountRefusal(own, known)
        fired()
        return undefined
      },
    }),
  },
  {
    id: 'accounts-first-card-only',
    story: 'The list shows the card with which the customer logged in.',
    fails: ['ACC-14/all-accounts'],
    policies: firstCardIn('accounts'),
  },
  {
    id: 'balances-and-transactions-first-card-only',
    story: 'What is not the list of cards itself shows the one with which the customer logged in.',
    fails: ['BAL-13/all-accounts', 'TXN-23/all-accounts'],
    policies: firstCardIn('balances', 'transactions'),
  },
  {
    id: 'single-account-old-description',
    story: 'The single address still reads product names from the system before the last merger.',
    fails: [],
    warns: ['ACC-15/bulk-equals-single'],
    middleware: rowsOf('account', (rows) =>
      rows.map((row) => ({ ...row, Description: 'Classic Card' })),
    ),
  },
  {
    id: 'single-account-shows-whole-number',
    story: 'Masking was added to the list; the single address has its own mapper.',
    fails: ['ACC-09/masked'],
    policies: (correct, { fired }) => ({
      maskCard(pan) {
        if (endpointOf() !== 'account') return correct.maskCard(pan)
        fired()
        return pan
      },
    }),
  },
  {
    id: 'cards-of-additional-holders-too',
    story: 'The list of cards of an account is copied whole: the partner has one as well.',
    fails: [],
    warns: ['ACC-22/one-card'],
    middleware: rowsOf(['accounts', 'account'], (rows) => rows.map(withAnotherCard)),
  },
  {
    id: 'whole-numbers-with-zeros',
    story: 'Numbers of a new range are given out from the lowest on, and are shown as they are.',
    fails: [],
    warns: ['ACC-24/no-card-numbers'],
    policies: (_correct, { fired }) => ({
      maskCard(pan) {
        fired()
        return withCheckDigit(`5434560000${pan.slice(-5)}`)
      },
    }),
  },
  {
    id: 'refreshed-tokens-mask-the-end',
    story:
      'What a refreshed token shows comes from the newer service, which leaves the digits of the issuer and masks the last four.',
    fails: [],
    warns: ['ACC-25/put-together'],
    policies: (correct, { fired }) => ({
      maskCard(pan) {
        const ctx = currentRequest()
        if (!ctx || !tokenInfoOf(ctx)?.refreshed) return correct.maskCard(pan)
        fired()
        return `${pan.slice(0, 12)}****`
      },
    }),
  },
  {
    id: 'every-account-shows-the-first-card',
    story: 'The primary card is looked up by customer, and not by account.',
    fails: [],
    warns: ['ACC-22/own-card'],
    policies: (correct, { fired }) => ({
      accountView(facts) {
        const { customers } = stateOf(currentRequest() as Context).bank.services
        const owner = customers.find(({ cards }) => cards.some(({ key }) => key === facts.card.key))
        const [primary] = owner?.cards ?? []
        if (!primary || primary.key === facts.card.key) return correct.accountView(facts)
        fired()
        return correct.accountView({ ...facts, number: correct.maskCard(primary.pan) })
      },
    }),
  },
  {
    id: 'account-ids-are-places-in-a-list',
    story: 'The AccountId is the place of the card in a list that a refresh has sorted otherwise.',
    fails: ['ACC-04/same-card'],
    async middleware(ctx, next) {
      await next()
      const endpoint = endpointOf(ctx)
      const body = jsonOf(ctx)
      const info = tokenInfoOf(ctx)
      const isList = endpoint === 'accounts'
      if (!body || ctx.status !== 200 || !info || (!isList && endpoint !== 'account')) return
      const data = body.Data as { Account: Json[] }
      const known = cardsInLists()
      for (const row of isList ? data.Account : []) known.set(String(row.AccountId), row)
      const ids = [...known.keys()]
      if (!info.refreshed || ids.length < 2) return
      const of = (row: Json): Json => {
        const at = ids.indexOf(String(row.AccountId))
        const partner = known.get(ids[at % 2 === 0 ? at + 1 : at - 1] ?? '')
        return partner ? { ...partner, AccountId: row.AccountId } : row
      }
      ctx.body = { ...body, Data: { ...data, Account: data.Account.map(of) } }
      stateOf(ctx).fired()
    },
  },
]

export default faults
