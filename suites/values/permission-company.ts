import type { Level } from '../../engine/suite-api/check.ts'
import type { Part, Value, ValueType } from './value-type.ts'

/** The permissions that a request may have: “Allowed values”, nine of them. */
export interface Nine {
  allowed: readonly string[]
}

/** The data endpoints of the document. */
export const DATA_ENDPOINTS = [
  '/accounts',
  '/accounts/{AccountId}',
  '/balances',
  '/accounts/{AccountId}/balances',
  '/transactions',
  '/accounts/{AccountId}/transactions',
] as const

export type DataEndpoint = (typeof DATA_ENDPOINTS)[number]

/** The endpoint must serve such a consent, must refuse it, or may do either. */
export type Opening = 'open' | 'closed' | 'not-shown'

/** The endpoints that a consent with these permissions opens, after a customer has approved it. */
export function opens(permissions: readonly string[]): Record<DataEndpoint, Opening> {
  const { accounts, balances, level, direction } = partsOf(permissions)
  // “need a consent created with ReadAccountsBasic or ReadAccountsDetails”
  const ofAccounts: Opening = accounts ? 'open' : 'closed'
  // “Permission needed for balance endpoints: not shown”: certain only with both kinds of permission.
  const ofBalances: Opening = accounts && balances ? 'open' : 'not-shown'
  // “need a consent with ReadTransactionsBasic or ReadTransactionsDetail”; of which direction is open (AMB-13).
  const served: Opening = direction ? 'open' : 'not-shown'
  const ofTransactions: Opening = level ? served : 'closed'
  return {
    '/accounts': ofAccounts,
    '/accounts/{AccountId}': ofAccounts,
    '/balances': ofBalances,
    '/accounts/{AccountId}/balances': ofBalances,
    '/transactions': ofTransactions,
    '/accounts/{AccountId}/transactions': ofTransactions,
  }
}

function partsOf(permissions: readonly string[]) {
  const any = (...names: string[]) => names.some((name) => permissions.includes(name))
  return {
    accounts: any('ReadAccountsBasic', 'ReadAccountsDetail'),
    balances: any('ReadBalances'),
    level: any('ReadTransactionsBasic', 'ReadTransactionsDetail'),
    direction: any('ReadTransactionsCredits', 'ReadTransactionsDebits'),
  }
}

const LISTED =
  '“Allowed values: ReadAccountsBasic, … ReadTransactionsDebits. Any other value causes rejection of the request.”'
const COMBINATIONS = `${LISTED}; 3.1.2, Permissions, excludes some combinations (AMB-13)`

/**
 * Does version 3.1.2 also allow the combination? “The permissions array must contain at least
 * ReadAccountsBasic or ReadAccountsDetail”, and for transactions a level and a direction, or neither.
 */
function isOfBothReadings(permissions: readonly string[]): boolean {
  const { accounts, level, direction } = partsOf(permissions)
  return accounts && level === direction
}

/** Short names of the nine, for the ids of rows. */
const SHORT = {
  ReadAccountsBasic: 'accounts-basic',
  ReadAccountsDetail: 'accounts-detail',
  ReadBalances: 'balances',
  ReadStatementsBasic: 'statements-basic',
  ReadStatementsDetail: 'statements-detail',
  ReadTransactionsBasic: 'transactions-basic',
  ReadTransactionsDetail: 'transactions-detail',
  ReadTransactionsCredits: 'credits',
  ReadTransactionsDebits: 'debits',
} as const

type Permission = keyof typeof SHORT

const PERMISSIONS = Object.keys(SHORT) as Permission[]

const [AB, AD, B, SB, SD, TB, TD, C, D] = PERMISSIONS as [
  ...[Permission, Permission, Permission, Permission, Permission],
  ...[Permission, Permission, Permission, Permission],
]

/**
 * Permissions in every kind of combination. A bank that refuses a row breaks it; `opens` says
 * what each gives. A bank may refuse a combination that only the document allows (AMB-13).
 */
export const permissionCompany: ValueType<Nine, readonly string[]> = {
  name: 'set of permissions',
  grammar:
    'AccountAccessConsent, Permissions: the subsets of nine; alone, in pairs, all but one, and by what each endpoint needs',
  parts: [
    company(
      'one alone',
      PERMISSIONS.map((one) => [`alone-${SHORT[one]}`, [one]]),
    ),
    company('two', pairs()),
    company(
      'all but one',
      PERMISSIONS.map((one) => [
        `without-${SHORT[one]}`,
        PERMISSIONS.filter((other) => other !== one),
      ]),
    ),
    company('all', [['all-nine', PERMISSIONS]]),
    company('accounts, of every level', [
      ['accounts-both-balances', [AB, AD, B]],
      ['accounts-detail-transactions-basic', [AD, TB, C, D]],
      ['accounts-basic-transactions-detail', [AB, TD, C, D]],
      ['accounts-both-transactions-both', [AB, AD, TB, TD, C, D]],
    ]),
    company('transactions, of every level and direction, beside accounts', [
      ['basic-and-credits', [AB, TB, C]],
      ['basic-and-debits', [AB, TB, D]],
      ['detail-and-credits', [AB, TD, C]],
      ['detail-and-debits', [AB, TD, D]],
      ['both-levels-and-credits', [AB, TB, TD, C]],
      ['both-levels-and-debits', [AB, TB, TD, D]],
      ['both-levels-and-directions', [AB, TB, TD, C, D]],
    ]),
    company('transactions without a level, or without a direction, beside accounts', [
      ['directions-without-level', [AB, C, D]],
      ['credits-without-level', [AB, B, C]],
      ['basic-without-direction', [AB, B, TB]],
      ['levels-without-direction', [AB, TB, TD]],
    ]),
    company('transactions without accounts', [
      ['transactions-alone', [TB, C, D]],
      ['transactions-detail-alone', [TD, C, D]],
      ['transactions-and-balances', [B, TB, C, D]],
      ['balances-and-directions', [B, C, D]],
    ]),
    company('balances', [
      ['balances-and-statements', [B, SB, SD]],
      ['balances-beside-accounts-and-statements', [AB, B, SB]],
      ['balances-beside-transactions', [AB, B, TB, C, D]],
    ]),
    company('statements, which open no endpoint of the document', [
      ['statements-beside-accounts', [AB, SB, SD]],
      ['statements-beside-transactions', [TB, C, D, SB, SD]],
      ['statements-beside-directions', [AB, SB, C, D]],
    ]),
    {
      part: 'none',
      rows: [
        {
          id: 'none',
          words: 'of none',
          level: 'should',
          because: '“| Permissions | array of string | required |”',
          make: () => [],
        },
      ],
    },
    {
      part: 'one that is not listed, in company',
      rows: (
        [
          ['pan-beside-accounts', [AD], 'ReadPAN'],
          ['party-beside-statements', [AB, SB], 'ReadParty'],
          ['offers-beside-balances', [AB, B], 'ReadOffers'],
          ['direct-debits-beside-debits', [AB, TB, D], 'ReadDirectDebits'],
          ['products-beside-all', PERMISSIONS, 'ReadProducts'],
        ] as const
      ).map(([id, known, other]) => ({
        id,
        words: `of ${known.join(', ')} and ${other}`,
        level: 'must',
        because: LISTED,
        make: ({ allowed }) =>
          isAllowed(allowed, known) && !allowed.includes(other) ? [...known, other] : undefined,
      })),
    },
    {
      part: 'every other subset of the nine',
      none: 'What opens depends on whether there is one for accounts, for balances, a level and a direction: each choice of these four stands in a row above.',
    },
  ],
}

function pairs(): [id: string, permissions: Permission[]][] {
  return PERMISSIONS.flatMap((one, index) =>
    PERMISSIONS.slice(index + 1).map((other): [string, Permission[]] => [
      `pair-${SHORT[one]}-${SHORT[other]}`,
      [one, other],
    ]),
  )
}

function company(
  part: string,
  sets: readonly (readonly [id: string, permissions: readonly Permission[]])[],
): Part<Nine, readonly string[]> {
  const rows = sets.map(([id, permissions]): Value<Nine, readonly string[]> => {
    const both = isOfBothReadings(permissions)
    const level: Level = both ? 'must' : 'observe'
    return {
      ...{ id, words: `of ${permissions.join(', ')}`, lawful: true, level },
      because: both ? LISTED : COMBINATIONS,
      make: ({ allowed }) => (isAllowed(allowed, permissions) ? [...permissions] : undefined),
    }
  })
  return { part, rows }
}

const isAllowed = (allowed: readonly string[], permissions: readonly string[]) =>
  permissions.every((one) => allowed.includes(one))
