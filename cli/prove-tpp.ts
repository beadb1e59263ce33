import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { groupTpps } from '../proof/tpp/grouping.ts'
import { tppMatrixPage } from '../proof/tpp/matrix-page.ts'
import {
  loadTppProofs,
  lostProof,
  type TppProof,
  tppsToProve,
  uncaught,
} from '../proof/tpp/prove-tpp.ts'
import { shareAmong } from '../proof/worker-pool.ts'
import { named } from './bank-alterations.ts'
import { allHold, processes, show } from './prove-output.ts'

const BUILT = import.meta.url.endsWith('.js')

/** Milliseconds for one client, tried twice, longer than all scenarios take on a busy machine. */
const PATIENCE = 600_000

/** `assay prove --tpp`, without the banks. */
export async function proveTppsOnly(options: Options & { tpp: string[] | true }): Promise<void> {
  const ids = options.tpp === true ? [] : options.tpp
  process.exitCode = (await proveTpps(ids, options)) ? 0 : 1
}

type Options = { page?: string; processes?: string; alone?: boolean }

/** `assay prove --tpp`: the right TPP passes, each wrong one is caught, no lawful one is blamed. */
export async function proveTpps(ids: string[], options: Options): Promise<boolean> {
  const began = Date.now()
  const all = await tppsToProve()
  const judges = await loadTppProofs()
  const byId = all.map((each) => ({ ...each, id: each.tpp.id }))
  const chosen = ids.length > 0 ? named('TPP', byId, ids) : byId
  const proofs: TppProof[] = []
  const kinds = new Map(all.map(({ kind, tpp }) => [tpp.id, kind]))
  const alone = options.alone || ids.length > 0
  await shareAmong<string[], TppProof>({
    script: join(import.meta.dirname, '..', 'proof', 'tpp', `worker.${BUILT ? 'js' : 'ts'}`),
    queue: alone ? chosen.map(({ id }) => [id]) : groupTpps(all, judges),
    processes: processes(options),
    patience: PATIENCE,
    done(proof) {
      proofs.push(proof)
      show({ ...proof, kind: `${proof.kind} TPP` }, proofs.length, chosen.length)
    },
    lost: (group, why) => group.map((id) => lostProof(id, kinds.get(id) ?? 'wrong', why)),
  })
  const gaps = ids.length === 0 ? uncaught(proofs, judges) : []
  for (const id of gaps) console.log(`FAIL ${id} can fail, but no wrong TPP shows it`)
  const of = (kind: TppProof['kind']) => proofs.filter((each) => each.kind === kind)
  const caught = of('wrong').filter(({ fails, warns }) => fails.length + warns.length > 0).length
  const { scenarios, rules } = judges.suites
  console.log(
    `${scenarios.length} scenarios, ${rules.length} rules; ${caught} of ${of('wrong').length} wrong TPPs caught, ${of('lawful').length} lawful ones`,
  )
  const holds = allHold(proofs, began)
  if (options.page && ids.length === 0) {
    const order = new Map(byId.map(({ id }, index) => [id, index]))
    proofs.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
    writeFileSync(options.page, tppMatrixPage(proofs, all, judges))
  }
  return gaps.length === 0 && holds
}
