import type { Context, Middleware } from 'koa'
import type { Customer } from '../../../bank/data/customers.ts'
import type { Consent } from '../../../bank/state/consents.ts'
import type { Services } from '../../../bank/state/services.ts'
import { stateOf } from '../../../bank/state/state.ts'
import { acceptsRequest } from '../../altering/jwt-rewrites.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** In whose name requests with prompt=none are approved, by their nonce. */
const silent = ofEachBank(() => new Map<unknown, Customer>())

/** Approves requests with prompt=none without a page, in the name of a customer whom nobody asked. */
function approvesSilently(
  customerOf: (consent: Consent, services: Services) => Customer | undefined,
): Middleware {
  const withoutPrompt = acceptsRequest(({ claims: { prompt, ...others } }, query, ctx) => {
    const { services } = stateOf(ctx).bank
    const consent = services.consents.get(services.policies.intentOf(others) ?? '')
    const customer = prompt === 'none' && consent ? customerOf(consent, services) : undefined
    if (!customer) return undefined
    delete query.prompt
    silent().set(others.nonce, customer)
    return others
  })
  return async (ctx, next) => {
    const uid = ctx.method === 'GET' ? /^\/interaction\/([^/]+)$/.exec(ctx.path)?.[1] : undefined
    const customer = uid && silent().get(nonceOf(ctx, uid))
    if (customer) approve(ctx, uid, customer)
    await withoutPrompt(ctx, next)
  }
}

const nonceOf = (ctx: Context, uid: string) =>
  stateOf(ctx).bank.services.records.peek('Interaction', uid)?.params?.nonce

/** The visit goes on as if this customer had logged in and approved all cards. */
function approve(ctx: Context, uid: string, customer: Customer): void {
  const state = stateOf(ctx)
  state.bank.services.visitors.set(uid, customer)
  ctx.method = 'POST'
  ctx.path = `/interaction/${uid}/decision`
  const accounts = customer.cards.map(({ key }): [string, string] => ['accounts', key])
  state.body = new URLSearchParams([['decision', 'approve'], ...accounts]).toString()
}

const faults: Fault[] = [
  {
    id: 'prompt-none-logs-in-whom-the-client-knows',
    story:
      'With prompt=none, the bank approves the consent without login, in the name of a customer who approved another consent of the client.',
    fails: ['AUTHZ-22/prompt-none'],
    middleware: approvesSilently((consent, { consents, customers }) =>
      customers.find(({ id }) =>
        consents
          .ofCustomer(id)
          .some(({ clientId, status }) => clientId === consent.clientId && status === 'Authorised'),
      ),
    ),
  },
  {
    id: 'prompt-none-confirms-again',
    story: 'With prompt=none, the bank re-confirms a consent without login.',
    fails: ['AUTHZ-22/again-prompt-none'],
    middleware: approvesSilently(({ customerId }, { customers }) =>
      customers.find(({ id }) => id === customerId),
    ),
  },
]

export default faults
