import { brief, member, succeeded } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import { CONSENTS, DATA } from '../common/endpoints.ts'

/** Versions of the paths. Requirements: specs/account-information/versions.yaml */

rule(
  'VER-01/segment',
  'The paths of consent and data endpoints have the segment v3.1',
  { endpoints: [...CONSENTS, ...DATA] },
  (exchange) => {
    if (![...CONSENTS, ...DATA].includes(exchange.endpoint) || !succeeded(exchange))
      return undefined
    const { pathname } = new URL(exchange.request.url)
    if (pathname.split('/').includes('v3.1')) return []
    return [{ message: `it stands at ${pathname}`, expected: 'a segment v3.1', actual: pathname }]
  },
)

/**
 * Every consent and data 2xx at a path of v3.1. Fails: the path of Links.Self names versions, but
 * not v3.1. Not judged: a path without a version, or with only the number of a gateway such as v1.
 */
rule(
  'VER-03/in-links',
  'Where Links.Self names a version of the paths, it is v3.1',
  {
    endpoints: [...CONSENTS, ...DATA],
    unseen: 'no Links.Self named a version',
  },
  (exchange) => {
    if (![...CONSENTS, ...DATA].includes(exchange.endpoint) || !succeeded(exchange))
      return undefined
    // Another version in the request is judged by VER-01/segment.
    if (!new URL(exchange.request.url).pathname.split('/').includes('v3.1')) return undefined
    const self = member(exchange.response?.json, 'Links', 'Self')
    if (typeof self !== 'string' || !URL.canParse(self)) return undefined
    const named = versionsIn(new URL(self).pathname)
    if (named.length === 0) return undefined
    if (named.includes('v3.1')) return []
    return [
      {
        message: `Links.Self is ${brief(self)}`,
        expected: 'a segment v3.1',
        actual: named.join(', '),
        place: '/Links/Self',
      },
    ]
  },
)

/** Versions where the paths of the document have theirs. A gateway behind it may have its own number elsewhere. */
function versionsIn(path: string): string[] {
  const found = path.matchAll(/\/open-banking\/(v\d+(?:\.\d+)*)(?=\/(?:aisp|cbpii)\/)/gi)
  return [...found].map(([, version = '']) => version)
}
