import { type Exchange, member, succeeded } from '../../../engine/suite-api/responses.ts'
import type { RuleTools } from '../../../engine/suite-api/rule.ts'
import { ACCOUNT_ACCESS, DATA } from '../common/endpoints.ts'

/** Data of the latest answer about a consent, and when it was requested, in milliseconds since 1970. */
export interface ShownTerms {
  data: unknown
  at: number
}

/**
 * The terms that the bank last showed for the consent of a correct answer with data; undefined for
 * every other exchange. Its data is undefined if the consent was not shown since its latest visit or
 * token request: an approval, a re-confirmation or a refresh may change terms that nobody requested.
 */
export function termsShown(
  exchange: Exchange,
  { earlier }: Pick<RuleTools, 'earlier'>,
): ShownTerms | undefined {
  const { endpoint, about, startedAt, response } = exchange
  if (endpoint === 'token' || endpoint === 'authorisation') {
    if (about.subject !== undefined) earlier.delete(about.subject)
    return undefined
  }
  if (!succeeded(exchange) || about.deviation !== undefined) return undefined
  if (ACCOUNT_ACCESS.includes(endpoint)) {
    const data = member(response?.json, 'Data')
    earlier.set(String(member(data, 'ConsentId')), { data, at: Date.parse(startedAt) })
    return undefined
  }
  const id = DATA.includes(endpoint) ? about.consent?.id : undefined
  if (id === undefined) return undefined
  return (earlier.get(id) as ShownTerms | undefined) ?? { data: undefined, at: 0 }
}
