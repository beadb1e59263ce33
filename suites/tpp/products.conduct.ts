/** Requests for products. Requirements: specs/tpp/products.yaml */
import { conduct } from '../../engine/suite-api/certification.ts'
import { mediaTypes, sent, unless } from './common/messages.ts'

conduct(
  'PROD-02/request',
  'products are asked for as JSON, without body and parameters',
  { endpoints: ['products'], unseen: 'the client reads no products' },
  (exchange) => {
    if (exchange.endpoint !== 'products') return undefined
    const { body, url } = exchange.request
    const [type, accept] = [sent(exchange, 'content-type'), sent(exchange, 'accept')]
    const wrong = [
      mediaTypes(type).some((each) => each !== 'application/json') &&
        `Content-Type ${type ?? 'none'}`,
      !mediaTypes(accept).includes('application/json') && `Accept ${accept ?? 'none'}`,
      body && 'a body',
      new URL(url).search && 'parameters',
    ].filter(Boolean)
    return unless(wrong.length === 0, {
      message: 'the request is not as the document shows it',
      expected: 'Content-Type and Accept application/json, no body, no parameters',
      actual: wrong.join(', '),
    })
  },
)
