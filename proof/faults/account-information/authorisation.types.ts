import type { Middleware } from 'koa'
import { acceptsRequest, decoded, landings } from '../../altering/jwt-rewrites.ts'
import { clientIs } from '../../cells/token-cells.ts'
import { ofEachBank } from '../../run/each-bank.ts'
import type { Fault } from '../../run/proof.ts'

/** Grants response types that the client did not register, and returns the values that the requested type names. */
function grantsTypes(
  fits: (type: string, second: boolean) => boolean,
  where: 'signed' | 'query' = 'signed',
): Middleware {
  const asked = ofEachBank(() => new Map<unknown, string[]>())
  const taken = acceptsRequest(({ claims }, query, ctx) => {
    const isSigned = where === 'signed'
    const type = String(isSigned ? claims.response_type : query.response_type)
    if (!isSigned && claims.response_type !== 'code id_token') return undefined
    if (type === 'code id_token' || !fits(type, clientIs(ctx, query.client_id, 'second'))) {
      return undefined
    }
    asked().set(claims.nonce, type.split(' '))
    query.response_type = 'code id_token'
    return { ...claims, response_type: 'code id_token' }
  })
  const given = landings((fragment) => {
    const types = asked().get(decoded(fragment.get('id_token')).claims.nonce)
    if (!types) return false
    if (types.includes('token')) fragment.set('access_token', 'a-token-of-the-implicit-flow')
    for (const name of ['code', 'id_token']) if (!types.includes(name)) fragment.delete(name)
  })
  return (ctx, next) => taken(ctx, () => given(ctx, next))
}

const faults: Fault[] = [
  {
    id: 'response-types-as-they-come',
    story:
      'The authorisation endpoint accepts response type id_token, which the client did not register.',
    fails: [],
    warns: ['AUTHZ-28/others'],
    middleware: grantsTypes((type) => type === 'id_token'),
  },
  {
    id: 'access-tokens-at-the-authorisation-page',
    story:
      'The authorisation endpoint accepts response type token and returns an access token in the redirect.',
    fails: [],
    warns: ['AUTHZ-28/others'],
    middleware: grantsTypes((type) => type === 'token'),
  },
  {
    id: 'nothing-comes-of-none',
    story: 'The authorisation endpoint accepts response type none and redirects without an error.',
    fails: [],
    warns: ['AUTHZ-28/others'],
    middleware: grantsTypes((type) => type === 'none'),
  },
  {
    id: 'response-type-code-of-the-second-client',
    story:
      'The authorisation endpoint accepts response type code from the second client, which did not register it.',
    fails: [],
    warns: ['AUTHZ-28/second-client'],
    middleware: grantsTypes((type, second) => type === 'code' && second),
  },
  {
    id: 'response-type-of-the-query',
    story:
      'If the query and the request object differ, the bank uses the response_type of the query.',
    fails: [],
    warns: ['AUTHZ-12/response-type'],
    middleware: grantsTypes((type) => type === 'code', 'query'),
  },
]
export default faults
