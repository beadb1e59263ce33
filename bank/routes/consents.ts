import Router from '@koa/router'
import type { Context } from 'koa'
import { aispPath, versionPath } from '../listeners/endpoints.ts'
import { Refused } from '../listeners/refusals.ts'
import type { Consent, ConsentKind, DebtorAccount } from '../state/consents.ts'
import { revokeGrants, type Services } from '../state/services.ts'
import { stateOf } from '../state/state.ts'
import { answer, needJson } from './answer.ts'
import { clientToken } from './bearer.ts'

type Json = Record<string, unknown>

const isObject = (value: unknown): value is Json =>
  typeof value === 'object' && value !== null && !Array.isArray(value)

/** Account access consents below aisp; funds confirmation consents at their own paths. */
export function consentRoutes(
  services: Pick<
    Services,
    'policies' | 'settings' | 'consents' | 'records' | 'provider' | 'endpoints'
  >,
): Router {
  const { policies, consents, settings } = services
  const router = new Router({ sensitive: true })
  const accessPath = `${aispPath}/account-access-consents`
  const fundsPaths = (which: 'create' | 'delete') =>
    [settings.fundsConfirmationPaths[which]].flat().map((path) => `${versionPath}/${path}`)
  const scopes = { 'account-access': 'accounts', 'funds-confirmation': 'fundsconfirmations' }

  /** The consent in the path, if it belongs to this client and is still visible to it. */
  function consentOf(
    ctx: Context,
    kind: ConsentKind,
    clientId: string,
    unknown: 400 | 403,
  ): Consent {
    const consent = consents.get(String(ctx.params.ConsentId))
    if (!consent || consent.kind !== kind || !policies.visibleToTpp(consent)) {
      throw new Refused(unknown === 400 ? 'consent-unknown' : 'consent-other-client')
    }
    if (!policies.ownsConsent(consent, clientId)) throw new Refused('consent-other-client')
    return consent
  }

  function created(ctx: Context, consent: Consent, path: string) {
    const data = policies.consentView(consent, policies)
    answer(ctx, services, {
      status: 201,
      data,
      risk: {},
      path: `${path}/${encodeURIComponent(consent.id)}`,
    })
  }

  async function remove(ctx: Context, kind: ConsentKind) {
    const { clientId } = await clientToken(ctx, services, scopes[kind])
    // The document lists 204, 401 and 403 for DELETE, so an unknown consent is answered with 403.
    const consent = consentOf(ctx, kind, String(clientId), 403)
    consent.deleted = Date.now()
    if (policies.tokensDie('deleted')) revokeGrants(services, consent)
    ctx.status = 204
  }

  router.post(accessPath, async (ctx) => {
    const { clientId } = await clientToken(ctx, services, 'accounts')
    const consent = accountAccess(services, requestData(ctx, services), String(clientId))
    created(ctx, consent, accessPath)
  })

  router.get(`${accessPath}/:ConsentId`, async (ctx) => {
    const { clientId } = await clientToken(ctx, services, 'accounts')
    needJson(ctx, services)
    const consent = consentOf(ctx, 'account-access', String(clientId), 400)
    answer(ctx, services, { data: policies.consentView(consent, policies), risk: {} })
  })

  router.delete(`${accessPath}/:ConsentId`, (ctx) => remove(ctx, 'account-access'))

  router.post(fundsPaths('create'), async (ctx) => {
    const { clientId } = await clientToken(ctx, services, 'fundsconfirmations')
    const data = requestData(ctx, services)
    const account = debtorAccount(services, data.DebtorAccount)
    const expires = dateTime(services, data, 'ExpirationDateTime', 'expires')
    const wrong = policies.datesRefusal(expires)
    if (wrong) throw new Refused('date-invalid', wrong, 'Data.ExpirationDateTime')
    const consent = consents.create({
      kind: 'funds-confirmation',
      clientId: String(clientId),
      permissions: [],
      debtorAccount: account,
      ...expires,
    })
    created(ctx, consent, ctx.path.replace(/\/$/, ''))
  })

  const deletedAt = fundsPaths('delete').map((path) => `${path}/:ConsentId`)
  router.delete(deletedAt, (ctx) => remove(ctx, 'funds-confirmation'))

  return router
}

/** Creates an account access consent from the request data. */
function accountAccess(
  services: Pick<Services, 'policies' | 'consents'>,
  data: Json,
  clientId: string,
): Consent {
  const { policies, consents } = services
  const permissions = data.Permissions
  if (permissions === undefined) throw missing('Data.Permissions')
  const words = Array.isArray(permissions) && permissions.every((one) => typeof one === 'string')
  if (!words) throw new Refused('field-invalid', 'Not an array of strings.', 'Data.Permissions')
  if (!policies.permissionsAcceptable(permissions)) {
    throw new Refused('permission-unsupported', undefined, 'Data.Permissions')
  }
  const dates = {
    ...dateTime(services, data, 'ExpirationDateTime', 'expires'),
    ...dateTime(services, data, 'TransactionFromDateTime', 'transactionsFrom'),
    ...dateTime(services, data, 'TransactionToDateTime', 'transactionsTo'),
  }
  const wrong = policies.datesRefusal(dates)
  if (wrong) throw new Refused('date-invalid', wrong, 'Data')
  return consents.create({
    kind: 'account-access',
    clientId,
    permissions: policies.permissionsGranted(permissions),
    ...dates,
  })
}

const missing = (path: string) => new Refused('field-missing', `${path} is missing.`, path)

/** The Data object of a create request. Its Risk is an empty object. */
function requestData(ctx: Context, services: Pick<Services, 'policies'>): Json {
  needJson(ctx, services)
  if (!ctx.is('application/json')) throw new Refused('media-type')
  let body: unknown
  try {
    body = JSON.parse(stateOf(ctx).body)
  } catch {
    throw new Refused('malformed')
  }
  if (!isObject(body)) throw new Refused('malformed')
  if (body.Data === undefined) throw missing('Data')
  if (!isObject(body.Data)) throw new Refused('field-invalid', 'Data is not an object.', 'Data')
  if (body.Risk === undefined) throw missing('Risk')
  if (!isObject(body.Risk)) throw new Refused('field-invalid', 'Risk is not an object.', 'Risk')
  const [surplus] = Object.keys(body.Risk)
  if (surplus) throw new Refused('field-unexpected', 'Risk must be empty.', `Risk.${surplus}`)
  return body.Data
}

function dateTime<Key extends string>(
  { policies }: Pick<Services, 'policies'>,
  data: Json,
  field: string,
  key: Key,
): { [name in Key]?: number } {
  if (data[field] === undefined || (data[field] === null && policies.nullIsNone())) return {}
  const instant = policies.consentDateTime(data[field])
  if (instant === undefined) {
    throw new Refused('date-invalid', `${field} is not an RFC 3339 date-time.`, `Data.${field}`)
  }
  return { [key]: instant } as { [name in Key]?: number }
}

function debtorAccount({ policies }: Pick<Services, 'policies'>, account: unknown): DebtorAccount {
  const path = 'Data.DebtorAccount'
  if (account === undefined) throw missing(path)
  if (!isObject(account)) throw new Refused('field-invalid', 'Not an object.', path)
  const text = (field: string) => {
    const value = account[field]
    if (value === undefined || typeof value === 'string') return value
    if (value === null && policies.nullIsNone()) return undefined
    throw new Refused('field-invalid', `${field} is not a string.`, `${path}.${field}`)
  }
  const scheme = text('SchemeName')
  if (scheme === undefined) throw missing(`${path}.SchemeName`)
  const identification = text('Identification')
  if (identification === undefined) throw missing(`${path}.Identification`)
  const name = text('Name')
  const secondary = text('SecondaryIdentification')
  const stated: DebtorAccount = {
    SchemeName: scheme,
    Identification: identification,
    ...(name === undefined ? {} : { Name: name }),
    ...(secondary === undefined ? {} : { SecondaryIdentification: secondary }),
  }
  const wrong = policies.debtorAccountRefusal(stated, policies.panScheme())
  if (wrong) throw new Refused(wrong[0], undefined, `${path}.${wrong[1]}`)
  return stated
}
