import type { Tpp } from '../client/tpp.ts'
import type { Target } from '../configuration/resolve.ts'
import { member } from '../judge/data-rows.ts'
import { succeeded } from '../judge/matchers.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { DiscoverySteps } from './discovery-steps.ts'

export type Audiences = ReturnType<typeof createAudiences>

/** Finds the audience of client assertions that the bank accepts. */
export function createAudiences(target: Target, discovery: DiscoverySteps['discovery']) {
  /** Clients whose accepted audience is already known. */
  const settled = new Set<Tpp>()
  const askedForIssuer = new Set<Tpp>()

  /**
   * AMB-25: an advertised audience that differs from the token address is a guess. If the bank refuses it, the address
   * is used as the audience.
   */
  const settle = async (client: Tpp) => {
    const advertised = member((await discovery()).value, 'token_endpoint')
    const address = target.endpoints.token
    if (settled.has(client) || typeof advertised !== 'string' || advertised === address) return
    settled.add(client)
    const deviation = `the audience ${advertised}, a guess`
    const tried = await client.token({ grant_type: 'client_credentials' }, { deviation })
    if (!succeeded(tried)) client.learn({ token_endpoint: address })
  }

  /** AMB-25: a bank that refuses its token address as the audience may require its issuer. */
  const takesIssuer = async (client: Tpp): Promise<boolean> => {
    const issuer = member((await discovery()).value, 'issuer')
    if (askedForIssuer.has(client) || target.document.assertionAudience !== undefined) return false
    askedForIssuer.add(client)
    if (typeof issuer !== 'string' || issuer === client.audience) return false
    const deviation = `the audience ${issuer}, a guess`
    const claims = { aud: issuer }
    const tried = await client.token(
      { grant_type: 'client_credentials' },
      { deviation, assertion: { claims } },
    )
    if (!succeeded(tried)) return false
    client.learn({ token_endpoint: issuer })
    return true
  }

  /** The answer to a token request; the request is repeated where the bank accepts another audience. */
  const answerTo = async (client: Tpp, ask: () => Promise<Exchange>): Promise<Exchange> => {
    const first = await ask()
    return wasRefused(first) && (await takesIssuer(client)) ? ask() : first
  }

  return { settle, answerTo }
}

/** True if the bank refused the request (4xx), as opposed to a temporary failure. */
export function wasRefused({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 400 && response.status < 500
}
