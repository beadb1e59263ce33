import { DATA_DEFECTS as D, dataFault, dataFaultAtBoth } from '../../cells/data-defects.ts'
import { BALANCES, both, periodEnds, SITUATIONS as S } from '../../cells/situations.ts'
import type { Fault } from '../../run/proof.ts'

/** Correct under the first approval, wrong in one situation: each fault is a defect in one cell. */
const fails = (...ids: string[]) => ({ fails: ids })

const faults: Fault[] = [
  dataFault(D.lastRowTwice, 'transactions', S.toAlone, fails('TXN-42/once')),
  dataFault(D.lastRowTwice, 'account-transactions', S.bothFilters, fails('TXN-42/once')),
  dataFault(D.lastRowTwice, 'transactions', S.absent, fails('TXN-42/once')),
  dataFault(D.lastRowTwice, 'transactions', both(S.absent, S.secondClient), {
    fails: [],
    warns: ['TXN-28/once'],
  }),
  dataFault(D.lastRowTwice, 'balances', S.absent, fails('DATA-08/absent')),
  dataFault(D.pendingAgain, 'transactions', S.fromAlone, fails('TXN-16/from-alone')),
  dataFault(D.pendingAgain, 'account-transactions', S.absent, fails('DATA-08/absent')),
  dataFaultAtBoth(D.noCreditLimit, BALANCES, S.secondClient, {
    fails: [],
    warns: ['DATA-09/same-data'],
  }),
  dataFaultAtBoth(D.hundredfold, BALANCES, S.refreshed, { fails: [], warns: ['BAL-24/kept'] }),
  dataFault(
    D.hundredfold,
    'account-transactions',
    S.secondClient,
    fails('TXN-39/bulk-equals-single'),
  ),
  dataFault(D.hundredfold, 'transactions', S.bothFilters, { fails: [], warns: ['TXN-41/kept'] }),
  dataFault(D.hundredfold, 'balances', S.secondClient, {
    fails: ['BAL-14/bulk-equals-single'],
    warns: ['DATA-09/same-data'],
  }),
  dataFault(
    D.refused,
    'account-transactions',
    both(S.secondClient, S.basicOfAny),
    fails('TXN-14/second-client'),
  ),
  dataFault(
    D.refused,
    'account',
    both(S.secondClient, S.basicOfAny),
    fails('ACC-11/second-client'),
  ),
  dataFault(D.zero, 'account-transactions', S.laterAccount, fails('TXN-39/bulk-equals-single')),
  dataFault(D.hundredfold, 'transactions', S.basic, fails('TXN-39/bulk-equals-single')),
  dataFault(
    D.hundredfold,
    'account-balances',
    S.secondCustomer,
    fails('BAL-14/bulk-equals-single'),
  ),
  dataFault(D.turned, 'account-balances', S.debits, fails('BAL-14/bulk-equals-single')),
  dataFault(D.losesLastRow, 'transactions', S.secondCustomer, fails('TXN-23/all-accounts')),
  dataFault(D.losesNewestRow, 'account-transactions', S.noAccounts, fails('TXN-24/one-response')),
  dataFault(D.losesLastRow, 'transactions', S.absent, fails('DATA-08/absent')),
  dataFault(D.rowOfAnother, 'transactions', S.absent, fails('DATA-08/absent')),
  dataFault(D.rowOfAnother, 'account-transactions', S.absent, fails('DATA-08/absent')),
  dataFault(D.empty, 'balances', S.absent, fails('DATA-08/absent')),
  dataFault(
    D.refused,
    'account',
    both(S.absent, S.secondCustomer),
    fails('RATE-05/with-and-without'),
  ),
  dataFault(D.refused, 'accounts', both(S.absent, S.basic), fails('RATE-05/with-and-without')),
  dataFault(D.empty, 'balances', both(S.absent, S.noAccounts), fails('DATA-08/absent')),
  dataFault(
    D.empty,
    'account-transactions',
    both(S.absent, S.secondClient),
    fails('DATA-08/absent'),
  ),
  dataFault(
    D.losesNewestRow,
    'account-transactions',
    both(S.absent, S.secondCustomer),
    fails('DATA-08/absent'),
  ),
  dataFault(D.toIgnored, 'transactions', both(S.absent, S.bothFilters), fails('TXN-17/both')),
  dataFault(D.periodIgnored, 'transactions', both(periodEnds('start'), S.bothFilters), {
    fails: ['TXN-20/inside'],
  }),
  dataFault(D.periodIgnored, 'transactions', both(periodEnds('end'), S.bothFilters), {
    fails: ['TXN-20/inside'],
  }),
  dataFault(D.periodIgnored, 'transactions', S.absent, fails('TXN-20/inside')),
  dataFault(D.losesLastRow, 'account-transactions', S.laterCall, {
    fails: [],
    warns: ['TXN-28/kept'],
  }),
  dataFault(
    D.fromIgnored,
    'account-transactions',
    both(S.secondCustomer, S.fromAlone),
    fails('TXN-16/from-alone'),
  ),
  dataFault(D.toIgnored, 'transactions', S.period, fails('TXN-17/to-alone')),
  dataFault(D.refused, 'account-balances', S.noAccounts, fails('BAL-02/answers-200')),
  dataFault(D.stranger, 'transactions', S.basic, fails('TXN-03/of-the-consent')),
  dataFault(D.stranger, 'balances', S.secondClient, {
    fails: ['BAL-03/of-the-consent'],
    warns: ['DATA-09/same-data'],
  }),
  dataFault(D.otherDescription, 'account', S.secondClient, {
    fails: [],
    warns: ['ACC-15/bulk-equals-single'],
  }),
  dataFault(D.otherSelf, 'account-balances', S.noAccounts, fails('ENV-05/same-resource')),
  dataFault(D.localTime, 'account-transactions', S.noAccounts, fails('GEN-02/utc')),
  dataFault(D.periodIgnored, 'transactions', S.secondClient, fails('TXN-20/inside')),
  dataFault(
    D.periodEndIgnored,
    'transactions',
    both(S.secondClient, S.fromAlone),
    fails('TXN-20/inside'),
  ),
  dataFault(
    D.periodStartIgnored,
    'account-transactions',
    both(S.secondClient, S.toAlone),
    fails('TXN-20/inside'),
  ),
  dataFault(
    D.periodIgnored,
    'account-transactions',
    both(S.secondClient, S.absent),
    fails('TXN-20/inside'),
  ),
  dataFault(D.periodEndIgnored, 'account-transactions', S.secondCustomer, fails('TXN-20/inside')),
  dataFault(
    D.periodStartIgnored,
    'transactions',
    both(S.secondCustomer, S.refreshed),
    fails('TXN-20/inside'),
  ),
  dataFault(D.periodIgnored, 'account-transactions', S.reconfirmed, fails('TXN-20/inside')),
  dataFault(
    D.losesNewestRow,
    'transactions',
    both(S.period, S.secondClient),
    fails('TXN-20/second-client'),
  ),
  dataFault(D.empty, 'transactions', both(S.period, S.reconfirmed), {
    fails: [],
    warns: ['AUTHZ-17/data'],
  }),
  dataFault(D.directionIgnored, 'account-transactions', S.secondClient, {
    fails: [],
    warns: ['TXN-25/direction'],
  }),
  dataFault(D.directionIgnored, 'transactions', S.reconfirmed, {
    fails: [],
    warns: ['TXN-25/direction'],
  }),
  dataFault(D.detailShown, 'account-transactions', S.secondCustomer, {
    fails: [],
    warns: ['TXN-26/basic-hides-merchant'],
  }),
  dataFault(D.detailLacks, 'accounts', S.secondClient, {
    fails: [],
    warns: ['ACC-20/detail-shows-card'],
  }),
  dataFault(D.detailShown, 'accounts', S.secondClient, {
    fails: [],
    warns: ['ACC-20/basic-hides-card'],
  }),
  dataFault(D.detailShown, 'account', S.reconfirmed, {
    fails: [],
    warns: ['AUTHZ-17/permissions'],
  }),
  dataFault(D.detailShown, 'account', both(S.basic, S.refreshed), {
    fails: [],
    warns: ['ACC-20/basic-hides-card', 'ACC-15/bulk-equals-single'],
  }),
  dataFault(D.detailShown, 'accounts', both(S.basic, S.absent), {
    fails: [],
    warns: ['ACC-20/basic-hides-card'],
  }),
]

export default faults
