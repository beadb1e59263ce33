import { briefTimes } from '../client/claims.ts'
import type { Tpp } from '../client/tpp.ts'
import type { Target } from '../configuration/resolve.ts'
import { member } from '../judge/data-rows.ts'
import { succeeded } from '../judge/matchers.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { DiscoverySteps } from './discovery-steps.ts'

export type Audiences = ReturnType<typeof createAudiences>

/** Finds the audience, and the times, of client assertions that the bank accepts. */
export function createAudiences(target: Target, discovery: DiscoverySteps['discovery']) {
  /** Clients whose accepted audience is already known. */
  const settled = new Set<Tpp>()
  /** Registrations for which everything was tried. */
  const guessed = new Set<Tpp['registered']>()

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

  /**
   * AMB-25: a bank that refuses its token address as the audience may require its issuer. It may also reject an
   * assertion whose end is far away (RFC 7523 3, 4).
   */
  const guesses = async (client: Tpp): Promise<boolean> => {
    const issuer = member((await discovery()).value, 'issuer')
    if (guessed.has(client.registered)) return false
    guessed.add(client.registered)
    const isOpen = target.document.assertionAudience === undefined && issuer !== client.audience
    const others = isOpen && typeof issuer === 'string' ? [issuer] : []
    const all = [
      ...others.map((aud) => ({ aud })),
      ...[client.audience, ...others].map((aud) => ({ aud, ...briefTimes() })),
    ]
    for (const claims of all) {
      const isBrief = 'exp' in claims
      const deviation = `the audience ${claims.aud}${isBrief ? ' for a moment' : ''}, a guess`
      const tried = await client.token(
        { grant_type: 'client_credentials' },
        { deviation, assertion: { claims } },
      )
      if (!succeeded(tried)) continue
      client.learn({ token_endpoint: claims.aud })
      if (isBrief) client.assertions.becomeBrief()
      return true
    }
    return false
  }

  /** The answer to a token request; the request is repeated where the bank accepts another assertion. */
  const answerTo = async (client: Tpp, ask: () => Promise<Exchange>): Promise<Exchange> => {
    const first = await ask()
    return wasRefused(first) && (await guesses(client)) ? ask() : first
  }

  return { settle, answerTo }
}

/** True if the bank refused the request (4xx), as opposed to a temporary failure. */
export function wasRefused({ response }: Exchange): boolean {
  return response !== undefined && response.status >= 400 && response.status < 500
}
