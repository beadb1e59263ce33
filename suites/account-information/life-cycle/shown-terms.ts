import { type Exchange, member, succeeded } from '../../../engine/suite-api/responses.ts'
import type { RuleTools } from '../../../engine/suite-api/rule.ts'
import { ACCOUNT_ACCESS, DATA } from '../common/endpoints.ts'

/** Data of the latest answer about a consent, and when that was asked for, in milliseconds since 1970. */
export interface ShownTerms {
  data: unknown
  at: number
}

/**
 * What the bank has said of the consent behind an answer with data, a correct one; undefined for every other
 * exchange. No data where the consent was not shown since its latest visit or tokens: an approval, a confirmation
 * or a refresh may move what nobody has asked for.
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
