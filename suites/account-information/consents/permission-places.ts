import type { Context } from '../../../engine/suite-api/check.ts'
import { DATA_PERMISSIONS } from '../../../engine/suite-api/consents.ts'
import { relyOn } from '../../../engine/suite-api/expect.ts'
import { OWNERS } from '../../owners.ts'
import { dear, type Place } from '../../tables.ts'
import { NINE } from '../../values/consent-enumerations.ts'
import type { Enumeration } from '../../values/enumeration-terms.ts'
import type { Nine } from '../../values/permission-company.ts'
import type { Value } from '../../values/value-type.ts'
import { create } from '../common/consents/consent-requests.ts'
import { clientsOf, placeName } from '../common/registration/clients.ts'

/** Permissions in requests: the creation of an account access consent, by each client. */

type Row = Value<Enumeration, unknown>

/** Rows that break the requirement about other values; rows of a type other than that in the table of fields. */
export const isOther = ({ level, lawful }: Row) => level === 'must' && !lawful
export const isOfOtherType = ({ level, lawful }: Row) => level === 'should' && !lawful

/** Values of Permissions, at the creation by each client. */
export function permissionPlaces(context: Context): Place<Enumeration, unknown>[] {
  return creations(context, () => ({ allowed: NINE, chosen: DATA_PERMISSIONS }))
}

/** Sets of the nine. One set of each kind is enough, since each accepted one creates a consent. */
export function companyPlaces(context: Context): Place<Nine, readonly string[]>[] {
  return dear(creations<Nine, readonly string[]>(context, () => ({ allowed: NINE })))
}

function creations<Right, Made>(context: Context, right: () => Right): Place<Right, Made>[] {
  return clientsOf(context).map((name) => ({
    name: placeName('create-account-access-consent', name),
    kind: 'consents',
    async open({ caller }) {
      const client = await caller(name)
      relyOn(OWNERS.consent, await create(client)).toSucceed()
      return {
        right: right(),
        ask: (Permissions, deviation) => create(client, { Permissions }, { deviation }),
      }
    },
  }))
}
