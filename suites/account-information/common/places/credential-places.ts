import type { Context } from '../../../../engine/suite-api/check.ts'
import type { ClientName } from '../../../../engine/suite-api/consents.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import { type CallDeviation, type Caller, requireValue } from '../../../../engine/suite-api/flow.ts'
import type { Exchange } from '../../../../engine/suite-api/responses.ts'
import { percentDecoded } from '../../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'
import { OWNERS } from '../../../owners.ts'
import type { OpenPlace, Place } from '../../../tables.ts'
import type { Credentials } from '../../../values/bearer-credential.ts'
import { accountAccess, type ConsentKind, fundsConfirmation } from '../consents/consent-kinds.ts'
import { CONSENTS, consentBody } from '../consents/consent-requests.ts'
import { create as createFunds } from '../consents/funds-consents.ts'
import { placeName } from '../registration/clients.ts'

/** Places that accept access tokens of the client_credentials grant. */

type CredentialPlace = Place<Credentials, CallDeviation>

/** The client's credentials, with its token for this kind of consent as the correct one. */
async function credentials(
  context: Context,
  { client, name, funds }: { client: Caller; name: ClientName; funds: boolean },
): Promise<Credentials> {
  const { client_id, registration_access_token: held } = { ...client.tpp.registered }
  const grant = await context.steps.management(name, funds)
  const used = new URLSearchParams(grant.exchange?.request.body ?? '').get('client_assertion')
  return {
    token: requireValue(grant),
    ...(used !== null && { assertion: used }),
    ...(client_id !== undefined && { clientId: client_id }),
    ...(typeof held === 'string' && { registrationToken: held }),
    ...(client.tpp.client.softwareStatement !== undefined && {
      statement: client.tpp.client.softwareStatement,
    }),
  }
}

function place(
  operation: string,
  client: ClientName,
  open: (context: Context) => Promise<OpenPlace<Credentials, CallDeviation>>,
): CredentialPlace {
  return { name: placeName(operation, client), kind: 'consents', open }
}

/** Creation of a consent of this kind. */
export function creationPlaces(kind: ConsentKind, clients: readonly ClientName[]) {
  return clients.map((name) =>
    place(`create-${kind.name}-consent`, name, async (context) => {
      const client = await context.caller(name)
      const send = (deviation?: CallDeviation): Promise<Exchange> =>
        kind.funds
          ? createFunds(client, {}, deviation)
          : client.post(CONSENTS, consentBody(), deviation)
      relyOn(kind.funds ? OWNERS.fundsConfirmation : OWNERS.consent, await send()).toSucceed()
      const own = await credentials(context, { client, name, funds: kind.funds })
      return {
        right: own,
        ask: (made, deviation) => send({ ...made, deviation }),
      }
    }),
  )
}

/** The query of an account access consent. */
export function queryPlaces(clients: readonly ClientName[]) {
  return clients.map((name) =>
    place('query-account-access-consent', name, async (context) => {
      const { client, path } = await accountAccess.create(context, name)
      const own = await credentials(context, { client, name, funds: false })
      const consentId = percentDecoded(path.split('/').at(-1) ?? '')
      // A used client assertion is tried there by SEC-03/other-tokens.
      const { assertion: _, ...others } = own
      return {
        right: { ...others, consentId },
        ask: (made, deviation) => client.get(path, { ...made, deviation }),
      }
    }),
  )
}

/** Deletion of a consent of this kind. */
export function deletionPlaces(
  kind: ConsentKind,
  clients: readonly ClientName[],
  judge?: (answer: Exchange, own: Credentials) => Finding | undefined,
) {
  return clients.map((name) =>
    place(`delete-${kind.name}-consent`, name, async (context) => {
      const { client, path } = await kind.create(context, name)
      const own = await credentials(context, { client, name, funds: kind.funds })
      const consentId = percentDecoded(path.split('/').at(-1) ?? '')
      return {
        right: { ...own, consentId },
        ask: (made, deviation) => client.delete(path, { ...made, deviation }),
        ...(judge && { judge: (answer: Exchange) => judge(answer, own) }),
        after: () => kind.isThere(client, path),
      }
    }),
  )
}

/** All of them except the deletions. */
export async function otherConsentPlaces(context: Context): Promise<CredentialPlace[]> {
  const [ofAccounts, ofFunds] = [
    await accountAccess.creators(context),
    await fundsConfirmation.creators(context).catch(() => []),
  ]
  return [
    ...creationPlaces(accountAccess, ofAccounts),
    ...queryPlaces(ofAccounts),
    ...creationPlaces(fundsConfirmation, ofFunds),
  ]
}
