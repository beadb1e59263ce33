import { currentRequest } from '../../bank/listeners/request-context.ts'
import { ofEachBank } from './each-bank.ts'

/**
 * Returns one freedom after the other. Each endpoint has its own counter, so that a run meets all of them in any order
 * of requests, and starts with a different freedom than the previous endpoint, for requests that are sent once. `about`
 * separates the counters of one endpoint for different purposes. Each bank starts again, so that the same requests meet
 * the same freedoms whatever else is served meanwhile.
 */
export function roundRobin<Choice>(
  choices: readonly [Choice, ...Choice[]],
): (about?: string) => Choice {
  const counts = ofEachBank(() => new Map<string, number>())
  return (about = '') => {
    const taken = counts()
    const key = `${servedEndpoint()} ${about}`
    const count = taken.get(key) ?? taken.size
    taken.set(key, count + 1)
    return choices[count % choices.length] ?? choices[0]
  }
}

/** Calls one of the functions after the other, separately for each endpoint. */
export function roundRobinOf<Args extends unknown[], Result>(
  ...choices: [(...args: Args) => Result, ...((...args: Args) => Result)[]]
): (...args: Args) => Result {
  const next = roundRobin(choices)
  return (...args) => next()(...args)
}

/** A permanent freedom for each key: a new key gets the next one. */
export function roundRobinPerKey<Choice>(
  choices: readonly [Choice, ...Choice[]],
): (thing: string) => Choice {
  const choicesGiven = ofEachBank(() => new Map<string, Choice>())
  return (thing) => {
    const given = choicesGiven()
    const choice = given.get(thing) ?? choices[given.size % choices.length] ?? choices[0]
    given.set(thing, choice)
    return choice
  }
}

/** Listener, method and path of the current request, without ids. */
export function servedEndpoint(): string {
  const ctx = currentRequest()
  if (!ctx) return ''
  const path = ctx.path.replace(/(accounts|-consents|interaction|register)\/[^/]+/, '$1/…')
  return `${ctx.socket.localPort} ${ctx.method} ${path}`
}
