import { randomUUID } from 'node:crypto'
import type { Context } from '../../../../engine/suite-api/check.ts'
import type { ClientName } from '../../../../engine/suite-api/consents.ts'
import { matchers, relyOn } from '../../../../engine/suite-api/expect.ts'
import { type Caller, tokensOf, type Visit } from '../../../../engine/suite-api/flow.ts'
import { blockBy } from '../../../../engine/suite-api/outcomes.ts'
import { type Exchange, member } from '../../../../engine/suite-api/responses.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'
import { everything } from '../../../consents.ts'
import { OWNERS } from '../../../owners.ts'
import type { Place } from '../../../tables.ts'
import { type Scopes, scope } from '../../../values/scope.ts'
import type { Value } from '../../../values/value-type.ts'
import { placeName } from '../registration/clients.ts'
import { isKnownScope } from '../scope-lists.ts'
import {
  approvedBefore,
  exchangeCode,
  expectAnswered,
  inBoth,
  wrongVisit,
} from '../visits/visits.ts'
import { authorisationOf, byClient, foreseenVisits } from './visit-places.ts'

/** Places of scope parameters. */

type Row = Value<Scopes, string>

/** A scope beyond the registered ones, which a bank may refuse or ignore (AMB-28). */
export const isBeyond = ({ lawful, level }: Row): boolean => !lawful && level === 'must'

/** The same, and similar spellings of a registered one. */
export const isWrong = ({ lawful, level }: Row): boolean => !lawful && level !== 'observe'

const WITHIN = { owns: ['TOK-36/within-registration'] }

/** The client_credentials grant, with the scope of accounts. */
export function tokenPlaces(clients: readonly ClientName[]): Place<Scopes, string>[] {
  return clients.map((name) => ({
    name: placeName('token', name),
    kind: 'token',
    async open(context) {
      const client = await context.caller(name)
      const ask = (asked: string, deviation: string) =>
        client.tpp.token(
          { grant_type: 'client_credentials', scope: asked },
          { deviation, about: WITHIN },
        )
      const control = await client.tpp.token({ grant_type: 'client_credentials' })
      relyOn(OWNERS.management, control).toSucceed()
      const right = await scopesOf(context, client, [client.tpp.client.scopes.accounts])
      const given = requireScopes(control).filter(isKnownScope)
      if (given.some((one) => !within(right).includes(one))) {
        blockBy(
          'TOK-36/within-registration',
          'the scope is given to a client that does not ask for it',
          control,
        )
      }
      // RFC 6749 3.3: a bank may ignore the requested scope, and state the one that it grants.
      const strange = tokensOf(await ask(randomUUID(), 'a scope that nobody has'))
      return {
        right,
        async ask(asked, deviation) {
          const exchange = await ask(asked, deviation)
          const finding = grantedFinding(exchange, { right, asked, nearly: !strange })
          return { exchange, ...(finding && { finding }) }
        },
      }
    },
  }))
}

/** Each visit that gives a code is an approval: one is enough. */
const visitsOf = (client: ClientName, attended: boolean) => ({
  ...authorisationOf(client, attended),
  enough: 1,
})

export const besideScopes = ({ target }: Context<never>, client: ClientName) =>
  target.clients.second ? [visitsOf(client, target.attended)] : []

/**
 * A visit with scopes beyond the registered ones; a code that arrives is exchanged. A code arrives where the
 * bank ignores such scopes: then only one is asked, since each visit is an approval, which may end earlier ones.
 *
 * @param visits each visit is added to it.
 */
export function scopeVisits(
  { target }: Context<never>,
  client: ClientName,
  visits: Visit[] = [],
): Place<Scopes, string, typeof everything> {
  return {
    ...visitsOf(client, target.attended),
    async open(context) {
      await approvedBefore(context, everything)
      const caller = await context.caller(client)
      const right = await scopesOf(context, caller, ['openid', caller.tpp.client.scopes.accounts])
      return {
        right,
        lasts: () => !visits.some(({ kind }) => kind === 'granted'),
        async ask(asked, deviation) {
          const purpose = byClient(deviation, client)
          const visit = await wrongVisit(context, {
            ...{ client, purpose },
            deviation: inBoth({ scope: asked }),
          })
          visits.push(visit)
          expectAnswered(visit)
          const { last: exchange } = visit
          if (visit.kind !== 'granted') return { ...(exchange && { exchange }) }
          const answer = await exchangeCode(caller, visit, purpose, WITHIN.owns)
          const finding = grantedFinding(answer, { right, asked, nearly: false })
          return { exchange: answer, ...(finding && { finding }) }
        },
      }
    },
  }
}

/** The purposes of these visits: every client lacks enough scopes for each row. */
export const foreseenScopes = (client: ClientName) =>
  foreseenVisits(scope, isBeyond, client, { placeOf: visitsOf })

/** Common scopes that a client for accounts does not need. */
const USUAL = ['payments', 'profile', 'email']

/** No client has registered them. */
const MADE_UP = ['assay-made-up', 'assay-made-up-too', 'assay-made-up-as-well']

interface Known extends Scopes {
  /** Scopes that may be registered, if the registered ones are unknown. */
  perhaps?: readonly string[]
}

async function scopesOf(
  context: Context<never>,
  { tpp: { registered } }: Caller,
  needed: readonly string[],
): Promise<Known> {
  const known = registered?.scope?.split(' ')
  // A scope that the answer of the registration lacks is beyond, even if the request needs it.
  const first = needed.filter((one) => one === 'openid' || (known?.includes(one) ?? true))
  const own = new Set([...first, 'openid', ...(known ?? [])])
  const { scopes_supported: supported } = (await context.steps.discovery()).value ?? {}
  const offered = Array.isArray(supported) ? supported.map(String) : []
  const others = [...new Set([...offered, ...USUAL])].filter((one) => !own.has(one))
  // If the client was registered outside Assay, it is unknown which of the others it has.
  return known
    ? { registered: [...own], beyond: others }
    : { registered: [...own], beyond: MADE_UP, perhaps: others }
}

/** The scopes that a token may have. */
function within({ registered, perhaps = [] }: Known): readonly string[] {
  return [...registered, ...perhaps]
}

/** The finding for a token with an unregistered scope, or with one that was requested only in a similar spelling. */
function grantedFinding(
  exchange: Exchange,
  { right, asked, nearly }: { right: Known; asked: string; nearly: boolean },
): Finding | undefined {
  if (!tokensOf(exchange)) return matchers.toGiveNoToken(exchange)
  const granted = requireScopes(exchange)
  const [needed = ''] = right.registered
  // A server may add scopes of its own, to bind a token to its consent.
  const isMeant = (one: string) =>
    isKnownScope(one) || right.beyond.includes(one) || asked.split(' ').includes(one)
  const beyond = granted.find((one) => !within(right).includes(one) && isMeant(one))
  const isNear = nearly && !asked.split(' ').includes(needed) && granted.includes(needed)
  if (beyond === undefined && !isNear) return undefined
  return {
    message: `the access token has the scope ${beyond ?? needed}`,
    expected: isNear
      ? `no token, or none with ${needed}`
      : `no scope but ${within(right).join(' ')}`,
    actual: granted.join(' '),
  }
}

/** The scopes that a token response names. */
export function requireScopes(exchange: Exchange): string[] {
  const scopes = member(exchange.response?.json, 'scope')
  if (typeof scopes === 'string') return scopes.split(' ').filter(Boolean)
  blockBy('TOK-16/scope', 'the token response names no scope', exchange)
}
