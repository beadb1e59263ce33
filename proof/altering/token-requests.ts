import type { Context } from 'koa'
import { stateOf } from '../../bank/state/state.ts'
import { type Json, successes } from './rewriting.ts'

/** The form of a token request. */
export const formOf = (ctx: Context) => new URLSearchParams(stateOf(ctx).body)

/** The id of the grant that issued an access token; undefined for a client token. */
export const grantOf = (ctx: Context, accessToken: unknown) =>
  stateOf(ctx).bank.services.records.peek('AccessToken', String(accessToken))?.grantId

/** Changes token responses; undefined leaves one unchanged. */
export const tokenResponses = (change: (answer: Json, ctx: Context) => Json | undefined) =>
  successes(['token'], change)
