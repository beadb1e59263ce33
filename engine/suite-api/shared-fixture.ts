import type { NamedConsent } from '../client-session/consent.ts'
import type { Context } from '../client-session/context.ts'
import { currentTrace, lastBroken } from '../client-session/trace.ts'
import { remembered } from '../judge/controls.ts'
import { stumbled, unreadable } from '../judge/judge.ts'

/**
 * Something that several checks share, such as the only denial of a run. It is done once per session, when the first
 * check asks for it.
 *
 * @param uses the approvals that it works with; every check that calls it must name them too.
 */
export function sharedFixture<T, Used extends NamedConsent = never>(
  uses: readonly Used[],
  run: (context: Context<Used>) => Promise<T>,
): (context: Context<Used>) => Promise<T> {
  const done = new WeakMap<object, () => Promise<T>>()
  return (context) => {
    context.serve(uses)
    const known = done.get(context.session) ?? remembered(() => readable(() => run(context)))
    done.set(context.session, known)
    return known()
  }
}

/** Later checks have not seen the answers that broke a rule, so the rule is found here. */
async function readable<T>(run: () => Promise<T>): Promise<T> {
  try {
    return await run()
  } catch (error) {
    const trace = stumbled(error) ? currentTrace() : undefined
    const rule = trace && lastBroken(trace)
    throw rule === undefined ? error : unreadable(rule)
  }
}
