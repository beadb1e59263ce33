import { availableParallelism } from 'node:os'
import { drawn } from '../run/draw.ts'
import {
  type Alterations,
  amongOthers,
  CORRECT,
  type Job,
  loadAlterations,
  SEED,
} from '../run/jobs.ts'
import type { Proof } from '../run/prove.ts'
import { runInWorkers, spread } from '../run/share-proofs.ts'
import { groupFaults, groupVariants, LARGEST } from '../together/grouping.ts'
import { TOGETHER } from '../together/together.ts'
import { groupTpps, type TppJob } from '../tpp/grouping.ts'
import { loadTppProofs, type TppProof, tppsToProve } from '../tpp/prove-tpp.ts'
import { everyMoment, type NamedMoment, pairedMoments } from './moments.ts'
import { inOtherProcesses } from './other-processes.ts'
import { provePace } from './pace.ts'

/**
 * `npm run clock`: no outcome depends on the hour, the day, the zone, or the speed of the machine. Judges the correct
 * bank, every variant, a hundred faults and some TPPs at each hour and on days with a calendar change. By default each
 * hour is combined with one day, and each bank with a sixth of the moments; `--seed=2` to `--seed=6` select the others.
 * `--whole` combines everything, which takes a night.
 */

/** Each bank is judged at one of this many moments. */
const PARTS = 6

/** Minimum number of faults that are judged at a moment. */
const FAULTS = 100

function banksAt(all: Alterations, seed: number): Job[] {
  const groups = drawn(groupFaults(all.faults, LARGEST, TOGETHER), seed)
  const some: string[][] = []
  while (some.flat().length < FAULTS && groups.length > 0)
    some.push(groups.shift()?.map(({ id }) => id) ?? [])
  return [
    ...some.map((ids): Job => ({ kind: 'fault', ids })),
    { kind: 'correct', ids: [CORRECT.id] },
    ...groupVariants(all.variants, SEED).map(
      (group): Job => ({ kind: 'variant', ids: group.map(({ id }) => id) }),
    ),
  ]
}

/** Judges everything at one moment. Returns what does not hold, in words. */
async function sweepAt(
  moment: NamedMoment,
  jobs: Job[],
  tppJobs: TppJob[],
  all: Alterations,
): Promise<string[]> {
  const { at, zone, day, hour } = moment
  const under = [{ moment: { at, zone } }]
  const wrong: string[] = []
  let [banks, tpps] = [0, 0]
  const tell = ({ id, complaints, atFirst = [] }: Proof | TppProof) => {
    wrong.push(...complaints.map((words) => `${id}: ${words}`))
    for (const words of atFirst) console.log(`     ${id} at the second try; first: ${words}`)
  }
  const began = performance.now()
  await runInWorkers(
    {
      jobs: spread(jobs, under),
      done(proof) {
        banks += 1
        tell(proof)
      },
      again: (ids, round) => spread(amongOthers(all, ids, round), under),
    },
    {
      jobs: spread(tppJobs, under),
      done(proof) {
        tpps += 1
        tell(proof)
      },
    },
    availableParallelism() + 2,
    // The machine may be busy: slow is not wrong.
    { patience: 5 },
  )
  const seconds = Math.round((performance.now() - began) / 1000)
  const mark = wrong.length === 0 ? 'ok  ' : 'FAIL'
  console.log(`${mark} ${at} ${zone} (${day}, ${hour}): ${banks} banks, ${tpps} TPPs, ${seconds} s`)
  for (const words of wrong) console.log(`     ${words}`)
  return wrong
}

async function sweep(args: string[]): Promise<void> {
  if (args.includes('--pace')) {
    const wrong = await provePace(await loadAlterations())
    process.exitCode = wrong.length > 0 ? 1 : 0
    return
  }
  const asked = args.find((arg) => arg.startsWith('--seed='))
  const seed = asked ? Number(asked.slice('--seed='.length)) : SEED
  const whole = args.includes('--whole')
  const moments = whole ? everyMoment(Date.now()) : pairedMoments(Date.now(), seed)
  const [all, judges, tpps] = await Promise.all([loadAlterations(), loadTppProofs(), tppsToProve()])
  const clients = groupTpps(tpps, judges)
  const wrong: string[] = []
  for (const [index, moment] of moments.entries()) {
    const some = clients.filter((_, place) => place % moments.length === index)
    const banks = banksAt(all, index + 1)
    const part = banks.filter((_, place) => (place + index + seed) % PARTS === 0)
    wrong.push(...(await sweepAt(moment, whole ? banks : part, some, all)))
  }
  wrong.push(...inOtherProcesses(moments))
  wrong.push(...(await provePace(all)))
  console.log(
    `${moments.length} moments, ${wrong.length} outcomes that depend on them or on the pace`,
  )
  process.exitCode = wrong.length > 0 ? 1 : 0
}

if (process.argv[1] === import.meta.filename) await sweep(process.argv.slice(2))
