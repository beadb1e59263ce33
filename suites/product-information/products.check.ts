import { check } from '../../engine/journey/context.ts'
import { OWNERS } from '../../engine/journey/steps.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { answerOf } from '../../engine/judge/matchers.ts'
import { missingFrom, type Row, shared } from '../../engine/judge/rows.ts'
import { brief } from '../../engine/judge/schemas.ts'
import { firstRead, productsOf, readProducts } from './product-list.ts'

/** GET /consumer-credit-cards. Requirements: specs/product-information/products.yaml */

check('PROD-01/answers-200', 'GET /consumer-credit-cards answers 200', {}, async (context) => {
  expect(await firstRead(context)).toHaveStatus(200)
})

check(
  'PROD-03/recorded',
  'What a request for the products without its headers, or with others, gives',
  {},
  async (context) => {
    context.unlessAbsent('products')
    const others = {
      'no Content-Type': { 'Content-Type': undefined },
      'Accept */*': { Accept: '*/*' },
      'Accept text/html': { Accept: 'text/html' },
    }
    for (const [deviation, headers] of Object.entries(others)) {
      const answer = await context.tpp().call('products', { headers, deviation })
      context.observe(`list of products, ${deviation}`, answerOf(answer), answer)
    }
  },
)

check('PROD-04/recorded', 'Whether the list of products is public', {}, async (context) => {
  const answer = await firstRead(context)
  const what = 'list of products without access token and client certificate'
  context.observe(what, answerOf(answer), answer)
})

/** What tells a product from another, whatever its rates are at the moment. */
const productKey = ({ ProductIdentifier, ProductName }: Row) =>
  JSON.stringify([ProductIdentifier, ProductName])

check(
  'PROD-52/second-read',
  'Answers one after the other list the same products',
  {},
  async (context) => {
    const answers = [
      await readProducts(context),
      await readProducts(context),
      await readProducts(context),
    ] as const
    for (const answer of answers) relyOn(OWNERS.products, answer)
    const [first, second, third] = answers.map(productsOf) as [Row[], Row[], Row[]]
    const [missing] = missingFrom(second, shared(first, third, productKey), productKey)
    expectThat(missing === undefined, {
      message: 'a product of the answers before and after it is missing',
      expected: brief(missing && productKey(missing)),
      actual: `${second.length} products without it`,
      exchange: answers[1],
      place: '/data',
    })
  },
)
