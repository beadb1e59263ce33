import type { Context } from 'koa'
import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import type { Consent } from '../../bank/state/consents.ts'
import { stateOf } from '../../bank/state/state.ts'

/** Which client or customer a request or a consent belongs to, and whether the customer is present. */

export const bySecond = (ctx: Context) => tokenInfoOf(ctx)?.client === 'second'
export const byFirst = (ctx: Context) => tokenInfoOf(ctx)?.client === 'first'
export const bearerOf = (ctx: Context) => ctx.get('authorization').replace(/^Bearer +/i, '')
export const isAbsent = (ctx: Context) => ctx.get('x-fapi-customer-ip-address') === ''

export function isOfSecond(ctx: Context, { clientId }: Consent): boolean {
  const { records, directory } = stateOf(ctx).bank.services
  return records.peek('Client', clientId)?.org_id === directory.clients.second.organisationId
}

export function isOfSecondCustomer(ctx: Context, consent: Consent | undefined): boolean {
  const [, second] = stateOf(ctx).bank.customers
  return second !== undefined && consent?.customerId === second.id
}
