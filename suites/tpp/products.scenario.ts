/** The list of products. Requirements: specs/tpp/products.yaml */
import { type ScenarioRun, scenario } from '../../engine/suite-api/certification.ts'
import { Nonconformance } from '../../engine/suite-api/outcomes.ts'
import { givesUpAndSaysSo, lastSaid, neverGivesUp, requireAltered } from './common/expect.ts'

/** The bank gave the list, and the client says that it has it. */
function readsTheList(run: ScenarioRun): void {
  const answered = run.exchanges.some(
    ({ endpoint, response }) => endpoint === 'products' && response?.status === 200,
  )
  if (answered && lastSaid(run).end === 'done') return
  throw new Nonconformance({
    message: answered ? 'the client gave up although nothing was wrong' : 'no list was read',
    expected: 'GET /consumer-credit-cards, answered with 200',
    actual: `it says: ${lastSaid(run).words || lastSaid(run).end}`,
    exchange: run.exchanges.at(-1),
  })
}

scenario({
  id: 'TPRD-01/read',
  title: 'a client reads the list of products',
  right: 'It reads the list by one request without parameters.',
  steps: ['products'],
  judge: readsTheList,
})

for (const [id, alteration, title] of [
  ['TPRD-03/least', 'products-with-the-least', 'no product has a member that is not required'],
  [
    'TPRD-03/not-live',
    'no-product-is-live',
    'no product is live: ProductURL and TsandCs are empty',
  ],
  [
    'TPRD-03/other-words',
    'products-in-other-words',
    'rates, amounts and LastUpdated are texts of any form, and a product has several URLs',
  ],
  [
    'TPRD-03/unknown-members',
    'more-members-everywhere',
    'every object of the list has members that no table knows',
  ],
] as const) {
  scenario({
    id,
    title,
    right: 'It reads what there is.',
    alteration,
    steps: ['products'],
    judge(run) {
      requireAltered(run, 'reads products')
      readsTheList(run)
    },
  })
}

scenario({
  id: 'TPRD-04/none',
  title: 'the bank has no current product: the list is empty',
  right: 'How it handles that is recorded.',
  alteration: 'no-product',
  steps: ['products'],
  judge(run) {
    requireAltered(run, 'reads products')
    const { end, words } = lastSaid(run)
    run.observe(
      'without any product the client says',
      end === 'done' ? 'that it has the list' : words,
    )
  },
})

for (const [id, alteration, title, what] of [
  [
    'TPRD-02/unavailable',
    'products-unavailable',
    'the list of products is answered with 503',
    'an answer of 503',
  ],
  [
    'TPRD-02/internal-error',
    'products-in-error',
    'the list of products is answered with 500',
    'an answer of 500',
  ],
  [
    'TPRD-02/not-found',
    'products-not-found',
    'the list of products is answered with 404',
    'an answer of 404',
  ],
  [
    'TPRD-05/page',
    'a-page-instead-of-products',
    'the list of products is answered with 200 and a page of the portal',
    'a page instead of a list',
  ],
] as const) {
  scenario({
    id,
    title,
    right: 'It gives up after some attempts, and says so.',
    alteration,
    ...neverGivesUp,
    steps: ['products'],
    judge: (run) => givesUpAndSaysSo(run, 'reads products', what),
  })
}
