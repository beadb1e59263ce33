import { brief, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'

/** How the keys of the bank are written. Requirements: specs/account-information/discovery.yaml */

/** RFC 7517 4.5, RFC 7518 2 and 6.3.1. Every JWK Set that is served. Fails: a modulus or exponent in another encoding, or with an octet before it; two keys with one kid. */
rule(
  'DISC-17/well-formed',
  'Each RSA key of the JWK Set is written as RFC 7518 says, and has a kid of its own',
  { endpoints: ['jwks'] },
  (exchange) => {
    if (exchange.endpoint !== 'jwks' || !succeeded(exchange)) return undefined
    const keys = member(exchange.response?.json, 'keys')
    if (!Array.isArray(keys)) return undefined
    const kids = keys.map((key) => member(key, 'kid')).filter((kid) => kid !== undefined)
    const twice = kids.find((kid, at) => kids.indexOf(kid) < at)
    const repeated: Finding[] =
      twice === undefined
        ? []
        : [
            {
              message: `two keys have the kid ${brief(twice)}`,
              expected: 'a kid of its own',
              actual: 'one kid',
              place: '/keys',
            },
          ]
    return [...keys.flatMap(integers), ...repeated]
  },
)

/** What is wrong with the numbers of one key. */
function integers(key: unknown, at: number): Finding[] {
  if (member(key, 'kty') !== 'RSA') return []
  return ['n', 'e'].flatMap((name) => {
    const text = member(key, name)
    if (typeof text !== 'string') return []
    const place = `/keys/${at}/${name}`
    if (!/^[\w-]+$/.test(text)) {
      return [
        {
          message: `${name} is no base64url`,
          expected: 'base64url without padding',
          actual: 'another encoding',
          place,
        },
      ]
    }
    if (Buffer.from(text, 'base64url')[0] !== 0) return []
    return [
      {
        message: `${name} begins with an octet of zeros`,
        expected: 'as few octets as the number has',
        actual: 'one octet more',
        place,
      },
    ]
  })
}
