import { enumeration } from './enumeration.ts'
import type { Enumeration } from './enumeration-terms.ts'
import type { ValueType } from './value-type.ts'

/** Enumerations in the bodies of consents. */

type OfEnumeration = ValueType<Enumeration, unknown>

/** “Allowed values”, all nine of them. */
export const NINE = [
  'ReadAccountsBasic',
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadStatementsBasic',
  'ReadStatementsDetail',
  'ReadTransactionsBasic',
  'ReadTransactionsDetail',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
] as const

const ARRAY = '“| Permissions | array of string | required |”'

/** Data.Permissions of an account access consent. */
export const permissions: OfEnumeration = enumeration({
  name: 'list of permissions',
  grammar:
    'AccountAccessConsent, Permissions: array of string, nine allowed values; RFC 8259 3 and 7, compared by code units (8.3)',
  in: 'body',
  shape: 'array',
  values: NINE,
  because: '“Any other value causes rejection of the request.”',
  level: 'must',
  type: { because: ARRAY, level: 'should' },
  right: { because: `${ARRAY}: “Allowed values: …”, in no order and no number`, level: 'must' },
  // AMB-01: the document itself once spells it like this.
  open: (value) => value === 'ReadAccountsDetails',
  others: [
    ['read-pan', 'ReadPAN'],
    ['read-party', 'ReadParty'],
    ['read-party-psu', 'ReadPartyPSU'],
    ['read-offers', 'ReadOffers'],
    ['read-products', 'ReadProducts'],
    ['read-beneficiaries-basic', 'ReadBeneficiariesBasic'],
    ['read-beneficiaries-detail', 'ReadBeneficiariesDetail'],
    ['read-direct-debits', 'ReadDirectDebits'],
    ['read-standing-orders-basic', 'ReadStandingOrdersBasic'],
    ['read-standing-orders-detail', 'ReadStandingOrdersDetail'],
    ['read-scheduled-payments-basic', 'ReadScheduledPaymentsBasic'],
    ['read-scheduled-payments-detail', 'ReadScheduledPaymentsDetail'],
    ['no-level-of-accounts', 'ReadAccounts'],
    ['no-level-of-transactions', 'ReadTransactions'],
    ['level-of-balances', 'ReadBalancesDetail'],
    ['another-level', 'ReadTransactionsFull'],
    ['another-verb', 'WriteAccountsBasic'],
    ['everything', 'ReadEverything'],
    ['a-scope', 'accounts'],
    ['an-endpoint', '/accounts'],
    ['spanish', 'LeerCuentasBasico'],
    ['german', 'KontenLesenBasis'],
  ],
  more: [
    {
      part: 'ReadAccountsDetails',
      rows: [
        {
          id: 'details-with-s',
          words: 'with ReadAccountsDetails for ReadAccountsDetail',
          lawful: true,
          level: 'observe',
          because: '“the data access text spells the second one with an s” (AMB-01)',
          make: ({ chosen }) =>
            chosen.includes('ReadAccountsDetail')
              ? chosen.map((one) => (one === 'ReadAccountsDetail' ? `${one}s` : one))
              : undefined,
        },
      ],
    },
    {
      part: 'which of the nine stand together',
      none: 'Each combination is a value of its own: permission-company.ts.',
    },
  ],
})

/** Data.DebtorAccount.SchemeName of a funds confirmation consent; `allowed` is the scheme of the target. */
export const schemeName: OfEnumeration = enumeration({
  name: 'SchemeName',
  grammar:
    'FundsConfirmationConsent, DebtorAccount.SchemeName: string, one value; RFC 8259 3 and 7, compared by code units (8.3)',
  in: 'body',
  shape: 'string',
  values: ['UK.STD.PAN'],
  because: '“The only supported value is UK.STD.PAN”',
  level: 'must',
  spaces: 'observe',
  type: { because: '“| DebtorAccount.SchemeName | string | required |”', level: 'should' },
  required:
    '“Create funds confirmation consent: DebtorAccount.SchemeName and DebtorAccount.Identification are required.”',
  right: { because: '“The only supported value is UK.STD.PAN”', level: 'must' },
  // AMB-04: “the middle segment stands for the acronym of the body that publishes the specification”.
  open: (value) => /^UK\.[A-Z]+\.PAN(?!\n)$/.test(value),
  others: [
    ['iban', 'UK.OBIE.IBAN'],
    ['bban', 'UK.OBIE.BBAN'],
    ['sort-code', 'UK.OBIE.SortCodeAccountNumber'],
    ['paym', 'UK.OBIE.Paym'],
    ['no-namespace', 'PAN'],
    ['iban-without-namespace', 'IBAN'],
    ['sort-code-without-namespace', 'SortCodeAccountNumber'],
    ['another-country', 'GB.OBIE.PAN'],
    ['no-country', 'OBIE.PAN'],
    ['no-middle', 'UK.PAN'],
    ['empty-middle', 'UK..PAN'],
    ['masked-pan', 'UK.OBIE.MaskedPAN'],
    ['currency', 'UK.OBIE.PAN.GBP'],
    ['spanish', 'NumeroDeTarjeta'],
  ],
})
