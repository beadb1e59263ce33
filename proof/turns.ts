import { currentRequest } from '../bank/current.ts'

/**
 * One freedom after the other. Every endpoint has a count of its own, so that a run shows it each of
 * them, however its requests are mixed, and begins at another freedom than the one before, for those
 * that are asked once. `about` counts apart what one endpoint does for several reasons.
 */
export function inTurn<Choice>(
  choices: readonly [Choice, ...Choice[]],
): (about?: string) => Choice {
  const taken = new Map<string, number>()
  return (about = '') => {
    const key = `${endpoint()} ${about}`
    const count = taken.get(key) ?? taken.size
    taken.set(key, count + 1)
    return choices[count % choices.length] ?? choices[0]
  }
}

/** One of the functions after the other, endpoint by endpoint. */
export function byTurns<Args extends unknown[], Result>(
  ...choices: [(...args: Args) => Result, ...((...args: Args) => Result)[]]
): (...args: Args) => Result {
  const next = inTurn(choices)
  return (...args) => next()(...args)
}

/** A freedom for each thing, which keeps it: the next one for whatever is seen for the first time. */
export function forGood<Choice>(
  choices: readonly [Choice, ...Choice[]],
): (thing: string) => Choice {
  const given = new Map<string, Choice>()
  return (thing) => {
    const choice = given.get(thing) ?? choices[given.size % choices.length] ?? choices[0]
    given.set(thing, choice)
    return choice
  }
}

/** Listener, method and path of the request that is served, whatever it is about. */
function endpoint(): string {
  const ctx = currentRequest()
  if (!ctx) return ''
  const path = ctx.path.replace(/(accounts|-consents|interaction|register)\/[^/]+/, '$1/…')
  return `${ctx.socket.localPort} ${ctx.method} ${path}`
}
