import { startBank } from '../../bank/bank.ts'
import { createDirectory } from '../../bank/directory/directory.ts'
import type { Bank } from '../../bank/running-bank.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { loadFaults } from '../run/load.ts'
import { severalAtATime } from '../run/several.ts'
import { DEFECT_SITUATIONS } from './defects.ts'
import { FILE_MISTAKES } from './file-mistakes.ts'
import { GATEWAY_ALTERATIONS, GATEWAYS } from './gateways.ts'
import { judgeSituation, type Taken } from './judge-situation.ts'
import type { Situation, Surroundings } from './situation.ts'
import { INTERRUPTIONS, TROUBLES } from './troubles.ts'

export const SITUATIONS: readonly Situation[] = [
  ...FILE_MISTAKES,
  ...TROUBLES,
  ...GATEWAYS,
  ...INTERRUPTIONS,
  ...DEFECT_SITUATIONS,
]

/** A situation, how it was handled, and what is wrong with that. */
export interface SituationProof {
  situation: Situation
  taken: Taken
  complaints: string[]
}

/**
 * Runs both commands in each situation, several at a time.
 *
 * @param tell called with each proof as soon as it is known.
 */
export async function proveSituations(
  situations: readonly Situation[],
  processes: number,
  tell: (proof: SituationProof) => void,
): Promise<SituationProof[]> {
  const directory = await createDirectory()
  const [bank, other] = [await startBank({ directory }), await startBank({})]
  const faults = await loadFaults()
  const about = surroundingsOf(bank, other)
  try {
    return await severalAtATime(situations, processes, async (situation) => {
      const { id, fault } = situation
      const alteration = GATEWAY_ALTERATIONS.get(id) ?? faults.find((each) => each.id === fault)
      const own = alteration && (await startBank({ directory, alterations: [alteration] }))
      const taken = await judgeSituation(own ?? bank, about, situation)
      await own?.close()
      const proof = { situation, taken, complaints: complaintsOf(situation, taken) }
      tell(proof)
      return proof
    })
  } finally {
    await bank.close()
    await other.close()
    await directory.close()
  }
}

function surroundingsOf(bank: Bank, other: Bank): Surroundings {
  const document = bank.target as TargetDocument
  const others = other.target as TargetDocument
  const { expired } = document.refusedCertificates ?? {}
  if (!expired) throw new Error('the reference bank hands over an expired certificate')
  return {
    other: others,
    expired: expired as Surroundings['expired'],
    strayKey: String(others.clients.first.signing.key),
  }
}

/** Output that a user must never see. */
const STACK = /^\s+at .*\d+:\d+\)?$/m

function complaintsOf({ expects }: Situation, { run, doctor }: Taken): string[] {
  const { exit, whose, words } = expects
  return [
    ...(exit.includes(run.exit ?? -1)
      ? []
      : [`run: exit code ${run.exit}, not ${exit.join(' or ')}`]),
    ...(whose && run.whose !== undefined && !whose.includes(run.whose)
      ? [`run: of the ${run.whose} (${run.title}), not ${whose.join(' or ')}`]
      : []),
    ...(words.test(run.said) ? [] : [`run: does not say ${words}`]),
    ...(STACK.test(run.said) || STACK.test(doctor.said) ? ['a stack trace'] : []),
    ...(expects.doctor && !expects.doctor.includes(doctor.exit ?? -1)
      ? [`doctor: exit code ${doctor.exit}, not ${expects.doctor.join(' or ')}`]
      : []),
    ...(expects.doctor && !expects.doctor.includes(0) && !words.test(doctor.said)
      ? [`doctor: does not say ${words}`]
      : []),
  ]
}
