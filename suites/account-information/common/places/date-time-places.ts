import type { Context } from '../../../../engine/suite-api/check.ts'
import { DAY, now } from '../../../../engine/suite-api/clock.ts'
import { expect, relyOn } from '../../../../engine/suite-api/expect.ts'
import type { CallDeviation, Caller } from '../../../../engine/suite-api/flow.ts'
import type { Exchange } from '../../../../engine/suite-api/responses.ts'
import { OWNERS } from '../../../owners.ts'
import type { Place } from '../../../tables.ts'
import type { Instant } from '../../../values/date-time-rows.ts'
import type { Value } from '../../../values/value-type.ts'
import { fundsConfirmation } from '../consents/consent-kinds.ts'
import { create } from '../consents/consent-requests.ts'
import { create as createForFunds } from '../consents/funds-consents.ts'
import { clientsOf, placeName } from '../registration/clients.ts'

/** Date-times in requests: the members of both kinds of consent, by each client. */

type Row = Value<Instant, unknown>

/** Rows that are not a date-time. */
export const isMalformed = ({ lawful, level }: Row) => !lawful && level === 'should'

/** Rows with a date-time in UTC in an unusual spelling. */
export const isSpelled = ({ id, lawful, level }: Row) =>
  lawful === true && level === 'must' && id !== 'exact'

/** Days from now, and the owner of the correct request with it. */
const FIELDS = {
  ExpirationDateTime: { days: 30, owner: OWNERS.consentWithExpiry },
  TransactionFromDateTime: { days: -200, owner: OWNERS.consentWithPeriod },
  TransactionToDateTime: { days: -100, owner: OWNERS.consentWithPeriod },
} as const

export type Field = keyof typeof FIELDS

export const FIELD_NAMES = Object.keys(FIELDS) as readonly Field[]

/** A usual instant for a member, in whole seconds, which every spelling of the table can express. */
export const instantOf = (field: Field): number =>
  Math.floor((now() + FIELDS[field].days * DAY) / 1000) * 1000

/** Whether the check that owns the correct request judges it, or this check. */
type Control = 'of its owner' | 'judged here'

interface Creation {
  name: string
  field: Field
  owner: string
  control: Control
  client(): Promise<Caller>
  create(client: Caller, data: Record<string, unknown>, wrong?: CallDeviation): Promise<Exchange>
}

type DateTimePlace = Place<Instant, unknown>

/** Creation of an account access consent, with one of these members. */
export function dateTimePlaces(
  context: Context,
  fields: readonly Field[],
  control: Control,
): DateTimePlace[] {
  return clientsOf(context).flatMap((client) =>
    fields.map((field) =>
      placeOf({
        ...{ name: placeName('create-account-access-consent', client), field, control, create },
        owner: FIELDS[field].owner,
        client: () => context.caller(client),
      }),
    ),
  )
}

/** Creation of a funds confirmation consent, with an ExpirationDateTime. */
export async function fundsDateTimePlaces(
  context: Context,
  control: Control,
): Promise<DateTimePlace[]> {
  return (await fundsConfirmation.creators(context)).map((client) =>
    placeOf({
      name: placeName('create-funds-confirmation-consent', client),
      ...{ field: 'ExpirationDateTime' as const, control },
      owner: OWNERS.fundsWithExpiry,
      client: () => context.caller(client),
      create: (caller, data, wrong) => createForFunds(caller, { data }, wrong),
    }),
  )
}

function placeOf({ name, field, owner, control, ...creation }: Creation): DateTimePlace {
  return {
    ...{ name: `${field} of ${name}`, kind: 'consents' },
    async open() {
      const client = await creation.client()
      const instant = instantOf(field)
      const right = { [field]: new Date(instant).toISOString().replace('.000Z', 'Z') }
      const answer = await creation.create(client, right)
      if (control === 'judged here') expect(answer).toSucceed()
      else relyOn(owner, answer).toSucceed()
      return {
        right: { instant },
        ask: (made, deviation) => creation.create(client, { [field]: made }, { deviation }),
      }
    },
  }
}
