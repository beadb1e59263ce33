import { parseRedirect, type Redirect, redirectsTo } from '../../../../engine/suite-api/client.ts'
import { type About, type Exchange, header } from '../../../../engine/suite-api/responses.ts'

/** Answers that send a customer to a redirect URI. */

/** The answer may come from a page to which the bank has redirected the customer. */
export const AUTHORISATION = { endpoints: ['authorisation'], also: ['elsewhere'] } as const

export interface Landing {
  redirect: Redirect
  visit: NonNullable<About['visit']>
  /** The consent that the customer is asked to approve. */
  consentId?: string
  signature?: Exchange['signature']
  /** A person or a browser told of it, perhaps long after the bank's answer. */
  told?: true
}

/** The redirect to the redirect URI of the request; undefined for any other answer. */
export function landingOf(exchange: Exchange): Landing | undefined {
  const { about, signature, response } = exchange
  const { visit, subject: consentId } = about
  const location = header(exchange, 'location')
  if (!visit || location === undefined || !URL.canParse(location, exchange.request.url)) {
    return undefined
  }
  const redirect = parseRedirect(new URL(location, exchange.request.url).href)
  return redirect && redirectsTo(redirect, visit.redirectUri)
    ? {
        ...{ redirect, visit, signature },
        ...(consentId !== undefined && { consentId }),
        ...(response?.status === 0 && { told: true }),
      }
    : undefined
}

/** The same for a correct request that ended with a code. */
export function successOf(exchange: Exchange): Landing | undefined {
  const landing = exchange.about.deviation === undefined ? landingOf(exchange) : undefined
  return landing?.redirect.code ? landing : undefined
}

/** Does a browser go to the same address for both? */
export function isOneAddress(one: string, other: string): boolean {
  if (!URL.canParse(one) || !URL.canParse(other)) return one === other
  return new URL(one).href === new URL(other).href
}
