import type { Context } from './context.ts'
import type { Steps } from './happy-path.ts'

/**
 * Something that several checks share, such as the one denial of a run: done when the first of them
 * asks for it, once per session.
 */
export function once<T>(run: (context: Context) => Promise<T>): (context: Context) => Promise<T> {
  const done = new WeakMap<Steps, Promise<T>>()
  return (context) => {
    const known = done.get(context.steps)
    if (known) return known
    const made = run(context)
    done.set(context.steps, made)
    made.catch(() => {})
    return made
  }
}
