import { type Exchange, header } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { CONSENTS, DATA } from '../common/endpoints.ts'

/** Validators of answers, by which a cache asks again. Requirements: specs/account-information/general.yaml */

/**
 * RFC 9110 8.8.1 and 8.8.3. Every 200 to a GET of these endpoints with an ETag that is not weak. Fails: the same address
 * gave the same ETag in the same coding before, and other content, perhaps of another customer.
 */
rule(
  'GEN-41/strong',
  'A strong ETag of an address stands for one content',
  { endpoints: [...CONSENTS, ...DATA], unseen: 'no answer had a strong ETag' },
  (exchange, { earlier }) => {
    const { request, response } = exchange
    const tag = header(exchange, 'etag')?.trim()
    if (![...CONSENTS, ...DATA].includes(exchange.endpoint) || request.method !== 'GET') {
      return undefined
    }
    if (response?.status !== 200 || !tag?.startsWith('"')) return undefined
    const key = `${request.url} ${tag} ${header(exchange, 'content-encoding') ?? ''}`
    const before = earlier.get(key) as Exchange['response']
    if (!before) earlier.set(key, response)
    if (!before || isSame(before, response)) return []
    const message = 'two answers of one address have the same ETag and different contents'
    return [{ message, expected: 'an ETag of its own', actual: tag }]
  },
)

type Response = NonNullable<Exchange['response']>

/** Byte-identical answers are one object. Of a long body only the beginning is kept. */
function isSame(one: Response, other: Response): boolean {
  if (one.json === other.json) return true
  return one.bytes === other.bytes && one.body === other.body
}
