import type { ClientName } from '../../../engine/suite-api/consents.ts'
import { matchers, relyOn } from '../../../engine/suite-api/expect.ts'
import { OWNERS } from '../../owners.ts'
import type { Place } from '../../tables.ts'
import type { Enumeration } from '../../values/enumeration-terms.ts'
import type { Value } from '../../values/value-type.ts'
import { placeName } from '../common/registration/clients.ts'

/** Parameters of a token request: client_credentials grants of each client. */

/** A value other than those of the document. */
export const isOther = ({ lawful, level }: Value<Enumeration, unknown>) =>
  !lawful && level === 'must'

const CLIENT = { grant_type: 'client_credentials' } as const

type ParameterPlace = Place<Enumeration, unknown>

/** grant_type: the registered ones are correct. */
export function grantTypePlaces(clients: readonly ClientName[]): ParameterPlace[] {
  return parameterPlaces(clients, 'grant_type', (registered) => ({
    allowed: [...new Set([...registered, CLIENT.grant_type])],
    chosen: [CLIENT.grant_type],
  }))
}

const JWT_BEARER = 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer'

/** client_assertion_type: only the URN of jwt-bearer is correct. */
export function assertionTypePlaces(clients: readonly ClientName[]): ParameterPlace[] {
  const right = { allowed: [JWT_BEARER], chosen: [JWT_BEARER] }
  return parameterPlaces(clients, 'client_assertion_type', () => right)
}

function parameterPlaces(
  clients: readonly ClientName[],
  parameter: string,
  rightOf: (grants: readonly string[]) => Enumeration,
): ParameterPlace[] {
  return clients.map((name) => ({
    ...{ name: placeName('token', name), kind: 'token', dear: true },
    async open({ caller }) {
      const { tpp } = await caller(name)
      relyOn(OWNERS.management, await tpp.token(CLIENT)).toSucceed()
      return {
        right: rightOf([tpp.registered?.grant_types ?? []].flat().map(String)),
        ask: (made, deviation) =>
          Array.isArray(made)
            ? tpp.token(CLIENT, { respelled: sentTwice(parameter, made), deviation })
            : tpp.token(CLIENT, { form: { [parameter]: String(made) }, deviation }),
        judge: matchers.toGiveNoToken,
      }
    },
  }))
}

/** The form with these values of the parameter, one after the other, instead of its own. */
function sentTwice(parameter: string, values: readonly string[]): (form: string) => string {
  return (form) => {
    const fields = new URLSearchParams(form)
    fields.delete(parameter)
    for (const value of values) fields.append(parameter, value)
    return fields.toString()
  }
}

/** A parameter that is sent twice. */
export const isSentTwice = ({ lawful, level }: Value<Enumeration, unknown>) =>
  !lawful && level === 'should'
