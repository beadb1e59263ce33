import { randomUUID } from 'node:crypto'
import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { ClientName, NamedConsent } from '../../../engine/suite-api/consents.ts'
import { expect, expectThat } from '../../../engine/suite-api/expect.ts'
import { requireExchange, requireValue, type Visit } from '../../../engine/suite-api/flow.ts'
import { claimsOf } from '../../../engine/suite-api/jwt.ts'
import {
  blockBy,
  blockForFreedom,
  blockForTarget,
  NotApplicable,
} from '../../../engine/suite-api/outcomes.ts'
import { type Exchange, rulesBrokenBy, succeeded } from '../../../engine/suite-api/responses.ts'
import { everything, reconfirmed, secondClient, secondCustomer } from '../../consents.ts'
import {
  anotherRegistration,
  expectNoClient,
  softwareStatementOf,
  unregistered,
} from '../common/registration/fresh-registration.ts'
import { stored } from '../common/registration/registered-values.ts'
import { isOneAddress } from '../common/visits/landings.ts'
import { asksLess } from '../common/visits/visits.ts'

/**
 * POST /oauth/register: the organisation of the client, and the names shown
 * to the customer. Requirements: specs/account-information/registration.yaml
 */

check(
  'REG-22/organisation',
  'The customer sees the name of the organisation during consent',
  { uses: [everything], over: [secondCustomer] },
  async (context, consent) => {
    const name = await nameShown(context, 'org_name')
    if (name === undefined)
      blockForTarget('an org_name in the registration or the software statement')

    await expectShown(context, name, consent)
  },
)

check(
  'REG-22/on-behalf-of',
  'The customer sees on whose behalf the client asks',
  { uses: [everything], over: [secondCustomer] },
  async (context, consent) => {
    const name = await nameShown(context, 'software_on_behalf_of')
    if (name === undefined) {
      throw new NotApplicable(
        'neither the registered client nor its statement says on whose behalf',
      )
    }

    await expectShown(context, name, consent)
  },
)

/**
 * Both names on the pages of a granted visit of the second client, and they are
 * its own. Blocked where the names of the first client are not shown either.
 */
check(
  'REG-22/second-client',
  'The customer sees the names of the client that asks, not those of another',
  { uses: [everything, secondClient], needs: ['clients.second'] },
  async (context) => {
    context.tpp('second')
    const first = (await context.approved(everything)).visit
    for (const member of ['org_name', 'software_on_behalf_of']) {
      const own = await nameShown(context, member)
      const name = await nameShown(context, member, 'second')
      if (name === undefined || own === undefined) continue
      if (!shows(first, own)) relyOnName(member, first)
      await expectShown(context, name, secondClient)
    }
  },
)

/** Both names on the pages of the re-confirmation visit. Not applicable where a login alone confirms. */
check(
  'REG-22/again',
  'The customer sees the names of the client when the consent is re-confirmed, too',
  { uses: [everything, reconfirmed] },
  async (context) => {
    const first = (await context.approved(everything)).visit
    for (const member of ['org_name', 'software_on_behalf_of']) {
      const name = await nameShown(context, member)
      if (name === undefined) continue
      if (!shows(first, name)) relyOnName(member, first)
      const { visit } = await context.approved(reconfirmed)
      if (asksLess(visit, first) && !shows(visit, name)) {
        throw new NotApplicable('a re-confirmation has no page that asks for consent')
      }
      await expectShown(context, name, reconfirmed)
    }
  },
)

/** What a software statement says of the organisation, each with another value. */
const NAMES = {
  ...{ org_id: 'another-organisation', org_name: 'Another Organisation' },
  software_on_behalf_of: 'Another Principal',
}

/**
 * Compare the members that both the response of REG-08/created and the statement have, for each
 * client. Fails: one differs. Blocked when they share none.
 */
check(
  'REG-29/from-statement',
  'The organisation of the registered client is that of the software statement',
  {},
  async (context) => {
    const step = await context.steps.registration()
    const exchange = requireExchange(step)
    requireValue(step)
    const names = Object.keys(NAMES)
    const compare = (exchange: Exchange, statement: Record<string, unknown> | undefined) => {
      const there = names.filter(
        (name) => stated(statement, name) !== undefined && stored(exchange, name) !== undefined,
      )
      for (const name of there) expect(exchange).toHaveMember(name, stated(statement, name))
      return there.length
    }
    const compared = compare(exchange, softwareStatementOf(context))
    const { second } = context.target.clients
    const other = second && (await context.steps.registration('second')).exchange
    if (other && succeeded(other)) compare(other, claimsOf(second?.softwareStatement ?? ''))
    if (compared === 0)
      blockForFreedom('a registration response with members of the software statement')
  },
)

/**
 * A correct registration with client_id, a registration_access_token and names in its JWT, which the software statement
 * inside does not have. Refused, or 2xx with values of the bank and of the statement.
 */
check(
  'REG-36/not-adopted',
  'A registration cannot choose its client_id, nor other names than those of its software statement',
  { registers: true },
  async (context) => {
    await anotherRegistration(context)
    const statement = softwareStatementOf(context)
    const issued = { client_id: randomUUID(), registration_access_token: randomUUID() }
    const tpp = await unregistered(context)
    const deviation = 'client_id and names beside the software statement'
    const answer = await tpp.register({ jwt: { claims: { ...issued, ...NAMES } }, deviation })
    if (!succeeded(answer)) return expectNoClient(answer)
    const named = Object.entries(NAMES).filter(([name]) => stated(statement, name) !== undefined)
    const taken = [...Object.entries(issued), ...named]
      .filter(([name, value]) => stored(answer, name) === value)
      .map(([name]) => name)
    expectThat(taken.length === 0, {
      message: `the bank took ${taken.join(' and ')} from the request`,
      expected: 'values of its own and of the software statement, or a refusal',
      actual: 'those of the request',
      exchange: answer,
      place: `/${taken[0]}`,
    })
  },
)

check(
  'REG-04/redirect-uris',
  'No redirect URI is registered that the software statement does not have',
  {},
  async (context) =>
    comparedWithStatement(context, 'software_redirect_uris', (exchange, allowed) => {
      const given = stored(exchange, 'redirect_uris')
      if (!Array.isArray(allowed) || !Array.isArray(given)) return false
      const strange = given.find(
        (uri) => !allowed.some((one) => isOneAddress(String(one), String(uri))),
      )
      expectThat(strange === undefined, {
        message: `${String(strange)} is registered`,
        expected: `redirect URIs out of ${allowed.join(', ')}`,
        actual: given.join(', '),
        exchange,
        place: '/redirect_uris',
      })
      return true
    }),
)

check(
  'REG-31/jwks-uri',
  'The jwks_uri of the registered client is that of the software statement',
  {},
  async (context) =>
    comparedWithStatement(context, 'software_jwks_endpoint', (exchange, wanted) => {
      // A bank need not show from where it reads the keys.
      if (stored(exchange, 'jwks_uri') !== undefined) {
        expect(exchange).toHaveMember('jwks_uri', wanted)
      }
      return true
    }),
)

check(
  'REG-31/on-behalf-of',
  'The registered client has the OnBehalfOf value of the software statement',
  {},
  async (context) =>
    comparedWithStatement(context, 'software_on_behalf_of', (exchange, wanted) => {
      const absent = stored(exchange, 'software_on_behalf_of') === undefined
      const rule = 'REG-28/all-fields'
      if (absent && rulesBrokenBy(exchange).includes(rule)) {
        blockBy(rule, 'the answer lacks other fields as well', exchange)
      }
      expect(exchange).toHaveMember('software_on_behalf_of', wanted)
      return true
    }),
)

/**
 * Compares the registration of each client with a claim of its software
 * statement. Not applicable where this run registered no client.
 */
async function comparedWithStatement(
  context: Context,
  claim: string,
  compare: (exchange: Exchange, value: unknown) => boolean,
): Promise<void> {
  let compared = false
  const steps: Awaited<ReturnType<typeof context.steps.registration>>[] = []
  const { second } = context.target.clients
  for (const client of context.cases(
    second ? (['first', 'second'] as const) : (['first'] as const),
  )) {
    const step = await context.steps.registration(client)
    steps.push(step)
    const { exchange } = step
    const value = stated(claimsOf(context.tpp(client).client.softwareStatement ?? ''), claim)
    if (exchange && succeeded(exchange) && value !== undefined) {
      compared = compare(exchange, value) || compared
    }
  }
  if (compared) return
  const [step] = steps
  if (step && steps.every(({ exchange }) => !exchange)) requireExchange(step)
  if (step && steps.every(({ value }) => value === undefined)) requireValue(step)
  blockForFreedom(`a registration response, and a software statement with ${claim}`)
}

/** The name that the bank stored for a client, or else that of its software statement. */
async function nameShown(
  context: Context,
  name: string,
  client: ClientName = 'first',
): Promise<string | undefined> {
  const step = await context.steps.registration(client)
  const tpp = requireValue(step)
  const statement = claimsOf(tpp.client.softwareStatement ?? '')
  const value = stated(tpp.registered, name) ?? stated(statement, name)
  if (value === undefined && !step.exchange && !statement) {
    throw new NotApplicable('neither a registration nor a software statement gives the name')
  }
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** A claim about the software, under its name or, as in the Open Banking Directory, with the ending _org. */
function stated(claims: Record<string, unknown> | undefined, name: string): unknown {
  return claims?.[name] ?? claims?.[`${name}_org`]
}

/**
 * Does a page show the name as a customer reads it? The bank decides on line
 * breaks and markup, so white space and invisible characters are ignored.
 */
const shows = ({ pages }: Visit, name: string) =>
  pages.some(({ text }) => letters(text).includes(letters(name)))

const letters = (text: string) =>
  text
    .normalize('NFKC')
    .replace(/[\s\p{Cf}]/gu, '')
    .toLowerCase()

/** Ends the check as blocked by the one that judges this name for the first client. */
function relyOnName(member: string, visit: Visit): never {
  const id = member === 'org_name' ? 'REG-22/organisation' : 'REG-22/on-behalf-of'
  blockBy(id, 'the first approval’s is not shown either', visit.last)
}

async function expectShown<Used extends NamedConsent>(
  context: Context<Used>,
  name: string,
  consent: Used,
): Promise<void> {
  const { visit } = await context.approved(consent)
  if (visit.pages.length === 0) throw new NotApplicable('the driver does not show the pages')
  expectThat(shows(visit, name), {
    message: `no page says ${name}`,
    expected: `a page that says ${name}`,
    actual: `${visit.pages.length} pages without it`,
    exchange: visit.last ?? visit.first,
  })
}
