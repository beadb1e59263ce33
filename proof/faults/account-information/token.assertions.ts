import type { Context } from 'koa'
import { stateOf } from '../../../bank/state/state.ts'
import {
  acceptsAssertion,
  type Decoded,
  decoded,
  goodAssertion,
  looksRight,
  tokenForm,
  tokenRequests,
} from '../../altering/jwt-rewrites.ts'
import type { Fault } from '../../run/proof.ts'

/** Client assertions that the client itself signed with PS256. */

/** Takes assertions that are right but for this. */
const takes = (isWrong: (assertion: Decoded) => boolean): Fault['middleware'] =>
  acceptsAssertion((assertion, _form, ctx) => {
    const { iss } = assertion.claims
    if (!isWrong(assertion) || !looksRight(ctx, assertion, iss)) return undefined
    return goodAssertion(ctx, String(iss))
  })

/** Refuses assertions like this one. */
const refuses =
  (isWrong: (assertion: Decoded) => boolean): Fault['middleware'] =>
  async (ctx: Context, next) => {
    const text = tokenForm(ctx)?.get('client_assertion')
    const assertion = decoded(text)
    // Other checks send texts that are no JWT.
    if (assertion.claims.iss === undefined || !isWrong(assertion)) return next()
    stateOf(ctx).fired()
    ctx.status = 400
    ctx.body = { error: 'invalid_client' }
    return undefined
  }

/** Half an hour from now, in seconds since 1970. */
const later = () => Date.now() / 1000 + 1800

/** The JWT in a text that is more than one; undefined where there is none. */
function within(text: string): string | undefined {
  const words = text.replaceAll('%2E', '.').split(/[^\w.-]/)
  const found = words.map((word) => word.split('.').filter(Boolean).slice(0, 3))
  const jwt = found.find(({ length }) => length === 3)?.join('.')
  return jwt === text ? undefined : jwt
}

const CLAIMS = ['iss', 'sub', 'aud', 'exp', 'nbf', 'iat', 'jti']

const faults: Fault[] = [
  {
    id: 'assertions-from-the-future',
    story:
      'The token endpoint ignores the nbf of a client assertion and accepts one that is not yet valid.',
    fails: [],
    warns: ['TOK-53/says-so'],
    middleware: takes(({ claims: { nbf } }) => typeof nbf === 'number' && nbf > later()),
  },
  {
    id: 'critical-extensions-are-not-read',
    story:
      'The token endpoint ignores the crit header of a client assertion and accepts an extension that it does not know.',
    fails: [],
    warns: ['TOK-53/says-so'],
    middleware: takes(({ header }) => header.crit !== undefined),
  },
  {
    id: 'claims-of-assertions-are-those-of-the-list',
    story: 'The token endpoint refuses a client assertion that has a claim it does not know.',
    fails: ['TOK-54/unknown-claims'],
    middleware: refuses(({ claims }) => Object.keys(claims).some((name) => !CLAIMS.includes(name))),
  },
  {
    id: 'assertions-say-that-they-are-jwts',
    story:
      'The token endpoint refuses a client assertion whose header has no typ JWT, although typ is optional.',
    fails: [],
    warns: ['TOK-55/lawful'],
    middleware: refuses(({ header }) => header.typ !== 'JWT'),
  },
  {
    id: 'expiry-of-another-type-is-none',
    story: 'The token endpoint ignores the exp of a client assertion if it is not a number.',
    fails: [],
    warns: ['TOK-32/other-types'],
    middleware: takes(({ claims: { exp } }) => exp !== undefined && typeof exp !== 'number'),
  },
  {
    id: 'jwts-within-other-texts',
    story:
      'The bank accepts a JWT inside other text, such as quotation marks, as client assertion or request object.',
    fails: [],
    warns: ['TOK-58/malformed', 'AUTHZ-54/malformed'],
    async middleware(ctx, next) {
      const { request } = ctx.query
      const inQuery = typeof request === 'string' ? within(request) : undefined
      if (inQuery !== undefined) {
        ctx.query = { ...ctx.query, request: inQuery }
        stateOf(ctx).fired()
      }
      await tokenRequests((form) => {
        if (form.getAll('client_assertion').length > 1) return false
        const inForm = within(form.get('client_assertion') ?? '')
        if (inForm === undefined) return false
        form.set('client_assertion', inForm)
      })(ctx, next)
    },
  },
]

export default faults
