import { randomBytes } from 'node:crypto'
import { createServer, type IncomingMessage, type Server } from 'node:http'
import { readBody } from '../listeners/body.ts'
import { revoke, type Services } from '../state/services.ts'

/** Why a fact cannot be made true, with the HTTP status of the answer. */
type Problem = [status: number, words: string]

const day = 86_400_000

/** Facts. Each is made true for one token or one consent only. Undefined means done. */
const facts: Record<
  string,
  (services: Services, subject: Record<string, unknown>) => Problem | undefined
> = {
  'token-expired'({ records }, { accessToken }) {
    const token = String(accessToken)
    const record = records.peek('AccessToken', token) ?? records.peek('ClientCredentials', token)
    if (!record) return [404, 'there is no such access token']
    record.exp = Math.floor(Date.now() / 1000) - 3600
  },
  'consent-expired'({ consents }, { consentId }) {
    const consent = consents.get(String(consentId))
    if (!consent) return [404, 'there is no such consent']
    if (consent.expires === undefined) return [409, 'the consent has no ExpirationDateTime']
    consent.ahead.expiry = consent.expires - Date.now() + 1000
  },
  'ninety-days-passed'({ consents, settings }, { consentId }) {
    const consent = consents.get(String(consentId))
    if (!consent) return [404, 'there is no such consent']
    if (consent.confirmed === undefined) return [409, 'no customer has confirmed the consent']
    consent.ahead.confirmation = settings.reconfirmationDays * day + 60_000
  },
  'customer-revokes'(services, { consentId }) {
    const consent = services.consents.get(String(consentId))
    if (!consent) return [404, 'there is no such consent']
    revoke(services, consent)
  },
}

/** Names of the facts, as the hooks of a target use them. */
export const factNames = Object.keys(facts)

/**
 * The operator's listener: plain HTTP on loopback, under a path that cannot be guessed. POST {path}/facts/{name} with a
 * JSON body answers 204, or explains why it cannot.
 */
export function createAdminApi(services: () => Services): { server: Server; path: string } {
  const path = `/${randomBytes(16).toString('hex')}`

  async function state(request: IncomingMessage): Promise<Problem | undefined> {
    const name = request.url?.startsWith(`${path}/facts/`) && request.url.slice(path.length + 7)
    const fact = name && Object.hasOwn(facts, name) ? facts[name] : undefined
    if (!fact) return [404, `there is no such fact; there are: ${factNames.join(', ')}`]
    if (request.method !== 'POST') return [405, 'a fact is stated by POST']
    try {
      return fact(
        services(),
        JSON.parse((await readBody(request)) ?? '') as Record<string, unknown>,
      )
    } catch {
      return [400, 'the body is not a JSON object']
    }
  }

  const server = createServer(async (request, response) => {
    const problem = await state(request)
    response.statusCode = problem?.[0] ?? 204
    if (problem) response.setHeader('content-type', 'text/plain')
    response.end(problem?.[1])
  })
  return { server, path }
}
