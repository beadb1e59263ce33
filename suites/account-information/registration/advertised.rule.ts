import { brief, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { LISTS } from '../common/registration/registered-values.ts'

/** What is stored, beside what the configuration advertises. Requirements: specs/account-information/registration.yaml */

/**
 * Grants that need not be listed: DISC-08 leaves refresh_token open, and OpenID Connect
 * Registration 2 has implicit with code id_token, for the ID token beside the code.
 */
const BESIDE = ['refresh_token', 'implicit']

/** RFC 6749 3.1.1: the order of the words of a response type means nothing. */
const inOrder = (value: unknown) => String(value).split(' ').toSorted().join(' ')

/**
 * Every registration 2xx of a correct request, after the configuration was read. Fails: a value of it is not in its list
 * of the configuration, if there is that list.
 */
rule(
  'REG-35/advertised',
  'The values that are stored for a client are among those that the configuration advertises',
  {
    endpoints: ['registration'],
    also: ['discovery'],
    unseen: 'the configuration has no list of such values, or nothing was registered after it',
    rests: ['DISC-01/served'],
    follows: [
      ...['DISC-05/code-id-token', 'DISC-06/private-key-jwt', 'DISC-07/ps256'],
      ...['DISC-08/grant-types', 'REG-05/grant-type', 'REG-05/response-type'],
      ...['REG-05/auth-method', 'REG-05/signing-algorithm', 'REG-11/array'],
      ...['REG-16/code-id-token', 'REG-17/private-key-jwt'],
      ...['REG-18/ps256', 'REG-19/ps256', 'REG-20/ps256'],
    ],
  },
  (exchange, { earlier }) => {
    const { endpoint, about, response } = exchange
    if (!succeeded(exchange) || about.deviation !== undefined) return undefined
    if (endpoint === 'discovery') earlier.set('configuration', response?.json)
    if (endpoint !== 'registration') return undefined
    const told = Object.entries(LISTS).flatMap(([name, list]) => {
      const advertised = member(earlier.get('configuration'), list)
      const values = [member(response?.json, name) ?? []].flat()
      return Array.isArray(advertised) ? [{ name, list, advertised, values }] : []
    })
    if (told.length === 0) return undefined
    return told.flatMap(({ name, list, advertised, values }) => {
      const known = [...BESIDE, ...advertised.map(inOrder)]
      const other = values.find((value) => !known.includes(inOrder(value)))
      if (other === undefined) return []
      const message = `${name} of the client has ${brief(other)}, which ${list} does not have`
      return [{ message, expected: brief(advertised), actual: brief(values), place: `/${name}` }]
    })
  },
)
