import { check } from '../../../engine/suite-api/check.ts'
import { expect, expectThat, relyOn } from '../../../engine/suite-api/expect.ts'
import {
  answerOf,
  brief,
  type Exchange,
  member,
  missingFrom,
  type Row,
  shared,
} from '../../../engine/suite-api/responses.ts'
import { COMPRESSED } from '../../compressed.ts'
import { OWNERS } from '../../owners.ts'
import { canonical, firstRead, productsOf, readProducts } from '../common/product-list.ts'

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
  const { headers, client } = context.target.document.products ?? {}
  const what =
    headers || client
      ? 'list of products with what the target gives'
      : 'list of products without access token and client certificate'
  context.observe(what, answerOf(answer), answer)
})

/** Identifies a product, whatever its current rates are. */
const productKey = ({ ProductIdentifier, ProductName }: Row) =>
  JSON.stringify([ProductIdentifier, ProductName])

/**
 * Four requests. Products (by ProductIdentifier and ProductName) in the first and
 * the third answer are in the second, those in the second and the fourth are in the
 * third. Details that are the same in both are the same in the answer between them.
 */
check(
  'PROD-52/second-read',
  'Answers one after the other list the same products with the same content',
  {},
  async (context) => {
    const answers: Exchange[] = []
    while (answers.length < 4) answers.push(await readProducts(context))
    for (const answer of answers) relyOn(OWNERS.products, answer).toSucceed()
    const first = await firstRead(context)
    const last = answers.at(-1) as Exchange
    const [lost] = missingFrom(productsOf(last), productsOf(first), productKey)
    // The list shows current products: one may be withdrawn, but then LastUpdated changes.
    expectThat(lost === undefined || lastUpdated(first) !== lastUpdated(last), {
      message: 'a product of the first answer is not listed any more',
      expected: brief(lost),
      actual: 'a list without it',
      exchange: last,
    })
    // If two servers take turns, the difference shows in the second or in the third answer.
    for (const between of [1, 2]) {
      const [before, now, after] = answers.slice(between - 1, between + 2).map(productsOf)
      const lasting = shared(before ?? [], after ?? [], productKey)
      const [missing] = missingFrom(now ?? [], lasting, productKey)
      expectThat(missing === undefined, {
        message: 'a product of the answers before and after it is missing',
        expected: brief(missing && productKey(missing)),
        actual: `${now?.length} products without it`,
        exchange: answers[between],
        place: '/data',
      })
      const alike = shared(before ?? [], after ?? [], canonical)
      const [other] = missingFrom(now ?? [], alike, canonical)
      expectThat(other === undefined, {
        message: 'a product differs from the answers before and after it',
        expected: brief(other),
        actual: brief(now?.find((each) => other && productKey(each) === productKey(other))),
        exchange: answers[between],
        place: '/data',
      })
    }
  },
)

const lastUpdated = ({ response }: Exchange) => member(response?.json, 'meta', 'LastUpdated')

/** A proxy may compress public documents. */
check(
  'PROD-57/compressed',
  'A client that accepts compressed answers gets the products',
  {},
  async (context) => {
    relyOn(OWNERS.products, await firstRead(context)).toSucceed()
    for (const told of COMPRESSED) {
      const answer = await context.tpp().call('products', told)
      expect(answer).toSucceed()
      relyOn('PROD-05/json', answer).toBeJson()
    }
  },
)
