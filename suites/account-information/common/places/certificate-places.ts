import type { Context } from '../../../../engine/suite-api/check.ts'
import type { TokenDeviation, Tpp } from '../../../../engine/suite-api/client.ts'
import type { Approval, ClientName, NamedConsent } from '../../../../engine/suite-api/consents.ts'
import { type CallDeviation, refreshed, tokensOf } from '../../../../engine/suite-api/flow.ts'
import type { Exchange } from '../../../../engine/suite-api/responses.ts'
import type { Place } from '../../../tables.ts'
import type { Credentials } from '../../../values/bearer-credential.ts'
import type { Certificates, OverCertificate } from '../../../values/client-certificate.ts'
import { accountAccess, type ConsentKind, fundsConfirmation } from '../consents/consent-kinds.ts'
import { creationPlaces, deletionPlaces, queryPlaces } from './credential-places.ts'
import { DATA_PLACES, dataPlaces } from './data-places.ts'

/** Places that require a transport certificate, with a token that is fetched over the same certificate. */

type CertificatePlace<Used extends NamedConsent = never> = Place<
  Certificates,
  OverCertificate,
  Used
>

/** A token request over a certificate; undefined where the client has no grant for it. */
type Fetch = (
  over: Pick<TokenDeviation, 'identity' | 'headers' | 'deviation'>,
) => Promise<Exchange | undefined>

/** The client, and how it gets a token for this place. */
interface Holder {
  tpp: Tpp
  fetch: Fetch
  /** After the request: what was fetched over another certificate may be bound to that one. */
  renew?(): Promise<unknown>
}

/** The certificates that the target has for this client. */
export function certificatesOf({ wire, name, client }: Tpp): Certificates {
  const { certificate } = client.transport
  return {
    own: name,
    identities: ['none', 'untrusted', 'forged', 'expired', 'resumed', 'first', 'second'].filter(
      wire.has,
    ),
    ...(certificate !== undefined && { certificate }),
  }
}

/** A place of credentials, with requests over other certificates. */
function over<Used extends NamedConsent>(
  place: Place<Credentials, CallDeviation, Used>,
  holderOf: (context: Context<Used>) => Promise<Holder>,
): CertificatePlace<Used> {
  return {
    name: place.name,
    kind: place.kind,
    ...(place.dear && { dear: place.dear }),
    async open(context) {
      const there = await place.open(context)
      if (!there) return undefined
      const { ask, right: _, ...opened } = there
      const { tpp, fetch, renew } = await holderOf(context)
      return {
        ...opened,
        right: certificatesOf(tpp),
        async ask({ tokenOver, ...wrong }, deviation) {
          const fetched = tokenOver && (await fetch({ ...wrong, deviation }))
          if (!fetched) return ask(wrong, deviation)
          const bearer = tokensOf(fetched)?.accessToken
          // Without a token, the connection was already refused at the token request.
          if (bearer === undefined) return fetched
          const answer = await ask({ ...wrong, bearer }, deviation)
          await renew?.()
          return answer
        },
      }
    },
  }
}

const ofClient =
  (name: ClientName, funds: boolean) =>
  async ({ caller }: Context): Promise<Holder> => {
    const { tpp } = await caller(name)
    const scope = funds ? tpp.client.scopes.fundsConfirmation : tpp.client.scopes.accounts
    return {
      tpp,
      fetch: (wrong) =>
        tpp.token(
          { grant_type: 'client_credentials', ...(scope !== undefined && { scope }) },
          wrong,
        ),
    }
  }

function ofApproval(approval: Approval): Holder {
  const { tpp } = approval
  return {
    tpp,
    async fetch(wrong) {
      const before = await approval.tokens()
      const { refreshToken: refresh_token } = before
      if (refresh_token === undefined) return undefined
      const answer = await tpp.token({ grant_type: 'refresh_token', refresh_token }, wrong)
      const after = refreshed(before, answer)
      // The tokens before it may have ended (AMB-43).
      if (after) approval.use(after)
      return answer
    },
    renew: () => approval.refresh().catch(() => undefined),
  }
}

const each =
  (
    kind: ConsentKind,
    places: (clients: readonly ClientName[]) => Place<Credentials, CallDeviation>[],
  ) =>
  (clients: readonly ClientName[]): CertificatePlace[] =>
    clients.flatMap((name) =>
      places([name]).map((place) => over(place, ofClient(name, kind.funds))),
    )

/** Creation, query and deletion of consents. */
export const certificatePlaces = {
  creation: (kind: ConsentKind, clients: readonly ClientName[]) =>
    each(kind, (some) => creationPlaces(kind, some))(clients),
  query: each(accountAccess, queryPlaces),
  deletion: (kind: ConsentKind, clients: readonly ClientName[]) =>
    each(kind, (some) => deletionPlaces(kind, some))(clients),
}

/** All of them, of both kinds. */
export async function consentsOverCertificates(context: Context): Promise<CertificatePlace[]> {
  const ofAccounts = await accountAccess.creators(context)
  const ofFunds = await fundsConfirmation.creators(context).catch(() => [])
  const deletable = await fundsConfirmation.clients(context).catch(() => [])
  return [
    ...certificatePlaces.query(ofAccounts),
    ...certificatePlaces.creation(accountAccess, ofAccounts),
    ...certificatePlaces.deletion(accountAccess, ofAccounts),
    ...certificatePlaces.creation(fundsConfirmation, ofFunds),
    ...certificatePlaces.deletion(fundsConfirmation, deletable),
  ]
}

/** A gateway that reads certificates from headers is in front of all places: each value is sent to one of them. */
const GATEWAY = 'gateway'

export const behindGateway = <Named extends { kind: string }>(places: readonly Named[]): Named[] =>
  places.map((place) => ({ ...place, kind: GATEWAY }))

export const dataBehindGateway = DATA_PLACES.map((name) => ({ name, kind: GATEWAY }))

/** Each data endpoint, under each of these approvals that the run has. */
export async function dataOverCertificates<Used extends NamedConsent>(
  context: Context<Used>,
  consents: readonly Used[],
): Promise<CertificatePlace<Used>[]> {
  const [first] = consents
  const places: CertificatePlace<Used>[] = []
  for (const consent of consents.filter((each) => each === first || context.has(each))) {
    const holder = async ({ approved }: Context<Used>) => ofApproval(await approved(consent))
    for (const place of await dataPlaces(context, [consent], first))
      places.push(over(place, holder))
  }
  return places
}
