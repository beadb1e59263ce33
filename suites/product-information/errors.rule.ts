import { matchers } from '../../engine/judge/matchers.ts'
import { member } from '../../engine/judge/rows.ts'
import { rule } from '../../engine/judge/rule.ts'
import { brief } from '../../engine/judge/schemas.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'

/** Errors of the product interface. Requirements: specs/product-information/errors.yaml */

const OPTIONS = {
  endpoints: ['products'],
  unseen: 'no request was answered with an error',
} as const

const isError = ({ endpoint, response }: Exchange) =>
  endpoint === 'products' && (response?.status ?? 0) >= 400

rule('PROD-40/json', 'Every error response is JSON', OPTIONS, (exchange) => {
  if (!isError(exchange)) return undefined
  const finding = matchers.toBeJson(exchange)
  return finding ? [finding] : []
})

rule(
  'PROD-41/equals-http-status',
  'The status in the body of an error is that of the response',
  OPTIONS,
  (exchange) => {
    const text = member(exchange.response?.json, 'status')
    if (!isError(exchange) || typeof text !== 'string') return undefined
    const expected = String(exchange.response?.status)
    if (new RegExp(`^${expected}(?!\\d)`).test(text)) return []
    const message = `status is ${brief(text)} in an answer with ${expected}`
    return [{ message, expected, actual: text, place: '/status' }]
  },
)
