import { randomUUID } from 'node:crypto'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { changeFragment } from '../altering/id-tokens.ts'
import { withQuery } from '../altering/jwt-rewrites.ts'
import { answers } from '../altering/rewriting.ts'
import { ofEachBank } from '../run/each-bank.ts'

/** Number of successful visits of a bank. */
const approvals = ofEachBank(() => ({ count: 0 }))

/** Changes the answer to a successful visit. */
const granted = (change: (fragment: URLSearchParams) => boolean) =>
  answers((ctx) => changeFragment(ctx, (fragment) => fragment.has('code') && change(fragment)))

/** Moves an answer that has this parameter from the fragment to the query. */
const inTheQuery = (id: string, story: string, name: string): Alteration => ({
  id,
  story,
  middleware: answers((ctx) => {
    const [address = '', fragment] = String(ctx.response.get('location') ?? '').split('#', 2)
    if (!fragment || !new URLSearchParams(fragment).has(name)) return false
    ctx.set('location', withQuery(address, fragment))
  }),
})

const alterations: Alteration[] = [
  {
    id: 'state-of-another-visit',
    story: 'The redirect has the state of another visit.',
    middleware: granted((fragment) => {
      if (!fragment.has('state')) return false
      fragment.set('state', randomUUID())
      return true
    }),
  },
  {
    id: 'later-state-of-another-visit',
    story: 'From the second visit on, the redirect has the state of another visit.',
    middleware: granted((fragment) => {
      approvals().count += 1
      if (!fragment.has('state') || approvals().count < 2) return false
      fragment.set('state', randomUUID())
      return true
    }),
  },
  {
    id: 'state-missing',
    story: 'The redirect has no state.',
    middleware: granted((fragment) => {
      if (!fragment.has('state')) return false
      fragment.delete('state')
      return true
    }),
  },
  {
    id: 'server-error-at-the-page',
    story: 'The visit ends with the error server_error.',
    middleware: granted((fragment) => {
      fragment.delete('code')
      fragment.delete('id_token')
      fragment.set('error', 'server_error')
      fragment.set('error_description', 'the bank could not go on')
      return true
    }),
  },
  inTheQuery(
    'answer-in-the-query',
    'The code and ID token are in the query of the redirect, not in its fragment.',
    'code',
  ),
  inTheQuery(
    'error-in-the-query',
    'An error is in the query of the redirect, not in its fragment.',
    'error',
  ),
]

export default alterations
