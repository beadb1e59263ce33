import type { NamedConsent } from '../client-session/consent.ts'
import type { Context } from '../client-session/context.ts'
import { Blocked, LACKS, Nonconformance, NotApplicable } from '../judge/outcome.ts'

/**
 * Judges one sentence under several approvals. A violation under any of them is the verdict, and names the approval.
 * Next comes a block caused by the bank or the environment. Data that cannot tell right from wrong under one approval
 * is ignored where another approval has suitable data.
 *
 * @param consents the first is the check's own; the others are used where the run has them.
 */
export async function underEach<Used extends NamedConsent, Looked extends Used>(
  context: Context<Used>,
  [own, ...others]: readonly [Looked, ...Looked[]],
  run: (context: Context<Used>, consent: Looked) => Promise<void>,
): Promise<void> {
  const first = await ended(run(context, own))
  if (others.length === 0 || !isOpen(first)) {
    if (first) throw first
    if (others.length === 0) return
  }
  const ends = [first]
  for (const consent of others) {
    if (!context.has(consent)) continue
    const end = await ended(run(context, consent))
    ends.push(end && under(consent, end))
  }
  const wrong = ends.find((end) => end instanceof Nonconformance)
  const blocked = ends.find((end) => end && !isOpen(end))
  const worst = wrong ?? blocked ?? (ends.includes(undefined) ? undefined : ends[0])
  if (worst) throw worst
}

/** The error that ended the run; undefined: nothing is wrong. */
async function ended(run: Promise<void>): Promise<unknown> {
  return run.then(
    () => undefined,
    (error: unknown) => error ?? new Error('nothing was thrown'),
  )
}

/** True if it passed or there was nothing to judge: another approval may have what this one lacks. */
function isOpen(end: unknown): boolean {
  if (end === undefined || end instanceof NotApplicable) return true
  return end instanceof Blocked && LACKS.includes(end.because.kind)
}

/** The same error, with the approval named in its message. */
function under({ name }: NamedConsent, end: unknown): unknown {
  if (end instanceof Nonconformance) {
    return new Nonconformance({ ...end, message: `“${name}”: ${end.message}` })
  }
  if (!(end instanceof Blocked)) return end
  return new Blocked(end.because, `“${name}”: ${end.message}`, end.exchange)
}
