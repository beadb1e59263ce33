import type { Context } from '../../../../engine/suite-api/check.ts'
import { fundsConfirmationBody } from '../../../../engine/suite-api/consents.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import { type CallDeviation, type Caller, requireValue } from '../../../../engine/suite-api/flow.ts'
import { blockForTarget } from '../../../../engine/suite-api/outcomes.ts'
import { type Exchange, percentEncoded, refused } from '../../../../engine/suite-api/responses.ts'
import { OWNERS } from '../../../owners.ts'
import { requireConsentId } from './consent-requests.ts'

export const FUNDS = '/funds-confirmation-consents'

export const fundsPath = (id: string) => `${FUNDS}/${percentEncoded(id)}`

/** A client that can create these consents, after their path is known. */
export async function atWork({ steps, caller }: Context): Promise<Caller> {
  requireValue(await steps.fundsConfirmation())
  return caller()
}

/** The same, after the path of their deletion is known too. */
export async function ableToDelete(context: Context): Promise<Caller> {
  const client = await atWork(context)
  requireValue(await context.steps.fundsDeletion())
  return client
}

/** POST with these members in Data, or in its DebtorAccount; a member that is undefined is left out. */
export function create(
  caller: Caller,
  { data, account }: { data?: Record<string, unknown>; account?: Record<string, unknown> } = {},
  deviation?: CallDeviation,
): Promise<Exchange> {
  const { Data, Risk } = fundsBody(caller)
  const DebtorAccount = { ...(Data.DebtorAccount as object), ...account }
  return caller.post(FUNDS, { Data: { ...Data, DebtorAccount, ...data }, Risk }, deviation)
}

/** The optional members of a DebtorAccount. */
export const NAMES = { Name: 'A N Other', SecondaryIdentification: '0001' }

/**
 * The creation of a consent with both names, and the names that the bank accepts. Both are "assigned by the servicing
 * institution": a bank may refuse unknown ones, and is then asked with those of the target's customers.
 */
export async function createNamed(
  caller: Caller,
  data?: Record<string, unknown>,
): Promise<{ created: Exchange; names: typeof NAMES }> {
  const { first, second } = caller.tpp.target.document.customers
  const ask = (account: Partial<typeof NAMES>) => create(caller, { account, ...(data && { data }) })
  let names = NAMES
  let created = await ask(names)
  if (!refused(created)) return { created, names }
  for (const each of [first, second].flatMap(namesOf)) {
    names = each
    created = await ask(names)
    if (!refused(created)) return { created, names }
  }
  const isGiven = [first, second].some((customer) => customer?.secondaryIdentification)
  if (!isGiven && !refused(await ask({ Name: names.Name })))
    blockForTarget('secondaryIdentification of a customer: the bank refuses one that is made up')
  if (names === NAMES) blockForTarget('names of a customer: the bank refuses one that is made up')
  return { created, names }
}

type Customer = Caller['tpp']['target']['document']['customers']['first']

/** What the bank may have assigned to accounts of a customer. */
function namesOf(customer: Customer | undefined): (typeof NAMES)[] {
  const { names = [], secondaryIdentification } = customer ?? {}
  const SecondaryIdentification = secondaryIdentification ?? NAMES.SecondaryIdentification
  const all = secondaryIdentification === undefined ? names : [NAMES.Name, ...names]
  return all.map((Name) => ({ Name, SecondaryIdentification }))
}

/** The correct request, with the scheme that the bank accepts. */
export function fundsBody(caller: Caller) {
  return fundsConfirmationBody(caller.tpp.target, caller.funds().scheme)
}

/** The id of a new consent; its creation is the control of later requests. */
export async function newFundsId(caller: Caller): Promise<string> {
  const exchange = await create(caller)
  relyOn(OWNERS.fundsConfirmation, exchange).toSucceed()
  return requireConsentId(exchange, 'FCC-07/consent-id')
}
