import { claimsOf } from '../../engine/client/jwt.ts'
import type { ClientName, NamedConsent } from '../../engine/journey/consent.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { exchangeOf, taken } from '../../engine/journey/steps.ts'
import type { Visit } from '../../engine/journey/visit.ts'
import { expect, expectThat } from '../../engine/judge/expect.ts'
import { Blocked, lacking, NotApplicable } from '../../engine/judge/outcome.ts'
import { everything, secondClient } from '../consents.ts'
import { softwareStatementOf } from './common/fresh-registration.ts'
import { stored } from './common/registered-values.ts'

/**
 * POST /oauth/register: whose client it is, and who is shown to the customer.
 * Requirements: specs/account-information/registration.yaml
 */

check(
  'REG-22/organisation',
  'The customer sees the name of the organisation during consent',
  { uses: ['everything'] },
  async (context) => {
    const name = await nameShown(context, 'org_name')
    if (name === undefined) lacking('an org_name in the registration or the software statement')

    await expectShown(context, name)
  },
)

check(
  'REG-22/on-behalf-of',
  'The customer sees on whose behalf the client asks',
  { uses: ['everything'] },
  async (context) => {
    const name = await nameShown(context, 'software_on_behalf_of')
    if (name === undefined) {
      throw new NotApplicable(
        'neither the registered client nor its statement says on whose behalf',
      )
    }

    await expectShown(context, name)
  },
)

check(
  'REG-22/second-client',
  'The customer sees the names of the client that asks, not those of another',
  { uses: ['everything', 'second client'] },
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

check(
  'REG-29/from-statement',
  'The organisation of the registered client is that of the software statement',
  {},
  async (context) => {
    const exchange = exchangeOf(await context.steps.registration())
    const statement = softwareStatementOf(context)
    const names = ['org_id', 'org_name', 'software_on_behalf_of'].filter(
      (name) => stated(statement, name) !== undefined && stored(exchange, name) !== undefined,
    )
    if (names.length === 0)
      lacking('a registration response with members of the software statement')

    for (const name of names) expect(exchange).toHaveMember(name, stated(statement, name))
  },
)

/** The name that the bank stored for a client, else that of its software statement. */
async function nameShown(
  context: Context,
  name: string,
  client: ClientName = 'first',
): Promise<string | undefined> {
  const step = await context.steps.registration(client)
  const tpp = taken(step)
  const statement = claimsOf(tpp.client.softwareStatement ?? '')
  const value = stated(tpp.registered, name) ?? stated(statement, name)
  if (value === undefined && !step.exchange && !statement) {
    throw new NotApplicable('neither a registration nor a software statement gives the name')
  }
  return typeof value === 'string' && value.trim() !== '' ? value : undefined
}

/** A claim of the software; the Open Banking Directory adds _org to one of them. */
function stated(claims: Record<string, unknown> | undefined, name: string): unknown {
  return claims?.[name] ?? claims?.[`${name}_org`]
}

const plain = (text: string) => text.replace(/\s+/g, ' ').trim().toLowerCase()

const shows = ({ pages }: Visit, name: string) =>
  pages.some(({ text }) => plain(text).includes(plain(name)))

/** Ends the check as blocked by the one that asks for this name of the first client. */
function relyOnName(member: string, visit: Visit): never {
  const id = member === 'org_name' ? 'REG-22/organisation' : 'REG-22/on-behalf-of'
  throw new Blocked({ kind: 'check', id }, 'the first client’s is not shown either', visit.last)
}

async function expectShown(
  context: Context,
  name: string,
  consent: NamedConsent = everything,
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
