import Router from '@koa/router'
import type { Context } from 'koa'
import type { Provider } from 'oidc-provider'
import { errors } from '../authorisation-server/oidc-provider.ts'
import type { Customer } from '../data/customers.ts'
import { consentPage } from '../pages/consent.ts'
import { loginPage } from '../pages/login.ts'
import type { Policies } from '../policies.ts'
import type { Consent } from '../state/consents.ts'
import { ageOf, type Services } from '../state/services.ts'
import { stateOf } from '../state/state.ts'

const words = (value: unknown) =>
  String(value ?? '')
    .split(' ')
    .filter(Boolean)

interface Visit {
  uid: string
  clientId: string
  scopes: string[]
  organisation: string
  onBehalfOf: string
  consent: Consent | undefined
}

type VisitServices = Pick<
  Services,
  'policies' | 'settings' | 'consents' | 'customers' | 'provider' | 'visitors'
>

/** The login and consent pages of one visit, below /interaction/{uid}. */
export function authorisationRoutes(services: VisitServices): Router {
  const { provider, policies, consents, customers, visitors } = services
  const router = new Router({ sensitive: true })

  /** Ends the visit. The authorisation server redirects to the TPP. */
  async function finish(ctx: Context, uid: string, result: Record<string, unknown>) {
    visitors.delete(uid)
    const options = { mergeWithLastSubmission: false }
    ctx.redirect(await provider.interactionResult(ctx.req, ctx.res, result, options))
  }

  const deny = (ctx: Context, uid: string, why: string) =>
    finish(ctx, uid, { error: 'access_denied', error_description: why })

  router.get('/interaction/:uid', async (ctx) => {
    const visit = await visitOf(services, ctx)
    const customer = visitors.get(visit.uid)
    if (customer) return askForConsent(ctx, policies, visit, customer)
    askToLogIn(ctx, visit)
  })

  router.post('/interaction/:uid/login', async (ctx) => {
    const visit = await visitOf(services, ctx)
    const form = new URLSearchParams(stateOf(ctx).body)
    const username = form.get('username') ?? ''
    const customer = customers.find((one) => one.username === username)
    if (!customer || !policies.loginAccepted(customer, form.get('password') ?? '')) {
      return askToLogIn(ctx, visit, { username, failed: true })
    }
    const reason = refusalOf(services, visit, customer)
    if (reason) return deny(ctx, visit.uid, reason)
    visitors.set(visit.uid, customer)
    ctx.redirect(`/interaction/${visit.uid}`)
  })

  router.post('/interaction/:uid/decision', async (ctx) => {
    const visit = await visitOf(services, ctx)
    const { uid, consent } = visit
    const customer = visitors.get(uid)
    if (!customer || !consent) return ctx.redirect(`/interaction/${uid}`)
    const reason = refusalOf(services, visit, customer)
    if (reason) return deny(ctx, uid, reason)
    const form = new URLSearchParams(stateOf(ctx).body)
    const decision = form.get('decision')
    if (decision === 'deny') {
      turn(policies, consent, policies.statusAfterDenial(consent.status))
      return deny(ctx, uid, 'the customer denied consent')
    }
    const ask = (problem: string) => askForConsent(ctx, policies, visit, customer, problem)
    if (decision !== 'approve') return ask('Please approve or deny.')
    const again = !policies.choosesCards(consent)
    const offered = policies.cardsOffered(consent, customer)
    const granted = policies.cardsGranted(offered, form.getAll('accounts'), again)
    if (granted.length === 0) return ask('Choose at least one card.')
    consent.cards = granted.map(({ key }) => key)
    consent.customerId = customer.id
    consent.confirmed = Date.now()
    consent.ahead.confirmation = 0
    turn(policies, consent, policies.statusAfterApproval())
    const grantId = await grantOf(provider, visit, customer)
    consents.bind(grantId, consent)
    const login = { accountId: customer.id, remember: false, acr: policies.acrOf() }
    await finish(ctx, uid, { login, consent: { grantId } })
  })

  return router
}

async function visitOf(
  { provider, policies, consents }: VisitServices,
  ctx: Context,
): Promise<Visit> {
  const { uid, params } = await provider.interactionDetails(ctx.req, ctx.res)
  if (uid !== ctx.params.uid) throw new errors.SessionNotFound('this is another visit')
  const clientId = String(params.client_id)
  const client = await provider.Client.find(clientId)
  const asked = { claims: JSON.parse(String(params.claims ?? '{}')) as unknown }
  return {
    uid,
    clientId,
    scopes: words(params.scope),
    organisation: String(client?.org_name),
    onBehalfOf: String(client?.software_on_behalf_of),
    consent: consents.get(policies.intentOf(asked) ?? ''),
  }
}

/** Why the customer cannot approve this visit's intent now. */
function refusalOf(
  services: VisitServices,
  { consent, clientId, scopes }: Visit,
  customer: Customer,
) {
  const { policies } = services
  const age = consent && ageOf(services, consent)
  const reason = policies.authorisable(consent, clientId, scopes, age)
  if (reason || !consent) return reason ?? 'there is no such intent'
  return policies.confirmableBy(consent, customer, policies.cardsOffered(consent, customer))
}

function askToLogIn(
  ctx: Context,
  { uid, organisation }: Visit,
  again?: { username: string; failed: true },
) {
  const purpose = `${organisation} sent you here. Log in to see what it asks for.`
  loginPage(ctx, { action: `/interaction/${uid}/login`, purpose, ...again })
}

function askForConsent(
  ctx: Context,
  policies: Policies,
  { uid, organisation, onBehalfOf, consent }: Visit,
  customer: Customer,
  problem?: string,
) {
  if (!consent) return
  const offered = policies.cardsOffered(consent, customer)
  const cards = offered.map((card) => ({ ...card, masked: policies.maskCard(card.pan) }))
  consentPage(ctx, {
    action: `/interaction/${uid}/decision`,
    consent,
    organisation,
    onBehalfOf,
    customer: customer.name,
    cards,
    choice: policies.choosesCards(consent),
    ...(problem && { problem }),
  })
}

function turn(policies: Policies, consent: Consent, status: Consent['status']) {
  if (consent.status === status) return
  consent.status = status
  consent.statusUpdated = policies.statusUpdated(consent.statusUpdated)
}

async function grantOf(
  provider: Provider,
  { clientId, scopes }: Visit,
  customer: Customer,
): Promise<string> {
  const grant = new provider.Grant({ accountId: customer.id, clientId })
  grant.addOIDCScope(scopes.join(' '))
  grant.addOIDCClaims(['openbanking_intent_id', 'acr', 'auth_time'])
  return grant.save()
}
