import { createHash } from 'node:crypto'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { stateOf } from '../../bank/state/state.ts'
import { type AskedCell, cellName } from '../../engine/judge/cells.ts'
import type { Scope } from '../../engine/run/scope.ts'
import type { Draw } from '../run/jobs.ts'
import { judgeBank, type ProofContext, summed } from '../run/judge-bank.ts'
import type { Proof } from '../run/prove.ts'
import { proveSecondClient } from './prove-second-client.ts'
import { isSignedAgain, TAKEN } from './taken.ts'

/**
 * Proves a table of values and places cell by cell: all cells, or those that a seed draws. One bank treats some of the
 * cells wrongly, another bank the others. The check that tests the table must name exactly those.
 */
export async function proveTable(context: ProofContext, owner: string, draw: Draw): Promise<Proof> {
  const check = context.suites.checks.find(({ id }) => id === owner)
  if (check?.options.for === 'each client') return proveSecondClient(context, owner)
  const scope: Pick<Scope, 'profile' | 'seed'> =
    draw === 'all' ? { profile: 'exhaustive' } : { profile: 'full', seed: draw }
  const halves = [
    await proveHalf(context, { owner, scope, half: 0 }),
    await proveHalf(context, { owner, scope, half: 1 }),
  ] as const
  const [one, other] = halves
  const sum = (of: 'fired' | 'requests' | 'milliseconds') => one.judged[of] + other.judged[of]
  const judged = {
    ...one.judged,
    fired: sum('fired'),
    requests: sum('requests'),
    milliseconds: sum('milliseconds'),
  }
  const complaints = [
    ...halves.flatMap((half) => half.complaints),
    ...(judged.fired === 0 ? ['no cell was met'] : []),
  ]
  return { id: owner, kind: 'table', judged, complaints }
}

async function proveHalf(
  context: ProofContext,
  { owner, scope, half }: { owner: string; scope: Pick<Scope, 'profile' | 'seed'>; half: number },
) {
  let asked: AskedCell | undefined
  const wrong = new Set<string>()
  const isWrong = (each: AskedCell) => each.owner === owner && halfOf(cellName(each.cell)) === half
  const alteration: Alteration = {
    id: `cells-${half}`,
    story: 'Each of these cells is answered as the right value is, or as a wrong one.',
    // So that requests with wrong certificates reach the bank, and tokens fetched with them can be used.
    settings: { tlsRefusal: 'status', certificateBoundTokens: false },
    policies: (correct) => ({
      registrationSigned: (verified) => isSignedAgain() || correct.registrationSigned(verified),
    }),
    async middleware(ctx, next) {
      const current = asked
      if (!current || !isWrong(current)) return next()
      const after = current.lawful ? undefined : takenOf(current)(ctx, current.right, current.made)
      if (after === false) return next()
      // Affect only the request that the cell is about.
      asked = undefined
      wrong.add(cellName(current.cell))
      stateOf(ctx).fired()
      if (current.lawful) {
        ctx.status = 400
        return undefined
      }
      if (after === 'answered') return undefined
      await next()
      after?.()
      return undefined
    },
  }
  const run = await judgeBank(context, [alteration], {
    scope: { ...scope, only: [owner] },
    onCell(cell) {
      // A type without an entry is an error of the check: in the bank, it would look like a refusal.
      if (cell && !cell.lawful) takenOf(cell)
      asked = cell
    },
  })
  const broken = new Set(run.results.get(owner)?.cells?.broken)
  const judged = summed(alteration.id, run)
  const complaints = [
    ...[...wrong].filter((name) => !broken.has(name)).map((name) => `${name}: wrong, and not told`),
    ...[...broken].filter((name) => !wrong.has(name)).map((name) => `${name}: told, and not wrong`),
    ...judged.errors.map((id) => `error in ${id}: ${judged.messages[id]}`),
  ]
  return { judged: { ...judged, fails: [owner] }, complaints }
}

function takenOf({ type }: AskedCell) {
  const taken = TAKEN[type]
  if (taken) return taken
  throw new TypeError(`proof/tables/taken.ts does not say how a ${type} is taken`)
}

/** 0 or 1, depending only on the cell's name. */
const halfOf = (name: string) => (createHash('sha256').update(name).digest()[0] ?? 0) % 2
