import Router from '@koa/router'
import type { Context } from 'koa'
import type { Card } from '../data/customers.ts'
import { transactionsOf } from '../data/transactions.ts'
import { aispPath } from '../listeners/endpoints.ts'
import { Refused } from '../listeners/refusals.ts'
import type { DataEndpoint, Period } from '../policies/data.ts'
import type { Consent } from '../state/consents.ts'
import { ageOf, type Services } from '../state/services.ts'
import { answer, needJson } from './answer.ts'
import { customerToken } from './bearer.ts'
import type { Limiter } from './limiter.ts'

type Json = Record<string, unknown>

interface Account {
  id: string
  card: Card
}

type Parts = Pick<
  Services,
  | 'policies'
  | 'settings'
  | 'consents'
  | 'customers'
  | 'started'
  | 'secret'
  | 'provider'
  | 'endpoints'
>

/** Accounts, balances and transactions: for all accounts and for a single one. */
export function dataRoutes(services: Parts, limiter: Limiter): Router {
  const { policies, started } = services
  const router = new Router({ sensitive: true })

  const admit = admission(services, limiter)

  function accounts(endpoint: DataEndpoint) {
    return async (ctx: Context) => {
      const { consent, accounts } = await admit(ctx, endpoint)
      const detail = policies.detailVisible(consent.permissions, 'Accounts')
      const scheme = policies.panScheme()
      const list = accounts.map(({ id, card }) =>
        policies.accountView({
          accountId: id,
          card,
          detail,
          scheme,
          number: policies.maskCard(card.pan),
        }),
      )
      answer(ctx, services, { data: { Account: list } })
    }
  }

  function balances(endpoint: DataEndpoint) {
    return async (ctx: Context) => {
      const { accounts } = await admit(ctx, endpoint)
      const now = Date.now()
      const list = accounts.map(({ id, card }) => policies.balanceView(id, card, now, policies))
      answer(ctx, services, { data: { Balance: list } })
    }
  }

  function transactions(endpoint: DataEndpoint) {
    return async (ctx: Context) => {
      const { consent, accounts } = await admit(ctx, endpoint)
      const period: Period = {
        ...filter(services, ctx, 'fromBookingDateTime', 'from'),
        ...filter(services, ctx, 'toBookingDateTime', 'to'),
      }
      const detail = policies.detailVisible(consent.permissions, 'Transactions')
      const list = accounts.flatMap(({ id, card }): Json[] => {
        const booked = policies.rowsBooked([...transactionsOf(card, started)], id, endpoint)
        const rows = booked.filter(
          (row) =>
            policies.withinConsentPeriod(row, consent, endpoint) &&
            policies.bookedWithin(row, period, endpoint) &&
            policies.directionAllowed(row, consent.permissions),
        )
        return policies
          .rowsAnswered(rows, id, endpoint)
          .map((row) => policies.transactionView(id, row, detail, policies))
      })
      answer(ctx, services, { data: { Transaction: list } })
    }
  }

  router.get(`${aispPath}/accounts`, accounts('accounts'))
  router.get(`${aispPath}/accounts/:AccountId`, accounts('account'))
  router.get(`${aispPath}/balances`, balances('balances'))
  router.get(`${aispPath}/accounts/:AccountId/balances`, balances('account-balances'))
  router.get(`${aispPath}/transactions`, transactions('transactions'))
  router.get(`${aispPath}/accounts/:AccountId/transactions`, transactions('account-transactions'))
  return router
}

/** Finds the client, the consent and the accounts of a request. Throws when access is refused. */
function admission(services: Parts, limiter: Limiter) {
  const { policies, consents, customers, secret } = services

  /** AccountIds that were ever issued: they distinguish a foreign account from an unknown one. */
  const known = new Set<string>()

  function accountsOf(consent: Consent): Account[] {
    const customer = customers.find(({ id }) => id === consent.customerId)
    const cards = customer?.cards.filter(({ key }) => consent.cards.includes(key)) ?? []
    return cards.map((card) => {
      const id = policies.accountIdFor(consent.id, card.key, secret)
      known.add(id)
      return { id, card }
    })
  }

  async function admit(ctx: Context, endpoint: DataEndpoint) {
    const token = await customerToken(ctx, services, 'accounts')
    const consent = consents.ofGrant(token.grantId ?? '')
    if (consent?.kind !== 'account-access') throw new Refused('token-invalid')
    limiter.admit(ctx, String(token.clientId))
    needJson(ctx, services)
    const unusable = policies.consentUsable(consent, ageOf(services, consent))
    if (unusable) throw new Refused(unusable)
    if (!policies.permits(consent.permissions, endpoint)) throw new Refused('permission-missing')
    return { consent, accounts: asked(ctx, consent, endpoint) }
  }

  function asked(ctx: Context, consent: Consent, endpoint: DataEndpoint): Account[] {
    const own = accountsOf(consent)
    const wanted = ctx.params.AccountId as string | undefined
    if (wanted === undefined) {
      const covered = policies.cardsCovered(
        own.map(({ card }) => card.key),
        endpoint,
      )
      return own.filter(({ card }) => covered.includes(card.key))
    }
    const chosen = own.find(({ id }) => id === wanted)
    const refused = policies.accountRefusal(chosen !== undefined, known.has(wanted))
    if (refused) throw new Refused(refused, undefined, 'AccountId')
    return [chosen ?? everyAccount().find(({ id }) => id === wanted)].filter(
      (one) => one !== undefined,
    )
  }

  /** All accounts under all consents. Only an altered policy makes use of a foreign one. */
  function everyAccount(): Account[] {
    return customers.flatMap(({ id }) => consents.ofCustomer(id).flatMap(accountsOf))
  }

  return admit
}

function filter(
  { policies }: Pick<Services, 'policies'>,
  ctx: Context,
  name: string,
  key: keyof Period,
): Period {
  const text = ctx.query[name]
  if (text === undefined) return {}
  const instant = typeof text === 'string' ? policies.filterInstant(text) : undefined
  const twice = Array.isArray(text) ? 'A parameter is sent more than once.' : undefined
  if (instant === undefined) throw new Refused('parameter-invalid', twice, name)
  return { [key]: instant }
}
