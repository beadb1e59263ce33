import { succeeded } from '../../engine/suite-api/responses.ts'
import { rule } from '../../engine/suite-api/rule.ts'
import { CONSENTS, DATA } from './common/endpoints.ts'

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
