import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { groupTpps } from '../proof/tpp/grouping.ts'
import { tppMatrixPage } from '../proof/tpp/matrix-page.ts'
import {
  loadTppProofs,
  lostProof,
  type TppJudges,
  type TppProof,
  tppsToProve,
  uncaught,
} from '../proof/tpp/prove-tpp.ts'
import { shareAmong } from '../proof/worker-pool.ts'
import { named } from './bank-alterations.ts'
import { processes } from './processes.ts'

const BUILT = import.meta.url.endsWith('.js')

/** Milliseconds for one client, longer than all scenarios take on a busy machine. */
const PATIENCE = 300_000

/** `assay prove --tpp`, without the banks. */
export async function proveTppsOnly(options: {
  tpp: string[] | true
  page?: string
  processes?: string
  alone?: boolean
}): Promise<void> {
  const ids = options.tpp === true ? [] : options.tpp
  process.exitCode = (await proveTpps(ids, options)) ? 0 : 1
}

/** `assay prove --tpp`: the right TPP passes, each wrong one is caught, no lawful one is blamed. */
export async function proveTpps(
  ids: string[],
  options: { page?: string; processes?: string; alone?: boolean } = {},
): Promise<boolean> {
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
    // A group that does not hold is halved again and again: twice as many clients as it has members.
    patience: (group) => PATIENCE * 2 * group.length,
    done(proof) {
      proofs.push(proof)
      show(proof, proofs.length, chosen.length)
    },
    lost: (group, why) => group.map((id) => lostProof(id, kinds.get(id) ?? 'wrong', why)),
  })
  const gaps = ids.length === 0 ? uncaught(proofs, judges) : []
  for (const id of gaps) console.log(`FAIL ${id} can fail, but no wrong TPP shows it`)
  say(proofs, judges, (Date.now() - began) / 1000)
  if (options.page && ids.length === 0) {
    const order = new Map(byId.map(({ id }, index) => [id, index]))
    proofs.sort((a, b) => (order.get(a.id) ?? 0) - (order.get(b.id) ?? 0))
    writeFileSync(options.page, tppMatrixPage(proofs, all, judges))
  }
  return gaps.length === 0 && proofs.every(({ complaints }) => complaints.length === 0)
}

function show(proof: TppProof, n: number, of: number) {
  const { id, kind, milliseconds, requests, complaints, atFirst = [], besides } = proof
  const mark = complaints.length === 0 ? 'ok  ' : 'FAIL'
  const place = `${String(n).padStart(String(of).length)}/${of}`
  const shared = besides ? `, as ${besides}` : ''
  console.log(
    `${mark} ${place} ${kind} TPP ${id} (${milliseconds} ms, ${requests} requests${shared})`,
  )
  for (const complaint of complaints) console.log(`       ${complaint}`)
  if (complaints.length > 0) return
  for (const complaint of atFirst) console.log(`       at the second try; first: ${complaint}`)
}

function say(proofs: TppProof[], { suites }: TppJudges, seconds: number): void {
  const of = (kind: TppProof['kind']) => proofs.filter((each) => each.kind === kind)
  const holds = proofs.filter(({ complaints }) => complaints.length === 0).length
  const caught = of('wrong').filter(({ fails, warns }) => fails.length + warns.length > 0).length
  console.log(
    `${suites.scenarios.length} scenarios, ${suites.rules.length} rules; ${caught} of ${of('wrong').length} wrong TPPs caught, ${of('lawful').length} lawful ones`,
  )
  console.log(`${holds} of ${proofs.length} proofs hold (${seconds.toFixed(1)} s)`)
}
