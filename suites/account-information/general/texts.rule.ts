import { succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { placeholdersIn } from '../../placeholders.ts'
import { CONSENTS, DATA } from '../common/endpoints.ts'

/** What answers say, whatever they are about. Requirements: specs/account-information/general.yaml */

/** Every 2xx of consents and data. Fails: a text is null, undefined, NaN or [object Object], or has U+FFFD. */
rule(
  'GEN-25/placeholders',
  'No text of an answer is what a program writes where it has no value',
  { endpoints: [...CONSENTS, ...DATA] },
  (exchange) => {
    const isOne = [...CONSENTS, ...DATA].includes(exchange.endpoint) && succeeded(exchange)
    return isOne ? placeholdersIn(exchange) : undefined
  },
)
