import { say, shown } from '../engine/report/terminal.ts'
import { runInWorkers, spread, type TppProofs } from '../proof/run/share-proofs.ts'
import { groupTpps, tppsAlone } from '../proof/tpp/grouping.ts'
import { tppMatrixPage } from '../proof/tpp/matrix-page.ts'
import { loadTppProofs, type TppProof, tppsToProve, uncaught } from '../proof/tpp/prove-tpp.ts'
import { named } from './bank-alterations.ts'
import { type CircumstanceOptions, circumstancesOf } from './circumstances.ts'
import { allHold, processes, show, writeMatrix } from './prove-output.ts'

/** `assay prove --tpp`: proves the TPPs, without the banks. */
export async function proveTppsOnly(
  options: Options & CircumstanceOptions & { tpp: string[] | true },
): Promise<void> {
  const began = Date.now()
  const ids = options.tpp === true ? [] : options.tpp
  const proof = await openTppProof(ids, options)
  const jobs = spread(proof.jobs, circumstancesOf(options))
  await runInWorkers(undefined, { ...proof, jobs }, processes(options))
  process.exitCode = proof.finish(began) ? 0 : 1
}

type Options = { page?: string; processes?: string; alone?: boolean }

/** What is to be proven about TPPs, and the results. */
interface TppProofing extends TppProofs {
  /** Prints the results. True when the right TPP passes, each wrong one is caught and no lawful one is blamed. */
  finish(began: number): boolean
}

/**
 * The proof of the TPPs with these ids, or of all.
 *
 * @throws UsageError for an unknown id
 */
export async function openTppProof(ids: string[], options: Options): Promise<TppProofing> {
  const all = await tppsToProve()
  const judges = await loadTppProofs()
  const byId = all.map((each) => ({ ...each, id: each.tpp.id }))
  const chosen = ids.length > 0 ? named('TPP', byId, ids) : byId
  const proofs: TppProof[] = []
  const alone = options.alone || ids.length > 0
  return {
    jobs: alone ? tppsAlone(chosen) : groupTpps(all, judges),
    done(proof) {
      proofs.push(proof)
      show({ ...proof, kind: `${proof.kind} TPP` }, proofs.length, chosen.length)
    },
    finish(began) {
      const gaps = ids.length === 0 ? uncaught(proofs, judges) : []
      for (const id of gaps) say(shown`FAIL ${id} can fail, but no wrong TPP shows it`)
      const of = (kind: TppProof['kind']) => proofs.filter((each) => each.kind === kind)
      const caught = of('wrong').filter(({ fails, warns }) => fails.length + warns.length > 0)
      const { scenarios, rules } = judges.suites
      say(
        shown`${scenarios.length} scenarios, ${rules.length} rules; ${caught.length} of ${of('wrong').length} wrong TPPs caught, ${of('lawful').length} lawful ones`,
      )
      const holds = allHold('TPPs', proofs, began)
      if (options.page && ids.length === 0) {
        const order = new Map(byId.map(({ id }, index) => [id, index]))
        proofs.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
        writeMatrix(options.page, 'tpps.md', tppMatrixPage(proofs, all, judges))
      }
      return gaps.length === 0 && holds
    },
  }
}
