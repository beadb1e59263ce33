import type { Context } from 'koa'
import { stateOf } from '../../bank/state/state.ts'
import { ofEachBank } from '../run/each-bank.ts'
import { jsonOf } from './rewriting.ts'

/** The newest access token of each client. */
const newest = ofEachBank(() => new Map<string, string>())

/** Each client_credentials grant ends the previous token. True when it ended one. */
export async function endsTheOneBefore(ctx: Context): Promise<boolean> {
  const { body: form, bank } = stateOf(ctx)
  const grant = new URLSearchParams(form).get('grant_type')
  const token = String(jsonOf(ctx)?.access_token)
  if (ctx.method !== 'POST' || ctx.status !== 200 || grant !== 'client_credentials') return false
  const { records } = bank.services
  const client = records.peek('ClientCredentials', token)?.clientId
  if (client === undefined) return false
  const earlier = newest().get(String(client))
  newest().set(String(client), token)
  if (earlier === undefined) return false
  await records.adapter('ClientCredentials').destroy(earlier)
  return true
}
