import { member, type Row, remembered, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { type Optional, respelledIn } from '../../other-spellings.ts'
import { DATA } from '../common/endpoints.ts'

/** Names of members of data. Requirements: specs/account-information/general.yaml */

/** Members that may be absent, so that nothing else tells that one has another name. Answers share rows. */
const LISTS = Object.entries<Optional>({
  Balance: { CreditLine: { Type: {}, Amount: { Amount: {}, Currency: {} } } },
  Transaction: { AddressLine: {}, MerchantDetails: { MerchantName: {} } },
}).map(([name, members]) => ({
  name,
  findingIn: remembered((row: Row) => respelledIn(row, members)),
}))

/** Every balance and transaction 2xx. Fails: a row lacks such a member, and has one whose name differs from it only in case, - or _. */
rule(
  'GEN-37/spelled',
  'Optional members of balances and transactions have the names of the tables',
  {
    endpoints: DATA.filter((endpoint) => /balances|transactions/.test(endpoint)),
    needs: 'a balance or a transaction',
  },
  (exchange) => {
    if (!DATA.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    for (const { name, findingIn } of LISTS) {
      const rows = member(exchange.response?.json, 'Data', name)
      if (!Array.isArray(rows) || rows.length === 0) continue
      for (const [index, row] of rows.entries()) {
        const [finding] = Object(row) === row ? findingIn(row) : []
        if (finding) return [{ ...finding, place: `/Data/${name}/${index}${finding.place}` }]
      }
      return []
    }
    return undefined
  },
)
