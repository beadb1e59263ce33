import type { Context, Next } from 'koa'
import { errors } from '../authorisation-server/oidc-provider.ts'
import { loginPage } from '../pages/login.ts'
import { problemPage } from '../pages/problem.ts'
import { refusing } from '../routes/answer.ts'
import { authorisationRoutes } from '../routes/authorisation.ts'
import { consentRoutes } from '../routes/consents.ts'
import { dataRoutes } from '../routes/data.ts'
import { mendDiscovery } from '../routes/discovery.ts'
import { createLimiter } from '../routes/limiter.ts'
import { productErrors, productRoutes } from '../routes/products.ts'
import { registrationRoutes } from '../routes/registration.ts'
import { servicingPath, servicingRoutes } from '../routes/servicing.ts'
import type { Services } from '../state/services.ts'
import type { Role } from './endpoints.ts'
import { Refused } from './refusals.ts'
import { leaveOutIssuer, tellReason, tellReasonByRedirect } from './told-reasons.ts'

/** Serves one role of a listener. */
export interface Handler {
  role: Role
  /** Does it play back x-fapi-interaction-id? */
  interactive: boolean
  serves(path: string): boolean
  serve(ctx: Context, next: Next): Promise<void>
}

const below = (path: string, place: string) => path === place || path.startsWith(`${place}/`)

/** The handlers of all roles; `next` leads to the authorisation server. */
export function handlersOf(services: Services): Record<Role, Handler> {
  return {
    api: api(services),
    registration: registration(services),
    token: token(services),
    authorisation: authorisation(services),
    discovery: discovery(services),
    products: products(services),
  }
}

function api(services: Services): Handler {
  const consents = consentRoutes(services).routes()
  const data = dataRoutes(services, createLimiter(services)).routes()
  const guarded = refusing(services)
  const unmatched = async (ctx: Context) => {
    const layers: { methods: string[] }[] = ctx.matched ?? []
    if (layers.length === 0) throw new Refused('not-found')
    ctx.set('allow', [...new Set(layers.flatMap(({ methods }) => methods))].join(', '))
    throw new Refused('method')
  }
  return {
    role: 'api',
    interactive: true,
    serves: (path) => path.startsWith('/open-banking/v3.1/'),
    serve: (ctx, _next) =>
      guarded(ctx, () => call(consents, ctx, () => call(data, ctx, () => unmatched(ctx)))),
  }
}

function registration(services: Services): Handler {
  const routes = registrationRoutes(services).routes()
  const serves = (path: string) => below(path, services.endpoints.paths.registration)
  return {
    role: 'registration',
    interactive: true,
    serves,
    serve: (ctx) =>
      plainly(ctx, serves(ctx.path) && 'POST', () => call(routes, ctx, async () => {})),
  }
}

function token({ endpoints, settings }: Pick<Services, 'endpoints' | 'settings'>): Handler {
  const serves = (path: string) => path === endpoints.paths.token
  return {
    role: 'token',
    interactive: true,
    serves,
    async serve(ctx, next) {
      await plainly(ctx, serves(ctx.path) && 'POST', async () => {
        if (serves(ctx.path)) await next()
      })
      tellReason(ctx)
      const answer = ctx.body as Record<string, unknown> | undefined
      if (ctx.status !== 200 || !answer) return
      if (!settings.idTokenInTokenResponse) delete answer.id_token
      if (!settings.tokenTypeInResponse) delete answer.token_type
    },
  }
}

function authorisation(services: Services): Handler {
  const { endpoints, settings } = services
  const visits = authorisationRoutes(services).routes()
  const servicing = servicingRoutes(services).routes()
  const own = endpoints.paths.authorisation
  return {
    role: 'authorisation',
    interactive: false,
    serves: (path) => [own, '/interaction', servicingPath].some((place) => below(path, place)),
    async serve(ctx, next) {
      try {
        if (below(ctx.path, own)) {
          await forgetSession(ctx, next)
          leaveOutIssuer(ctx)
          tellReasonByRedirect(ctx)
          if (settings.loginPage === 'forms') showForms(ctx)
          if (ctx.status !== 404 || ctx.path !== own) return
          ctx.set('allow', 'GET')
          ctx.status = 405
          return problemPage(ctx, 'invalid_request', 'This page can only be read.')
        }
        await call(visits, ctx, () => call(servicing, ctx, async () => {}))
      } catch (thrown) {
        if (!(thrown instanceof errors.OIDCProviderError)) ctx.app.emit('error', thrown, ctx)
        ctx.status = thrown instanceof errors.OIDCProviderError ? thrown.statusCode : 500
        problemPage(ctx, 'invalid_request', 'This visit has ended or never began.')
      }
      if (ctx.status === 404 && !ctx.body) problemPage(ctx, 'not_found', 'There is no such page.')
    },
  }
}

/** Removes session cookies, so that every visit starts without a session and the customer logs in each time. */
async function forgetSession(ctx: Context, next: Next): Promise<void> {
  const kept = (ctx.headers.cookie ?? '').split('; ').filter((pair) => !pair.startsWith('_session'))
  ctx.req.headers.cookie = kept.join('; ')
  await next()
}

/** Answers with the login form itself when the authorisation server would redirect to it. */
function showForms(ctx: Context): void {
  const place = String(ctx.response.get('location') ?? '')
  if (!place.startsWith('/interaction/')) return
  ctx.remove('location')
  loginPage(ctx, { action: `${place}/login`, purpose: 'Log in to see what you are asked for.' })
}

function discovery(services: Pick<Services, 'endpoints' | 'settings'>): Handler {
  const configuration = '/.well-known/openid-configuration'
  const serves = (path: string) => path === configuration || path === '/jwks'
  return {
    role: 'discovery',
    interactive: false,
    serves,
    async serve(ctx, next) {
      await plainly(ctx, serves(ctx.path) && 'GET', async () => {
        if (!serves(ctx.path)) return
        await next()
        if (ctx.path === configuration && ctx.status === 200) mendDiscovery(ctx, services)
      })
    },
  }
}

function products(services: Pick<Services, 'policies'>): Handler {
  const routes = productRoutes(services).routes()
  return {
    role: 'products',
    interactive: false,
    serves: () => true,
    serve: (ctx) => productErrors(ctx, () => call(routes, ctx, async () => {})),
  }
}

/** Answers an unknown path, a wrong method or an exception with an OAuth error. */
async function plainly(
  ctx: Context,
  method: string | false,
  work: () => Promise<void>,
): Promise<void> {
  try {
    await work()
  } catch (thrown) {
    ctx.app.emit('error', thrown, ctx)
    ctx.status = 500
    ctx.body = { error: 'server_error' }
    return
  }
  if (ctx.status !== 404 || ctx.body) return
  if (method) ctx.set('allow', method)
  const what = method ? 'the method is not supported here' : 'there is no such resource'
  ctx.body = { error: 'invalid_request', error_description: what }
  ctx.status = method ? 405 : 404
}

/** koa routers declare a narrower type of context than koa does. */
function call(routes: unknown, ctx: Context, next: () => Promise<void>): Promise<void> {
  return (routes as (ctx: Context, next: Next) => Promise<void>)(ctx, next)
}
