import { expect, test } from 'vitest'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { DATA_PERMISSIONS } from '../../engine/client-session/consent.ts'
import { type Move, meaningful, type Party } from '../../engine/model/moves.ts'
import { obligationOf, REQUIREMENTS, requirementOf } from '../../engine/model/sentences.ts'
import { after, type Happened, NOTHING, type Outcome } from '../../engine/model/world.ts'

import type { DataEndpoint } from '../../engine/wire/exchange.ts'

const ALL = ['ReadAccountsDetail', 'ReadBalances', 'ReadTransactionsDetail']

const create = (consent: string, client: Party = 'first', permissions = ALL) => ({
  ...{ do: 'create' as const, consent, client, permissions },
})
const funds = (consent: string): Move => ({ do: 'create-funds', consent, client: 'first' })
const query = (consent: string, client: Party = 'first'): Move => ({ do: 'query', consent, client })
const remove = (consent: string, client: Party = 'first'): Move => ({
  ...{ do: 'delete', consent, client },
})
const approve = (consent: string, code: string, customer: Party = 'first'): Move => ({
  ...{ do: 'approve', consent, client: 'first', customer, code },
})
const approveBySecond = (consent: string): Move => ({
  ...{ do: 'approve', consent, client: 'second', customer: 'first', code: 'x' },
})
const deny = (consent: string): Move => ({
  ...{ do: 'deny', consent, client: 'first', customer: 'first' },
})
const exchange = (code: string, client: Party = 'first'): Move => ({ do: 'exchange', code, client })
const refresh = (consent: string, client: Party = 'first'): Move => ({
  ...{ do: 'refresh', consent, client },
})
const read = (consent: string, what: DataEndpoint = 'accounts'): Move => ({
  ...{ do: 'read', what, consent, present: true },
})
const fact = (
  name: 'customer-revokes' | 'ninety-days-passed' | 'token-expired',
  of: string,
): Move => ({
  ...{ do: 'fact', fact: name, consent: of },
})

/** A move, or one with what came of it where that is not what it asks for. */
type Said = Move | [Move, Outcome]

function worldOf(said: readonly Said[]) {
  return said.reduce((world, each) => {
    const [move, outcome]: [Move, Outcome] = Array.isArray(each) ? each : [each, 'given']
    const happened: Happened = { move, outcome, refreshable: true }
    return after(world, happened)
  }, NOTHING)
}

const CONNECTED: Said[] = [create('c'), approve('c', 'a'), exchange('a')]

/** What happened, then what is asked, and the requirement with what it asks for; nothing where no sentence speaks. */
const ROWS: [name: string, before: Said[], move: Move, says: string | undefined][] = [
  ['a consent for all data', [], create('c', 'first', DATA_PERMISSIONS), 'CONS-01 given'],
  ['a set of permissions that was never taken', [], create('c'), undefined],
  ['one with an expiry', [create('c')], { ...create('d'), expiresInDays: 9 }, 'CONS-13 given'],
  ['one with a period', [create('c')], { ...create('d'), fromDays: -9 }, 'CONS-14 given'],
  ['one that was taken before', [create('c')], create('d'), 'CONS-01 given'],
  ['a new consent', [create('c')], query('c'), 'CONS-22 given'],
  ['a consent of another client', [create('c')], query('c', 'second'), 'SEC-05 refused'],
  ['a waiting consent behind a newer one', [create('c'), create('d')], query('c'), undefined],
  ['a deleted consent', [create('c'), remove('c')], query('c'), 'CLC-03 refused'],
  ['a second deletion', [create('c'), remove('c')], remove('c'), undefined],
  ['a deletion by another', [create('c')], remove('c', 'second'), 'CLC-08 refused'],
  ['a deletion of funds by another', [funds('f')], remove('f', 'second'), 'FCC-14 refused'],
  ['a deletion of funds', [funds('f')], remove('f'), 'FCC-12 given'],
  ['an older consent for the same card', [funds('f'), funds('g')], remove('f'), undefined],
  ['an approval', [create('c')], approve('c', 'a'), 'AUTHZ-01 given'],
  ['an approval by another client', [create('c')], approveBySecond('c'), 'AUTHZ-14 refused'],
  ['a confirmation', CONNECTED, approve('c', 'b'), 'AUTHZ-16 given'],
  ['one by another customer', CONNECTED, approve('c', 'b', 'second'), 'AUTHZ-30 refused'],
  [
    'an approval of what was deleted',
    [...CONNECTED, remove('c')],
    approve('c', 'b'),
    'AUTHZ-15 refused',
  ],
  ['a denial', [create('c')], deny('c'), 'AUTHZ-21 refused'],
  ['a denial of a confirmation', CONNECTED, deny('c'), undefined],
  ['what was denied', [create('c'), [deny('c'), 'refused']], query('c'), undefined],
  ['a code', [create('c'), approve('c', 'a')], exchange('a'), 'TOK-03 given'],
  [
    'what was revoked before a customer approved it',
    [create('c'), fact('customer-revokes', 'c')],
    query('c'),
    undefined,
  ],
  [
    'what was revoked behind a newer approval',
    [...CONNECTED, create('d'), approve('d', 'b'), fact('customer-revokes', 'c')],
    query('c'),
    undefined,
  ],
  [
    'a code after ninety days',
    [create('c'), approve('c', 'a'), fact('ninety-days-passed', 'c')],
    exchange('a'),
    undefined,
  ],
  ['a code once more', CONNECTED, exchange('a'), 'TOK-14 refused'],
  [
    'a code of another client',
    [create('c'), approve('c', 'a')],
    exchange('a', 'second'),
    'TOK-35 refused',
  ],
  [
    'a code that another client tried',
    [create('c'), approve('c', 'a'), [exchange('a', 'second'), 'refused']],
    exchange('a'),
    undefined,
  ],
  ['a refresh', CONNECTED, refresh('c'), 'TOK-22 given'],
  ['a refresh by another client', CONNECTED, refresh('c', 'second'), 'TOK-13 refused'],
  ['data', CONNECTED, read('c'), 'ACC-01 given'],
  ['data after a refresh', [...CONNECTED, refresh('c')], read('c'), 'ACC-01 given'],
  [
    'data before the code of a confirmation is exchanged',
    [...CONNECTED, approve('c', 'b')],
    read('c'),
    undefined,
  ],
  ['data after its deletion', [...CONNECTED, remove('c')], read('c'), 'CLC-04 refused'],
  [
    'data after its revocation',
    [...CONNECTED, fact('customer-revokes', 'c')],
    read('c'),
    'CLC-11 refused',
  ],
  [
    'a query after its revocation',
    [...CONNECTED, fact('customer-revokes', 'c')],
    query('c'),
    'CLC-10 given',
  ],
  [
    'a deletion after its revocation',
    [...CONNECTED, fact('customer-revokes', 'c')],
    remove('c'),
    'CLC-01 given',
  ],
  [
    'data after ninety days',
    [...CONNECTED, fact('ninety-days-passed', 'c')],
    read('c'),
    'CLC-18 refused',
  ],
  [
    'data after a confirmation that came late',
    [...CONNECTED, fact('ninety-days-passed', 'c'), approve('c', 'b'), exchange('b')],
    read('c'),
    'ACC-01 given',
  ],
  ['an expired token', [...CONNECTED, fact('token-expired', 'c')], read('c'), 'TOK-21 refused'],
  [
    'its refresh',
    [...CONNECTED, fact('token-expired', 'c'), refresh('c')],
    read('c'),
    'ACC-01 given',
  ],
  [
    'data of an approval behind a newer one of the same customer (AMB-43)',
    [...CONNECTED, create('d'), approve('d', 'b'), exchange('b')],
    read('c'),
    undefined,
  ],
  [
    'data beside an approval of another customer',
    [...CONNECTED, create('d'), approve('d', 'b', 'second'), exchange('b')],
    read('c'),
    'ACC-01 given',
  ],
  [
    'accounts without their permission',
    [create('c', 'first', ['ReadTransactionsBasic']), approve('c', 'a'), exchange('a')],
    read('c'),
    'ACC-11 refused',
  ],
  [
    'balances without accounts',
    [create('c', 'first', ['ReadBalances']), approve('c', 'a'), exchange('a')],
    read('c', 'balances'),
    undefined,
  ],
  [
    'transactions without their permission',
    [create('c', 'first', ['ReadAccountsBasic']), approve('c', 'a'), exchange('a')],
    read('c', 'account-transactions'),
    'TXN-14 refused',
  ],
  [
    'data after a code was sent twice',
    [...CONNECTED, [exchange('a'), 'refused']],
    read('c'),
    undefined,
  ],
]

test.each(ROWS)('%s', (_, before, move, says) => {
  const obligation = obligationOf(worldOf(before), move)
  expect(obligation && `${obligation.requirement} ${obligation.answer}`).toBe(says)
})

test('each requirement of the table is one of specs/, and binds the bank', () => {
  const { requirements } = loadCatalogue()
  expect(REQUIREMENTS.length).toBeGreaterThan(25)
  for (const id of REQUIREMENTS) {
    expect(requirements.get(id)?.binds, id).toBe('bank')
    expect(['must', 'should'], id).toContain(requirements.get(id)?.level)
  }
})

test('what another consent’s end changes is told by the sentence that it changes nothing', () => {
  const world = worldOf([...CONNECTED, create('d'), remove('d')])
  const obligation = obligationOf(world, read('c'))
  const of = (served: number) =>
    obligation && requirementOf(obligation, world.consents.get('c'), served)
  expect(of(3)).toBe('CLC-19')
  expect(of(0)).toBe('ACC-01')
  expect(of(6)).toBe('ACC-01')
})

test('what names what is left out goes with it', () => {
  const history = [...CONNECTED.map((said) => said as Move), read('c')]
  expect(meaningful(history.slice(1))).toEqual([])
  expect(meaningful([history[0] as Move, ...history.slice(2)])).toEqual([history[0], history[3]])
})
