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
      'A balance contains fields of its account, so a consent without an account permission shows account details.',
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
    story:
      'Balance responses also have Data.Account, so a consent without an account permission shows accounts.',
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
    story:
      'The bank ignores upper and lower case in an AccountId, because the database column does.',
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
    story:
      'A request for the transactions of an unknown AccountId with a date filter gets 200 and an empty list instead of an error.',
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
      'A consent with ReadAccountsBasic gets the list of accounts once per token; later requests are refused. A cache then looks for the card number, which the consent may not see.',
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
    story:
      'A refreshed access token opens data endpoints without their permission, because the permissions are claims only of the first token.',
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
    story:
      'A consent with a statements permission also opens the other data endpoints, such as accounts and transactions.',
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
    story:
      'The lists of accounts, balances and transactions have status 206 instead of 200. A caching gateway sets it.',
    fails: ['ACC-01/answers-200', 'BAL-01/answers-200', 'TXN-01/answers-200'],
    middleware: answersWith(['accounts', 'balances', 'transactions'], 206),
  },
  {
    id: 'account-of-second-card-unknown',
    story:
      'GET /accounts/{AccountId} does not find the second card of a customer, because it searches only primary cards.',
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
    story:
      'The endpoints of one account also return the rows of another card, because the query joins by customer.',
    fails: ['ACC-02/asked-account-only', 'BAL-02/asked-account-only', 'TXN-02/asked-account-only'],
    middleware: rowsOf(['account', 'account-balances', 'account-transactions'], (rows) => [
      ...rows,
      ...rows.slice(-1).map((row) => ({ ...row, AccountId: shortened(String(row.AccountId)) })),
    ]),
  },
  {
    id: 'account-empty',
    story:
      'GET /accounts/{AccountId} returns 200 with an empty list, because it searches by the internal number.',
    fails: ['ACC-02/asked-account-only'],
    middleware: rowsOf('account', () => []),
  },
  {
    id: 'account-twice-per-holder',
    story:
      'The list of accounts has the first account twice, because it is joined with the card holders and that card has two.',
    fails: ['ACC-03/unique'],
    middleware: rowsOf('accounts', (rows) =>
      rows.length > 1 ? [...rows, rows[0] as object as Record<string, unknown>] : undefined,
    ),
  },
  {
    id: 'account-ids-per-call',
    story:
      'Each request gets new AccountIds, because they are computed with a random value per request.',
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
    story:
      'The AccountIds change after a refresh, because they are computed from the access token.',
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
    story:
      'The AccountIds change after a re-confirmation of the consent, because the accounts are linked to the consent again.',
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
    story:
      'The AccountIds of some customers, moved from an old core system, change at each re-confirmation.',
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
    story:
      'A consent with ReadAccountsBasic shows the same fields of accounts as one with ReadAccountsDetail.',
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
      'With a refreshed access token, the list of accounts has only one account. The data of a refreshed token can store only one.',
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
      'Any Detail permission, such as ReadTransactionsDetail, also shows accounts in detail. The consent stores one flag for all.',
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
      'GET /accounts/{AccountId} shows the details of an account to a consent with ReadAccountsBasic; the list does not.',
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
      'Clients without the refresh_token grant see account details with ReadAccountsBasic only. Their data are in an older table without levels of detail.',
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
    story:
      'A consent with ReadAccountsDetail does not show the masked card number, because open banking cannot read the store of card numbers.',
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
    story:
      'A consent with ReadAccountsBasic shows the card number. Only the name of the holder needs the detail permission.',
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
    story:
      'The accounts endpoints need ReadAccountsDetail; a consent with ReadAccountsBasic only is refused.',
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
    story: 'A consent with a Detail permission is refused unless it also has the Basic permission.',
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
    story: 'The lists of accounts and transactions need no permission.',
    fails: ['ACC-11/without-permission', 'TXN-14/without-permission'],
    policies: open('accounts', 'transactions'),
  },
  {
    id: 'single-addresses-open-to-every-consent',
    story:
      'The endpoints of one account need no permission, because permissions are checked by exact path and the paths with an id were forgotten.',
    fails: ['ACC-11/without-permission', 'TXN-14/without-permission'],
    policies: open('account', 'account-transactions'),
  },
  {
    id: 'unknown-account-is-nothing',
    story: 'A request with an unknown AccountId gets 200 and an empty list instead of an error.',
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
    story:
      'The list of accounts has only the first card of the consent, the one with which the customer logged in.',
    fails: ['ACC-14/all-accounts'],
    policies: firstCardIn('accounts'),
  },
  {
    id: 'balances-and-transactions-first-card-only',
    story:
      'The lists of balances and transactions cover only the first card of the consent, the one with which the customer logged in.',
    fails: ['BAL-13/all-accounts', 'TXN-23/all-accounts'],
    policies: firstCardIn('balances', 'transactions'),
  },
  {
    id: 'single-account-old-description',
    story:
      'GET /accounts/{AccountId} has another Description than the list. It reads product names from an old system.',
    fails: [],
    warns: ['ACC-15/bulk-equals-single'],
    middleware: rowsOf('account', (rows) =>
      rows.map((row) => ({ ...row, Description: 'Classic Card' })),
    ),
  },
  {
    id: 'single-account-shows-whole-number',
    story:
      'GET /accounts/{AccountId} shows the whole card number; masking was added only to the list.',
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
    story: 'An account also lists the card of an additional holder, not only the primary card.',
    fails: [],
    warns: ['ACC-22/one-card'],
    middleware: rowsOf(['accounts', 'account'], (rows) => rows.map(withAnotherCard)),
  },
  {
    id: 'whole-numbers-with-zeros',
    story:
      'Accounts show whole card numbers. The numbers of a new range have many zeros and are not masked.',
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
      'The first token shows the last four digits of the card number, a refreshed token all other digits. Together they give the whole number.',
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
    story:
      "Each account shows the number of the customer's first card, because the card is looked up by customer, not by account.",
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
    story:
      'After a refresh, an AccountId names another card. The AccountId is a position in a list that was sorted again.',
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
