import { answerOf } from '../judge/answer-words.ts'
import type { createCleanup } from './cleanup.ts'
import type { ClientSteps } from './client-steps.ts'
import type { FundsSteps } from './funds-steps.ts'
import type { ClientName } from './parties.ts'

/** What is still at the bank after a run, and why. */
export interface LeftBehind {
  kind: 'consent' | 'client'
  id: string
  why: string
}

/**
 * Removes every consent that a run made, but for those it goes on with.
 *
 * @param spared ids of those.
 */
export async function deleteLeftovers(
  {
    leftovers,
    clients,
    funds,
  }: {
    leftovers: ReturnType<typeof createCleanup>
    clients: ClientSteps
    funds: FundsSteps
  },
  spared: ReadonlySet<string>,
): Promise<LeftBehind[]> {
  const reasons = new Map<string, string>()
  for (const { kind, path, id, client } of leftovers.list()) {
    if (kind === 'client') continue
    if (spared.has(id)) {
      reasons.set(id, 'kept for the run that goes on; assay run --fresh deletes it')
      continue
    }
    try {
      const caller = await clients.caller(client as ClientName)
      const exchange = path.startsWith('funds')
        ? await funds.deleteFunds(caller, id)
        : await caller.delete(`/${path}/${encodeURIComponent(id)}`)
      reasons.set(id, `its deletion answered ${answerOf(exchange)}`)
    } catch (error) {
      reasons.set(id, (error as Error).message)
    }
  }
  const unable = 'the interface has no way to remove a client'
  return leftovers.list().map(({ kind, id }) => ({
    kind,
    id,
    why: kind === 'client' ? unable : (reasons.get(id) ?? 'it was not deleted'),
  }))
}
