import type { Context } from '../../../engine/suite-api/check.ts'
import { DATA_PERMISSIONS } from '../../../engine/suite-api/consents.ts'
import { relyOn } from '../../../engine/suite-api/expect.ts'
import { OWNERS } from '../../owners.ts'
import type { Place } from '../../tables.ts'
import { NINE } from '../../values/consent-enumerations.ts'
import type { Enumeration } from '../../values/enumeration-terms.ts'
import type { Value } from '../../values/value-type.ts'
import { clientsOf } from './clients.ts'
import { create } from './consent-requests.ts'

/** Where Permissions are asked for: the creation of an account access consent, by each client. */

type Row = Value<Enumeration, unknown>

/** Of the sentence on other values, and of the type that the table of fields says. */
export const isOther = ({ level, lawful }: Row) => level === 'must' && !lawful
export const isOfOtherType = ({ level, lawful }: Row) => level === 'should' && !lawful

export function permissionPlaces(context: Context): Place<Enumeration, unknown>[] {
  return clientsOf(context).map((name) => {
    const operation = 'create-account-access-consent'
    return {
      name: name === 'first' ? operation : `${operation}, ${name} client`,
      kind: 'consents',
      async open({ caller }) {
        const client = await caller(name)
        relyOn(OWNERS.consent, await create(client)).toSucceed()
        return {
          right: { allowed: NINE, chosen: DATA_PERMISSIONS },
          ask: (Permissions, deviation) => create(client, { Permissions }, { deviation }),
        }
      },
    }
  })
}
