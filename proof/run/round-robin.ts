import { currentRequest } from '../../bank/listeners/request-context.ts'
import { ofEachBank } from './each-bank.ts'

/**
 * One freedom after the other. Every endpoint has a count of its own, so that a run shows it each of
 * them, however its requests are mixed, and begins at another freedom than the one before, for those
 * that are asked once. `about` counts apart what one endpoint does for several reasons. Every bank
 * begins again, so that the same requests meet the same freedoms whatever else is served meanwhile.
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

/** One of the functions after the other, endpoint by endpoint. */
export function roundRobinOf<Args extends unknown[], Result>(
  ...choices: [(...args: Args) => Result, ...((...args: Args) => Result)[]]
): (...args: Args) => Result {
  const next = roundRobin(choices)
  return (...args) => next()(...args)
}

/** A freedom for each thing, which keeps it: the next one for whatever is seen for the first time. */
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

/** Listener, method and path of the request that is served, whatever it is about. */
export function servedEndpoint(): string {
  const ctx = currentRequest()
  if (!ctx) return ''
  const path = ctx.path.replace(/(accounts|-consents|interaction|register)\/[^/]+/, '$1/…')
  return `${ctx.socket.localPort} ${ctx.method} ${path}`
}
