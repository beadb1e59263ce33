import { type Exchange, member } from '../engine/suite-api/responses.ts'
import type { Finding } from '../engine/suite-api/rule.ts'

/**
 * A finding for each link of an answer to a next page: Next, or href in it, that is a string other than Self, whatever the case
 * of these names, and also in _links; or a Link header (RFC 8288) that names another address as next.
 */
export function nextPagesOf(exchange: Exchange): Finding[] {
  const found = nextPagesIn(exchange.response?.json).map(({ address, place }): Finding => {
    return { message: 'there is a next page', expected: 'no Next', actual: address, place }
  })
  const link = nextIn(exchange)
  if (link === undefined || leadsTo(exchange.request.url, link)) return found
  const expected = 'no Link with rel="next"'
  return [...found, { message: 'a header names a next page', expected, actual: link }]
}

/** Links to another page in the body, in whatever case, and as HAL writes them. */
function nextPagesIn(json: unknown): { address: string; place: string }[] {
  return membersLike(/^_?links$/i, json).flatMap(([links, all]) => {
    const [self] = membersLike(/^self$/i, all).map(([, link]) => addressOf(link))
    return membersLike(/^next$/i, all).flatMap(([next, link]) => {
      const address = addressOf(link)
      if (typeof address !== 'string' || address.trim() === '' || address === self) return []
      return [{ address, place: `/${links}/${next}` }]
    })
  })
}

const membersLike = (name: RegExp, object: unknown): [string, unknown][] =>
  typeof object === 'object' && object !== null
    ? Object.entries(object).filter(([each]) => name.test(each))
    : []

/** A link is a text, or an object with href, or a list of these. */
function addressOf(link: unknown): unknown {
  const [one] = [link].flat()
  return typeof one === 'string' ? one : member(one, 'href')
}

/** The address that a Link header names as next. Several header lines form one list (RFC 9110 5.3). */
function nextIn({ response }: Exchange): string | undefined {
  const lines = response?.headers.filter(([name]) => name.toLowerCase() === 'link') ?? []
  const links = lines.map(([, value]) => value).join(', ')
  const found = [...links.matchAll(/<([^<>]*)>([^<]*)/g)]
  return found.find(([, , parameters = '']) => isNext(parameters))?.[1]
}

/** Do the parameters of a link name the relation `next` (RFC 8288 section 3.3)? */
function isNext(parameters: string): boolean {
  const relations = parameters.split(';').map((one) => /^\s*rel="?([^"]*)/i.exec(one)?.[1] ?? '')
  return relations.some((all) =>
    all
      .toLowerCase()
      .split(/[\s,]+/)
      .includes('next'),
  )
}

/** Is the link the address itself, perhaps as a relative reference? What is not a URL is a different address. */
function leadsTo(address: string, link: string): boolean {
  return URL.canParse(link, address) && new URL(link, address).href === address
}
