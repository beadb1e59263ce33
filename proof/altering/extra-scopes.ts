import { stateOf } from '../../bank/state/state.ts'
import { acceptsRequest } from './jwt-rewrites.ts'

/** Removes scopes from an authorisation request that the client did not register (AMB-28). */
export const extraScopesLeftOut = acceptsRequest(({ claims }, query, ctx) => {
  const client = stateOf(ctx).bank.services.records.peek('Client', query.client_id ?? '')
  const registered = String(client?.scope ?? '').split(' ')
  const asked = String(claims.scope ?? '')
  const left = asked
    .split(' ')
    .filter((scope) => registered.includes(scope))
    .join(' ')
  if (left === asked || left === '') return undefined
  query.scope = left
  return { ...claims, scope: left }
})
