import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Result } from '../../engine/judge/results.ts'
import type { Scope } from '../../engine/run/scope.ts'
import { judgeBank, openProofContext } from '../../proof/run/judge-bank.ts'
import { loadFaults } from '../../proof/run/load.ts'
import type { Fault } from '../../proof/run/proof.ts'
import { groupFaults } from '../../proof/together/grouping.ts'
import { openDirectory } from '../directory.ts'
import { madeOnce } from '../once.ts'

/** A bank that several ways of judging are compared on. */
export interface Compared {
  name: string
  alterations: Fault[]
  scope: Scope
}

// A command looks at the configuration before its run: whatever counts those requests begins later there.
const counts = ({ fails }: Fault) => fails.includes('DISC-01/again')

const faults = (await loadFaults()).filter((fault) => !fault.target && !counts(fault))
const groups = groupFaults(faults)

/** Found by a check, by rules in code, by a rule that shares its id with a check, and by a schema. */
const KINDS = [
  'to-filter-needs-from',
  'lists-are-partial-content',
  'single-period-not-applied',
  'debits-spelled-booked-in-capitals',
]

/**
 * Each is told apart from the others, and none of them shows by which request comes first, nor by how long a run takes: a
 * process of its own has an order, and a speed, of its own.
 */
const TOGETHER = [
  'product-errors-without-words',
  'row-of-another-transactions-absent',
  'period-ignored-transactions-second-client',
  'later-clients-need-no-permission',
  'account-ids-per-confirmation',
  'funds-consents-that-expire-are-not-deleted',
  'revoked-consents-have-no-risk',
  'consents-of-the-second-client-are-not-found',
  'consents-queried-with-an-expired-token',
  'assertion-other-client-id-for-authorization-code',
  'refresh-token-of-whom-the-form-names',
  'id-token-expires-in-milliseconds',
  'client-found-by-consent',
  'one-redirect-uri-of-the-statement-is-enough',
  'data-in-a-list',
]

/** A bank that keeps much from being judged. */
export const ALONE: Compared = {
  name: 'alone',
  alterations: groups.find(({ length }) => length === 1) ?? [],
  scope: { profile: 'core', only: [] },
}

/** A bank with many faults. */
export const MANY: Compared = {
  name: 'many',
  alterations: [
    ...faults.filter(({ id }) => KINDS.includes(id)),
    ...TOGETHER.flatMap((id) => faults.find((fault) => fault.id === id) ?? []),
  ],
  scope: { profile: 'full', only: [] },
}

/** The same bank, judged where four of its faults show. */
export const MANY_IN_PART: Compared = {
  ...MANY,
  name: 'many-in-part',
  scope: { profile: 'full', only: ['accounts', 'transactions'] },
}

/** What one process says of it, as `assay prove` judges: once for all files. */
export async function judged({ name, alterations, scope }: Compared) {
  const made = await madeOnce(`judged-${name}`, async (folder) => {
    const context = await openProofContext(openDirectory())
    const { results, exitCode } = await judgeBank(context, alterations, { scope })
    const told = { results: [...results.values()], exitCode }
    writeFileSync(join(folder, 'judged.json'), JSON.stringify(told))
  })
  const text = readFileSync(join(made, 'judged.json'), 'utf8')
  return JSON.parse(text) as { results: Result[]; exitCode: number }
}
