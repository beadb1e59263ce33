import { type Endpoint, type Exchange, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { misreadIn, placeholdersIn, zonesIn } from '../../texts.ts'
import { CONSENTS, DATA } from '../common/endpoints.ts'

/** Texts of answers of any kind. Requirements: specs/account-information/general.yaml */

/** Every 2xx of consents and data. Fails: a text is null, NaN, [object Object] or Optional.empty, or has U+FFFD. */
rule(
  'GEN-25/placeholders',
  'No text of an answer is what a program writes for a missing value',
  { endpoints: [...CONSENTS, ...DATA] },
  (exchange) => (isGiven(exchange, [...CONSENTS, ...DATA]) ? placeholdersIn(exchange) : undefined),
)

/**
 * Every 2xx of data. (A consent shows what was sent.) Fails: a text has Â£ for £, &amp; for &, \u00e9 for é, %20 for a
 * blank, or control characters.
 */
rule(
  'GEN-25/misread',
  'No text of an answer was read in another encoding than it was written in',
  { endpoints: DATA },
  (exchange) => (isGiven(exchange, DATA) ? misreadIn(exchange) : undefined),
)

/** Is this a 2xx of one of these endpoints? */
function isGiven(exchange: Exchange, endpoints: readonly Endpoint[]): boolean {
  return endpoints.includes(exchange.endpoint) && succeeded(exchange)
}

/** What tells that a date-time of the tables is not one of RFC 3339, as where the offset has no colon. */
const OF_A_FORM = [
  ...['TXN-38/rfc-3339', 'BAL-22/rfc-3339', 'CONS-06/date-time', 'CONS-07/date-time'],
  ...['CONS-13/date-time', 'CONS-14/date-time', 'FCC-06/date-time'],
  ...['FCC-07/creation-date-time', 'FCC-07/status-update-date-time'],
]

/**
 * Every 2xx of consents and data (AMB-34): any text that is a date-time of RFC 3339. Fails: its offset is not zero. The members
 * that the tables name are judged by GEN-02/utc.
 */
rule(
  'GEN-02/everywhere',
  'No date-time of an answer is of another zone than UTC, in members that no table names either',
  { endpoints: [...CONSENTS, ...DATA], follows: ['GEN-02/utc', ...OF_A_FORM] },
  (exchange) => (isGiven(exchange, [...CONSENTS, ...DATA]) ? zonesIn(exchange) : undefined),
)
