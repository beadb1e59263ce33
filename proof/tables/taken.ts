import { randomUUID } from 'node:crypto'
import type { Context } from 'koa'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import { stateOf } from '../../bank/state/state.ts'
import type { CallDeviation } from '../../engine/suite-api/flow.ts'
import type { Token } from '../../suites/values/authorization-header.ts'
import type { Credentials } from '../../suites/values/bearer-credential.ts'
import type { Card } from '../../suites/values/card-ending.ts'
import type { Certificates, OverCertificate } from '../../suites/values/client-certificate.ts'
import type { Enumeration } from '../../suites/values/enumeration-terms.ts'
import type { ConsentIds } from '../../suites/values/identifier.ts'
import type { Jws } from '../../suites/values/jws-rows.ts'
import type { Nine } from '../../suites/values/permission-company.ts'
import type { RedirectUris } from '../../suites/values/redirect-uri-rows.ts'
import type { Scopes } from '../../suites/values/scope.ts'
import { admit, decoded, goodAssertion, tokenForm } from '../altering/jwt-rewrites.ts'
import { jsonOf } from '../altering/rewriting.ts'
import { formOf } from '../altering/token-requests.ts'

/**
 * How a bank accepts a wrong value as the right one, by the type of the value. Each function replaces the wrong value
 * in the request by the right one.
 *
 * @returns a function that changes the answer, if necessary; `answered` when the answer already exists; false when this
 * request has no such value, but a later one has.
 */
type Taken = (
  ctx: Context,
  right: unknown,
  made: unknown,
) => undefined | false | 'answered' | (() => void)

export const TAKEN: Readonly<Record<string, Taken>> = {
  'Authorization header'(ctx, right) {
    ctx.req.headers.authorization = `Bearer ${(right as Token).token}`
    return undefined
  },
  'bearer credential'(ctx, right, made) {
    const { token } = right as Credentials
    const { query = {} } = made as CallDeviation
    ctx.req.headers.authorization = `Bearer ${token}`
    const rest = Object.entries(ctx.query).filter(([name]) => !(name in query))
    ctx.query = Object.fromEntries(rest) as Record<string, string>
    return undefined
  },
  'redirect URI'(ctx, right, made) {
    const { bank } = stateOf(ctx)
    const { registration, authorisation, token } = bank.services.endpoints.paths
    const [known = ''] = (right as RedirectUris).registered
    if (ctx.path === registration) return registeredToo(ctx, right as RedirectUris, String(made))
    if (ctx.path === authorisation && ctx.query.request) {
      const { claims } = decoded(ctx.query.request)
      const request = bank.signAsClient({ ...claims, redirect_uri: known })
      ctx.query = { ...ctx.query, redirect_uri: known, request }
      return undefined
    }
    const form = ctx.path === token && formOf(ctx)
    if (!form || form.get('redirect_uri') !== made) return false
    form.set('redirect_uri', known)
    stateOf(ctx).body = form.toString()
    return undefined
  },
  scope(ctx, right, made) {
    const { bank } = stateOf(ctx)
    const { authorisation, token } = bank.services.endpoints.paths
    const { registered, beyond } = right as Scopes
    const wrong = beyond.filter((one) => String(made).includes(one))
    if (ctx.path === authorisation && ctx.query.request) {
      const scope = registered.slice(0, 2).join(' ')
      const request = bank.signAsClient({ ...decoded(ctx.query.request).claims, scope })
      ctx.query = { ...ctx.query, scope, request }
      return false
    }
    if (ctx.path !== token) return false
    const form = formOf(ctx)
    if (form.get('scope') === made) form.set('scope', registered[0] ?? '')
    else if (!form.has('code')) return false
    stateOf(ctx).body = form.toString()
    return () => {
      const answer = jsonOf(ctx)
      if (answer?.scope) ctx.body = { ...answer, scope: [answer.scope, ...wrong].join(' ') }
    }
  },
  'card ending'(ctx, right) {
    const state = stateOf(ctx)
    const body = JSON.parse(state.body) as { Data: { DebtorAccount: { Identification: string } } }
    body.Data.DebtorAccount.Identification = (right as Card).ending
    state.body = JSON.stringify(body)
    return undefined
  },
  JWS(ctx, right) {
    const { kind, parties } = right as Jws
    const { bank } = stateOf(ctx)
    if (kind === 'registration' || kind === 'software-statement') {
      return registeredAnyway(ctx, right as Jws)
    }
    if (kind === 'request-object') return codeGiven(ctx)
    const form = tokenForm(ctx)
    if (kind !== 'client-assertion' || !form) throw new TypeError(`no place of a ${kind}`)
    form.set('client_assertion', bank.signAsClient(goodAssertion(ctx, parties.own)))
    stateOf(ctx).body = form.toString()
    return undefined
  },
  'client certificate'(ctx, right, made) {
    const { own } = right as Certificates
    admit(ctx, own === 'second' ? 'second' : 'first')
    const { tokenOver } = made as OverCertificate
    // The token is fetched before the request that the cell is about.
    return tokenOver && tokenForm(ctx) ? false : undefined
  },
  grant_type: parameterTaken('grant_type'),
  client_assertion_type: parameterTaken('client_assertion_type'),
  response_type: codeGiven,
  'intent ID'(ctx, right) {
    const { bank } = stateOf(ctx)
    if (ctx.path !== bank.services.endpoints.paths.authorisation) return false
    const { claims } = decoded(ctx.query.request)
    const { id_token: wanted } = claims.claims as { id_token: Record<string, object> }
    const [intent = ''] = Object.keys(wanted).filter((name) => /intent/.test(name))
    const value = { value: (right as ConsentIds).id, essential: true }
    const request = bank.signAsClient({
      ...claims,
      claims: { id_token: { ...wanted, [intent]: value } },
    })
    ctx.query = { ...ctx.query, request }
    return undefined
  },
  SchemeName(ctx, right) {
    const state = stateOf(ctx)
    const body = JSON.parse(state.body) as { Data: { DebtorAccount: { SchemeName: unknown } } }
    body.Data.DebtorAccount.SchemeName = (right as Enumeration).chosen[0]
    state.body = JSON.stringify(body)
    return undefined
  },
  'date-time'(ctx, _, made) {
    // A value that cannot be read is treated as absent.
    return withData(ctx, (data) => {
      const kept = Object.entries(data).filter(
        ([, value]) => JSON.stringify(value) !== JSON.stringify(made),
      )
      return Object.fromEntries(kept)
    })
  },
  'filter date-time'(ctx, _, made) {
    // A value that cannot be read is left out.
    ctx.query = Object.fromEntries(
      Object.entries(ctx.query).filter(([, value]) => value !== made),
    ) as Record<string, string>
    return undefined
  },
  'filter of bookings'(ctx) {
    // All filters are ignored, so the answer has the row that they should exclude.
    ctx.query = {}
    return undefined
  },
  AccountId(ctx) {
    // An empty list, because rows would also break a rule.
    const path = ctx.path
    const name = path.endsWith('/balances')
      ? 'Balance'
      : path.endsWith('/transactions')
        ? 'Transaction'
        : 'Account'
    ctx.body = { Data: { [name]: [] }, Links: { Self: ctx.href }, Meta: { TotalPages: 1 } }
    return 'answered'
  },
  'list of permissions'(ctx, right) {
    const { chosen } = right as Enumeration
    return withData(ctx, (data) => ({ ...data, Permissions: chosen }))
  },
  'set of permissions'(ctx, right, made) {
    const { allowed } = right as Nine
    const Permissions = (made as string[]).filter((one) => allowed.includes(one))
    return withData(ctx, (data) => ({ ...data, Permissions }))
  },
  ConsentId(ctx, right, made) {
    const segments = ctx.path.split('/')
    const { id } = right as ConsentIds
    ctx.path = segments.map((one) => (one === made ? encodeURIComponent(id) : one)).join('/')
    return undefined
  },
}

/** Changes Data of the request. */
function withData(ctx: Context, change: (data: object) => object): undefined {
  const state = stateOf(ctx)
  const { Data, ...rest } = JSON.parse(state.body) as { Data: object }
  state.body = JSON.stringify({ ...rest, Data: change(Data) })
}

/** Redirects with a code, as if the customer had approved. */
function codeGiven(ctx: Context): 'answered' | false {
  if (ctx.path !== stateOf(ctx).bank.services.endpoints.paths.authorisation) return false
  const { redirect_uri: to, state = '' } = ctx.query
  ctx.redirect(`${to}#${new URLSearchParams({ code: randomUUID(), state: String(state) })}`)
  return 'answered'
}

/** Sets the right value of a parameter of a token request. */
function parameterTaken(name: string): Taken {
  return (ctx, right) => {
    const form = tokenForm(ctx)
    if (!form) return false
    form.set(name, (right as Enumeration).chosen[0] ?? '')
    stateOf(ctx).body = form.toString()
    return undefined
  }
}

/** Registers with the right request, or with the right software statement in it, whatever was sent. */
function registeredAnyway(ctx: Context, { kind, claims }: Jws): undefined | false {
  const state = stateOf(ctx)
  const { endpoints, directory } = state.bank.services
  if (ctx.path !== endpoints.paths.registration) return false
  const enrolled = Object.values(directory.clients)
  const owner = enrolled.find(({ softwareId }) => softwareId === claims.software_id)
  const right =
    kind === 'registration'
      ? { ...claims, jti: randomUUID() }
      : { ...decoded(state.body).claims, software_statement: owner?.softwareStatement }
  state.body = state.bank.signAsClient(right)
  ctx.state.signedAgain = true
  return undefined
}

/** Registers the right redirect URIs, and adds the wrong one to the answer. */
function registeredToo(ctx: Context, { registered }: RedirectUris, made: string) {
  const state = stateOf(ctx)
  const claims = { ...decoded(state.body).claims, redirect_uris: registered }
  state.body = state.bank.signAsClient(claims)
  ctx.state.signedAgain = true
  return () => {
    const answer = jsonOf(ctx)
    if (answer && ctx.status < 300) ctx.body = { ...answer, redirect_uris: [...registered, made] }
  }
}

/** Is the current request a registration that was signed again here? Its software does not have that key. */
export const isSignedAgain = () => currentRequest()?.state.signedAgain === true
