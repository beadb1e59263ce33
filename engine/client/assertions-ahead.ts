import { now } from '../record/clock.ts'
import { meanwhile } from '../wire/meanwhile.ts'

/** Milliseconds for which an assertion that was signed ahead may be used. */
const FRESH = 5000

/**
 * Client assertions, each used once: when one is taken, the next is signed while the bank handles the request. An
 * assertion for another client or audience, or an older one, is signed again.
 */
export function assertionsAhead(sign: (clientId: string, audience: string) => string) {
  let ahead: { assertion: string; of: string; signedAt: number } | undefined

  return (clientId: string, audience: string): string => {
    const of = JSON.stringify([clientId, audience])
    const fits = ahead?.of === of && now() - ahead.signedAt < FRESH
    const assertion = fits && ahead ? ahead.assertion : sign(clientId, audience)
    ahead = undefined
    meanwhile(() => {
      ahead ??= { assertion: sign(clientId, audience), of, signedAt: now() }
    })
    return assertion
  }
}
