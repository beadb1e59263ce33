import { randomBytes } from 'node:crypto'
import Router from '@koa/router'
import type { Context } from 'koa'
import type { Customer } from '../data/customers.ts'
import { loginPage } from '../pages/login.ts'
import { servicingPage } from '../pages/servicing.ts'
import { ageOf, revoke, type Services } from '../state/services.ts'
import { stateOf } from '../state/state.ts'

/** Path of the account servicing facility, on the listener of the authorisation page. */
export const servicingPath = '/servicing'
const cookie = 'servicing'

interface Session {
  customer: Customer
  /** Proves that a form was sent from a page of this session. */
  seal: string
}

/** The account servicing facility: a customer sees consents, including deleted ones, and can revoke them. */
export function servicingRoutes(
  services: Pick<
    Services,
    'policies' | 'settings' | 'consents' | 'customers' | 'provider' | 'records'
  >,
): Router {
  const { policies, consents, customers, provider } = services
  const sessions = new Map<string, Session>()
  const router = new Router({ sensitive: true })
  const action = `${servicingPath}/login`
  const purpose = 'Log in to see who may use your information.'
  const options = {
    httpOnly: true,
    sameSite: 'strict',
    path: servicingPath,
    signed: false,
  } as const

  const sessionOf = (ctx: Context) => sessions.get(ctx.cookies.get(cookie, { signed: false }) ?? '')
  const formOf = (ctx: Context) => new URLSearchParams(stateOf(ctx).body)
  const home = (ctx: Context) => ctx.redirect(servicingPath)

  router.get(servicingPath, async (ctx) => {
    const session = sessionOf(ctx)
    if (!session) return loginPage(ctx, { action, purpose })
    const shown = consents.ofCustomer(session.customer.id).filter(policies.visibleToCustomer)
    const listed = await Promise.all(
      shown.map(async (consent) => {
        const client = await provider.Client.find(consent.clientId)
        return {
          consent,
          organisation: String(client?.org_name),
          onBehalfOf: String(client?.software_on_behalf_of),
          expired: ageOf(services, consent).expired,
        }
      }),
    )
    const { customer, seal } = session
    servicingPage(ctx, { customer: customer.name, listed, seal, path: servicingPath })
  })

  router.post(action, (ctx) => {
    const form = formOf(ctx)
    const username = form.get('username') ?? ''
    const customer = customers.find((one) => one.username === username)
    if (!customer || !policies.loginAccepted(customer, form.get('password') ?? '')) {
      return loginPage(ctx, { action, purpose, username, failed: true })
    }
    const id = randomBytes(24).toString('base64url')
    sessions.set(id, { customer, seal: randomBytes(24).toString('base64url') })
    ctx.cookies.set(cookie, id, options)
    home(ctx)
  })

  router.post(`${servicingPath}/consents/:ConsentId/revoke`, (ctx) => {
    const session = sessionOf(ctx)
    if (!session || formOf(ctx).get('seal') !== session.seal) return home(ctx)
    const consent = consents.get(String(ctx.params.ConsentId))
    if (consent && consent.customerId === session.customer.id) revoke(services, consent)
    home(ctx)
  })

  router.post(`${servicingPath}/logout`, (ctx) => {
    const id = ctx.cookies.get(cookie, { signed: false })
    const session = sessionOf(ctx)
    if (id && session && formOf(ctx).get('seal') === session.seal) sessions.delete(id)
    home(ctx)
  })

  return router
}
