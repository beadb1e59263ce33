/** The list of products. Requirements: specs/tpp/products.yaml */
import { scenario } from '../../engine/suite-api/certification.ts'
import { Nonconformance } from '../../engine/suite-api/outcomes.ts'
import { givesUp, lastSaid, neverGivesUp, requireAltered, requireRefusal } from './common/expect.ts'

scenario({
  id: 'TPRD-01/read',
  title: 'a client reads the list of products',
  right: 'It reads the list by one request without parameters.',
  steps: ['products'],
  judge(run) {
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
  },
})

scenario({
  id: 'TPRD-02/unavailable',
  title: 'the list of products is answered with 503',
  right: 'It gives up after some attempts, and says so.',
  alteration: 'products-unavailable',
  ...neverGivesUp,
  steps: ['products'],
  judge(run) {
    const altered = requireAltered(run, 'reads products')
    givesUp(run.altered)
    requireRefusal(run, 'an answer of 503', altered)
  },
})
