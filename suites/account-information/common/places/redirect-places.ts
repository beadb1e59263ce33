import type { Context } from '../../../../engine/suite-api/check.ts'
import { redirectsTo, type Tpp } from '../../../../engine/suite-api/client.ts'
import type { ClientName } from '../../../../engine/suite-api/consents.ts'
import { matchers, requireReachable } from '../../../../engine/suite-api/expect.ts'
import type { Visit } from '../../../../engine/suite-api/flow.ts'
import { type Exchange, succeeded } from '../../../../engine/suite-api/responses.ts'
import type { everything } from '../../../consents.ts'
import type { Answered, Place } from '../../../tables.ts'
import { redirectUri } from '../../../values/redirect-uri.ts'
import type { RedirectUris } from '../../../values/redirect-uri-rows.ts'
import type { Value } from '../../../values/value-type.ts'
import { placeName } from '../registration/clients.ts'
import {
  isAnotherClient,
  madeClient,
  register,
  registeredSecond,
} from '../registration/fresh-registration.ts'
import { redirectUris } from '../registration/narrow-registration.ts'
import { requireRegisteredValues, wronglyRegistered } from '../registration/registered-values.ts'
import { inBoth } from '../visits/visits.ts'
import { authorisationOf, ENOUGH, foreseenVisits, type Named, openVisits } from './visit-places.ts'

/** Places that accept redirect URIs, except the token endpoint: see code-places.ts. */

type Row = Value<RedirectUris, string>

export const isWrong = ({ lawful }: Row): boolean => !lawful

const registrationOf = (client: ClientName): Named => ({
  name: placeName('registration', client),
  kind: 'registration',
  enough: ENOUGH,
  dear: true,
})

/** A registration of the first client with an additional redirect URI that its software statement lacks. */
export const firstRegistration: Place<RedirectUris, string> = {
  ...registrationOf('first'),
  async open(context) {
    const registered = await redirectUris(context)
    const ofOthers = context.target.clients.second?.redirectUris ?? []
    return {
      right: { registered, ofOthers },
      ask: (uri, deviation) =>
        registrationWith(registered, uri, (redirect_uris) =>
          register(context, { deviation, jwt: { claims: { redirect_uris } } }),
        ),
    }
  },
}

/** The same for the second client. */
export const secondRegistration: Place<RedirectUris, string> = {
  ...registrationOf('second'),
  async open(context) {
    const second = await registeredSecond(context)
    const registered = second.client.redirectUris
    return {
      right: { registered, ofOthers: context.tpp().client.redirectUris },
      ask: (uri, deviation) =>
        registrationWith(registered, uri, async (redirect_uris) => {
          const answer = await second.register({ deviation, jwt: { claims: { redirect_uris } } })
          // Where it cannot be restored, the answer still counts.
          await isAnotherClient(context, answer, second).catch(() => undefined)
          return answer
        }),
    }
  },
}

/** A wrong redirect URI after the correct ones; before them if the bank discards correct ones too. */
async function registrationWith(
  right: readonly string[],
  uri: string,
  attempt: (uris: string[]) => Promise<Exchange>,
): Promise<Answered> {
  const answer = await attempt([...right, uri])
  const found = registeredFinding(answer, uri)
  if (found || !madeClient(answer)) return { exchange: answer, ...(found && { finding: found }) }
  const kept = requireRegisteredValues(answer, 'redirect_uris')
  if (right.every((one) => kept.includes(one))) return { exchange: answer }
  const again = await attempt([uri, ...right])
  const finding = registeredFinding(again, uri)
  return { exchange: again, ...(finding && { finding }) }
}

function registeredFinding(exchange: Exchange, uri: string) {
  requireReachable(exchange)
  if (succeeded(exchange)) return wronglyRegistered(exchange, 'redirect_uris', uri)
  return exchange.response ? undefined : matchers.toBeRefused(exchange)
}

/** The place of a client, if there is a second client to share a draw with. */
export const besideRegistration = ({ target }: Context<never>, client: ClientName): Named[] =>
  target.clients.second ? [registrationOf(client)] : []

/**
 * A visit with a wrong redirect URI in query and request object.
 *
 * @param visits each visit is added to it.
 */
export function authorisation(
  { target }: Context<never>,
  client: ClientName,
  visits: Visit[] = [],
): Place<RedirectUris, string, typeof everything> {
  return {
    ...authorisationOf(client, target.attended),
    async open(context) {
      const { tpp } = await context.caller(client)
      const { first, second } = context.target.clients
      const ofOthers = (client === 'first' ? second : first)?.redirectUris ?? []
      return openVisits(context, client, {
        right: { registered: urisOf(tpp), ofOthers },
        wrong: (uri: string) => inBoth({ redirect_uri: uri }),
        visits,
      })
    },
  }
}

/** The redirect URIs of a client, as the bank registered them. */
export const urisOf = ({ registered, client }: Tpp): readonly string[] =>
  registered?.redirect_uris ?? client.redirectUris

/** The purposes of these visits, by the redirect URIs of the target. */
export const foreseenUris = (client: ClientName) =>
  foreseenVisits(redirectUri, isWrong, client, {
    rightOf: ({ target: { clients } }) => ({
      registered: clients[client]?.redirectUris ?? [],
      ofOthers: clients[client === 'first' ? 'second' : 'first']?.redirectUris ?? [],
    }),
  })

/**
 * Did the answer go to the requested redirect URI, which is not
 * registered? No where a browser normalises it to a registered one.
 */
export function wentThere(visit: Visit, registered: readonly string[]): boolean {
  if (visit.kind === 'stopped') return false
  const asked = new URL(visit.request.url).searchParams.get('redirect_uri') ?? ''
  if (registered.some((one) => inBrowser(one) === inBrowser(asked))) return false
  return [asked, inBrowser(asked)].some((uri) => redirectsTo(visit.redirect, uri))
}

/** The URI as a browser resolves it, without its fragment. */
function inBrowser(uri: string): string {
  if (!URL.canParse(uri)) return uri
  const url = new URL(uri)
  url.hash = ''
  return url.href.replace(/\?$/, '')
}
