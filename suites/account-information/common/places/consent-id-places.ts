import type { Context } from '../../../../engine/suite-api/check.ts'
import type { ClientName } from '../../../../engine/suite-api/consents.ts'
import { matchers } from '../../../../engine/suite-api/expect.ts'
import { percentDecoded, refused } from '../../../../engine/suite-api/responses.ts'
import type { Place } from '../../../tables.ts'
import type { ConsentIds } from '../../../values/identifier.ts'
import type { Value } from '../../../values/value-type.ts'
import { accountAccess, type ConsentKind, fundsConfirmation } from '../consents/consent-kinds.ts'
import { clientsOf } from '../registration/clients.ts'

/** ConsentIds in paths: the query, and the deletion of both kinds. */

type IdPlace = Place<ConsentIds, string>
type Row = Value<ConsentIds, string>

/** Rows of the requirement on invalid ids: after any decoding or trimming it is still another id. */
export const isInvalid = ({ level, lawful }: Row) => level === 'must' && !lawful
/** Texts that only a reader that trims, unquotes or decodes twice treats as the id. */
export const isNearlyRight = ({ level, lawful }: Row) => level === 'should' && !lawful
/** Percent-encoded spellings, which are the same id by RFC 3986. */
export const isEquivalent = ({ level, lawful }: Row) => level === 'should' && lawful === true

const OPERATIONS = {
  query: 'query-account-access-consent',
  'delete-account-access': 'delete-account-access-consent',
  'delete-funds-confirmation': 'delete-funds-confirmation-consent',
} as const

type Operation = keyof typeof OPERATIONS

const nameOf = (operation: Operation, client: ClientName) =>
  client === 'first' ? OPERATIONS[operation] : `${OPERATIONS[operation]}, ${client} client`

/** The places that this bank serves, over which the rows are spread. */
export async function allIdPlaces(context: Context): Promise<IdPlace[]> {
  const ofFunds = await deletedFundsIds(context).catch(() => [])
  return [...queriedIds(context), ...(await deletedIds(context)), ...ofFunds]
}

function idPlaces(
  operation: Operation,
  kind: ConsentKind,
  clients: readonly ClientName[],
): IdPlace[] {
  return clients.map((name) => ({
    ...{ name: nameOf(operation, name), kind: 'consents' },
    async open(context) {
      // The older consent is used: if the bank counts, the next id exists too.
      const older = await kind.create(context, name)
      const newer = await kind.create(context, name)
      const { client } = newer
      // If only the newest consent may await authorisation, that one is used.
      const alone = !kind.funds && refused(await client.get(older.path))
      const { path } = alone ? newer : older
      const collection = path.slice(0, path.lastIndexOf('/'))
      const method = operation === 'query' ? 'get' : 'delete'
      return {
        right: { id: idIn(path), ofOthers: alone ? {} : { own: idIn(newer.path) } },
        ask: (made, deviation) => client[method](`${collection}/${made}`, { deviation }),
        judge: (answer) => matchers.toBeAnError(answer),
      }
    },
  }))
}

const idIn = (path: string) => percentDecoded(path.slice(path.lastIndexOf('/') + 1))

export const queriedIds = (context: Context): IdPlace[] =>
  idPlaces('query', accountAccess, clientsOf(context))

export const deletedIds = async (context: Context): Promise<IdPlace[]> =>
  idPlaces('delete-account-access', accountAccess, await accountAccess.clients(context))

/** Blocked where the bank does not serve such consents. */
export const deletedFundsIds = async (context: Context): Promise<IdPlace[]> =>
  idPlaces('delete-funds-confirmation', fundsConfirmation, await fundsConfirmation.clients(context))
