import type { Session } from '../client-session/session.ts'
import type { SuiteCheck } from '../suite-api/check.ts'

/**
 * Restores what an interrupted run left: judged checks keep their outcome, and approvals that still work are not
 * requested again.
 *
 * @returns what was restored; undefined if there is nothing.
 */
export async function resumeRun(session: Session, checks: SuiteCheck[]) {
  const earlier = session.resumable?.earlier
  if (!earlier || earlier.exchanges.length === 0) return undefined
  const judged = new Set(earlier.judgements.map(({ result }) => result.id))
  const names = [...earlier.approvals.values()].flatMap(({ consent: { name, keepsCode } }) => {
    if (earlier.spent.has(name)) return []
    // A code lives for a minute: only its consent is left.
    const tried = checks.filter(
      ({ options }) => !options.spends && options.uses?.some((used) => used.name === name),
    )
    return keepsCode && !tried.every(({ id }) => judged.has(id)) ? [] : [name]
  })
  const works = await session.resume(names)
  return {
    since: earlier.since,
    checks: judged.size,
    approvals: works.length,
    requests: earlier.exchanges.length,
  }
}
