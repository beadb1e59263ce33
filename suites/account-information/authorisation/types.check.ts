import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { ClientName } from '../../../engine/suite-api/consents.ts'
import { expectThat, noteNegative } from '../../../engine/suite-api/expect.ts'
import type { Visit } from '../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import type { Finding } from '../../../engine/suite-api/rule.ts'
import { everything, secondClient } from '../../consents.ts'
import { expectTable, type Place } from '../../tables.ts'
import type { Enumeration } from '../../values/enumeration-terms.ts'
import { responseType } from '../../values/response-enumerations.ts'
import type { Value } from '../../values/value-type.ts'
import { dearAuthorisation, foreseenVisits, openVisits } from '../common/places/visit-places.ts'
import { expectAnswered, expectNoCode, inBoth, wrongVisit } from '../common/visits/visits.ts'

/** GET /authorize: other response types. Requirements: specs/account-information/authorisation.yaml */

/** The words of a response type, sorted: their order means nothing (RFC 6749 3.1.1). */
const inOrder = (type: string) => type.split(' ').toSorted().join(' ')

/** Those that the client has not registered. The bank may change them: "the service may modify any supplied value". */
async function unregistered(
  { caller }: Context<typeof everything>,
  client: ClientName,
  types: readonly string[],
): Promise<string[]> {
  const stored = (await caller(client)).tpp.registered?.response_types
  const registered = [stored ?? []].flat().map((type) => inOrder(String(type)))
  const left = types.filter((type) => !registered.includes(inOrder(type)))
  if (left.length > 0) return left
  throw new NotApplicable(`the bank registered ${types.join(', ')} as well`)
}

const asking = (type: string) => `the response type ${type}`

const ofType = (
  context: Context<typeof everything>,
  type: string,
  purpose: string,
  client: ClientName = 'first',
) => wrongVisit(context, { client, purpose, deviation: inBoth({ response_type: type }) })

/** What a success may return, in query or fragment. */
const GIVEN = ['code', 'id_token', 'access_token'] as const

/** The finding for a visit that ended at the TPP without an error. */
function grantedFinding(visit: Visit): Finding | undefined {
  if (visit.kind === 'stopped') return undefined
  const { query, fragment, error } = visit.redirect
  const given = GIVEN.filter((name) => query[name] ?? fragment[name])
  const granted = given.length > 0
  if ((!granted && error) ?? fragment.error ?? query.error) return undefined
  return {
    message: granted ? 'the request was granted' : 'the redirect has no error',
    expected: 'an error, or a page of the bank',
    actual: granted ? `${given.join(', ')} at the redirect URI` : 'neither an error nor a code',
  }
}

/** Ends the check with that finding. */
function expectNotGranted(visit: Visit): void {
  noteNegative()
  expectAnswered(visit)
  const finding = grantedFinding(visit)
  expectThat(finding === undefined, { ...(finding as Finding), exchange: visit.last })
}

check(
  'AUTHZ-28/code',
  'A response type that the client has not registered is refused',
  { uses: [everything], refusals: 1 },
  async (context) => {
    for (const type of await unregistered(context, 'first', ['code'])) {
      expectNoCode(await ofType(context, type, asking(type)))
    }
  },
)

/** They differ in what a success would return: an ID token, an access token, nothing, or more than asked. */
const OTHERS = ['id_token', 'token', 'none', 'code id_token token']

/** The ids of the rows of the table for these types, and for the type of the check above. */
const NAMED = ['code', 'id-token', 'token', 'none', 'code-id-token-token']

check(
  'AUTHZ-28/others',
  'Other response types, which nobody registered, are refused',
  {
    asks: [responseType],
    uses: [everything],
    refusals: (foreseen) => [...OTHERS.map(asking), ...foreseenTypes(foreseen)],
    follows: ['AUTHZ-28/code'],
  },
  async (context) => {
    for (const type of context.cases(await unregistered(context, 'first', OTHERS))) {
      expectNotGranted(await ofType(context, type, asking(type)))
    }
    await expectTable(context, {
      ...{ owner: 'AUTHZ-28/others', type: responseType, rows: isOther },
      places: [typePlace(context.target.attended)],
    })
  },
)

/** A type that no check names. */
const isOther = ({ id, lawful, level }: Value<Enumeration, unknown>) =>
  !lawful && level === 'should' && !NAMED.includes(id)

const foreseenTypes = foreseenVisits(responseType, isOther, 'first', {
  placeOf: dearAuthorisation,
  shared: false,
})

/** A visit of the first client with this response type. */
function typePlace(attended: boolean): Place<Enumeration, unknown, typeof everything> {
  return {
    ...dearAuthorisation('first', attended),
    async open(context) {
      const { tpp } = await context.caller()
      const registered = [tpp.registered?.response_types ?? []].flat().map(String)
      const used = 'code id_token'
      return openVisits(context, 'first', {
        right: { allowed: [...new Set([...registered, used])], chosen: [used] },
        wrong: (type: unknown) => inBoth({ response_type: String(type) }),
        judge: grantedFinding,
      })
    },
  }
}

const TYPES = ['code', 'id_token']

check(
  'AUTHZ-28/second-client',
  'A response type that the second client has not registered is refused to it',
  {
    uses: [everything, secondClient],
    needs: ['clients.second'],
    refusals: TYPES.length,
    follows: ['AUTHZ-28/code', 'AUTHZ-28/others'],
  },
  async (context) => {
    await context.approved(secondClient)
    for (const type of context.cases(await unregistered(context, 'second', TYPES))) {
      const purpose = `${asking(type)}, by the second client`
      expectNotGranted(await ofType(context, type, purpose, 'second'))
    }
  },
)
