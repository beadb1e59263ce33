import { SECOND_CLIENT } from '../client-session/asked-cells.ts'
import type { Context } from '../client-session/context.ts'
import type { ClientName } from '../configuration/target.ts'
import { Blocked, Nonconformance, NotApplicable } from '../judge/outcome.ts'

/** Start of a finding about the second client. */
export const OF_SECOND = `${SECOND_CLIENT}: `

type Run = (context: Context) => Promise<void>

/**
 * Judges one sentence for the first client, then for the second, where the target has one and the run draws it. A
 * violation for either is the verdict. If the sentence cannot be judged for the second client, this is ignored: it was
 * judged for the first, and separate checks verify that the second client is served at all.
 */
export async function forEachClient(id: string, context: Context, run: Run): Promise<void> {
  await run(context)
  if (!context.target.clients.second || !context.looksAtSecond(id)) return
  try {
    await run(asOtherClient(context))
  } catch (error) {
    if (error instanceof Nonconformance) {
      const message = `${OF_SECOND}${error.message}`
      throw new Nonconformance({ ...error, message, cells: [SECOND_CLIENT] })
    }
    if (!(error instanceof Blocked || error instanceof NotApplicable)) throw error
  }
}

/** The same for the second client alone. */
export async function forSecondClient(context: Context, run: Run): Promise<void> {
  context.tpp('second')
  await run(asOtherClient(context))
}

const OTHER = { first: 'second', second: 'first' } as const

/** The second client's own session objects, by session. */
const sessions = new WeakMap<object, object>()

/** A context in which the two clients are swapped. */
function asOtherClient(context: Context): Context {
  const { session, steps } = context
  const other =
    <Rest extends unknown[], T>(send: (name: ClientName, ...rest: Rest) => T) =>
    (name: ClientName = 'first', ...rest: Rest): T =>
      send(OTHER[name], ...rest)
  const own = sessions.get(session) ?? {}
  sessions.set(session, own)
  return {
    ...context,
    session: own,
    tpp: other(context.tpp),
    caller: other(context.caller),
    steps: {
      ...steps,
      registration: other(steps.registration),
      management: other(steps.management),
      fundsConfirmation: other(steps.fundsConfirmation),
    },
  }
}
