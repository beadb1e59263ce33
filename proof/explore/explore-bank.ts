import { startBank } from '../../bank/bank.ts'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { defaults } from '../../bank/state/settings.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import {
  type Explored,
  explore,
  type Finding,
  type Limits,
  type Parts,
} from '../../engine/explore/explore.ts'
import { openSession } from '../../engine/run/open.ts'
import type { ProofContext } from '../run/judge-bank.ts'

/** Without a rate limit: an exploration sends in a second more than a customer causes in a day. */
const SETTINGS = { rateLimit: { ...defaults.rateLimit, threshold: 1_000_000 } }

/** Explores a reference bank with these alterations, in this process. */
export async function exploreBank(
  { catalogue, suites, directory }: ProofContext,
  parts: Pick<Parts, 'consents' | 'values'>,
  alterations: (Alteration & { target?: (document: TargetDocument) => void })[],
  limits: Limits,
  tell?: (finding: Finding) => void,
): Promise<Explored & { milliseconds: number; fired: ReadonlyMap<string, number> }> {
  const started = performance.now()
  const bank = await startBank({ alterations, directory, settings: SETTINGS })
  const document = structuredClone(bank.target) as TargetDocument
  for (const { target } of alterations) target?.(document)
  const target = targetFrom(document)
  const session = openSession({ target, suites })
  try {
    const explored = await explore(session, { catalogue, ...parts }, limits, tell)
    await session.cleanUp()
    return { ...explored, milliseconds: performance.now() - started, fired: bank.firedBy }
  } finally {
    await session.close()
    await bank.close()
  }
}
