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
    story: 'The library compares exp, and whoever wrote the rest by hand did not think of nbf.',
    fails: [],
    warns: ['TOK-53/says-so'],
    middleware: takes(({ claims: { nbf } }) => typeof nbf === 'number' && nbf > later()),
  },
  {
    id: 'critical-extensions-are-not-read',
    story: 'The signature is verified by a few lines of its own, which read alg and kid.',
    fails: [],
    warns: ['TOK-53/says-so'],
    middleware: takes(({ header }) => header.crit !== undefined),
  },
  {
    id: 'claims-of-assertions-are-those-of-the-list',
    story: 'Client assertions are validated by a schema that allows no additional members.',
    fails: ['TOK-54/unknown-claims'],
    middleware: refuses(({ claims }) => Object.keys(claims).some((name) => !CLAIMS.includes(name))),
  },
  {
    id: 'assertions-say-that-they-are-jwts',
    story: 'A filter before the server takes for a JWT what says so in its header: typ is JWT.',
    fails: [],
    warns: ['TOK-55/lawful'],
    middleware: refuses(({ header }) => header.typ !== 'JWT'),
  },
  {
    id: 'expiry-of-another-type-is-none',
    story: 'exp is compared where it is a number, and whatever else it is counts as no limit.',
    fails: [],
    warns: ['TOK-32/other-types'],
    middleware: takes(({ claims: { exp } }) => exp !== undefined && typeof exp !== 'number'),
  },
  {
    id: 'jwts-within-other-texts',
    story:
      'JWTs are cut out of whatever stands around them, because a client once sent quotation marks.',
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
