import { mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { preflight } from '../../engine/doctor/preflight.ts'
import { root } from '../../engine/record/root.ts'
import { readRun } from '../../engine/report/read-run.ts'
import type { ExchangeRecord, PreflightLine, Report } from '../../engine/report/report.ts'
import { configurationDigest } from '../../engine/run/configuration-digest.ts'
import { writeUnjudged } from '../../engine/run/crash-report.ts'
import { loadDeviations } from '../../engine/run/deviations.ts'
import { type Assignment, openJudging } from '../../engine/run/judging-process.ts'
import type { Scope } from '../../engine/run/scope.ts'
import { loadSuites } from '../../engine/run/suites.ts'
import type { SuiteCheck } from '../../engine/suite-api/check.ts'
import { loadFaults } from '../../proof/run/load.ts'
import { openBank } from '../directory.ts'
import { assay, targetFile } from '../evidence/cli.ts'
import { madeOnce } from '../once.ts'
import { CAUSES } from './caused.ts'

type Run = Pick<Recording, 'report' | 'exchanges'>

/** A run of a real bank, judged as `assay run` judges. */
export interface Recording {
  /** Folder of the run. */
  dir: string
  report: Report
  exchanges: ExchangeRecord[]
}

export interface Bank {
  faults: string[]
  /** A fault that is nobody's yet. */
  alteration?: Alteration
  /** The bank may not be burst, one check fails by a mistake of ours, and the run ends before the last. */
  troubled?: boolean
  /** The check after which the run is interrupted. */
  cut?: string
  scope?: Scope
  deviations?: boolean
}

const WHOLE: Scope = { profile: 'full', only: [] }

/** Of every bank that is recorded: what it does wrong, and how it is judged. */
const BANKS = {
  /** Judged by `assay run` in a process of its own. */
  correct: { faults: [] },
  faulty: {
    faults: [
      'no-certificate-needed',
      'to-filter-needs-from',
      'account-ids-per-token',
      'unknown-account-is-nothing',
    ],
  },
  /** The same bank, and all that it does wrong is known. */
  known: {
    faults: ['no-certificate-needed', 'to-filter-needs-from', 'account-ids-per-token'],
    deviations: true,
  },
  /** The correct bank, a part of it judged. */
  selected: { faults: [], scope: { profile: 'full', only: ['TXN-17/to-alone', 'ACC-05'] } },
  core: { faults: [], scope: { profile: 'core', only: [] } },
  quick: { faults: [], scope: { profile: 'quick', only: ['ACC-05', 'products'] } },
  /** Where the address of the bank is a port that nobody listens on. */
  absent: { faults: [] },
  /** Ctrl-C, half way. */
  interrupted: { faults: ['no-certificate-needed'], cut: 'SEC-01/funds-confirmation' },
  /** A run in which every outcome stands. */
  every: {
    faults: [
      'no-certificate-needed',
      'to-filter-needs-from',
      'account-ids-per-token',
      'unknown-account-is-nothing',
    ],
    alteration: {
      id: 'second-account-in-euros',
      story: 'A card that was issued abroad keeps its currency.',
      async middleware(ctx, proceed) {
        await proceed()
        if (!ctx.path.endsWith('/accounts') || ctx.status !== 200) return
        const { Data } = ctx.body as { Data: { Account: { Currency: string }[] } }
        if (Data.Account[1]) Data.Account[1].Currency = 'EUR'
      },
    },
    deviations: true,
    troubled: true,
  },
  /** A bank whose AccountIds nobody can rely on. */
  unstable: { faults: ['account-ids-per-call'] },
  ...CAUSES,
} satisfies Record<string, Bank>

/** The check in which we made a mistake, of the run `every`. */
export const MISTAKEN = 'BAL-12/recorded'

export type BankName = keyof typeof BANKS

/** What is known of the bank `known`, as a file of deviations says it. */
export const DEVIATIONS = `
- id: REG-01
  reason: The gateway of the sandbox asks for no certificate.
  ticket: PAY-4711
  owner: gateway team
  expires: 2099-01-31
- id: SEC-01
  reason: The gateway of the sandbox asks for no certificate.
  expires: 2099-01-31
- id: SEC-02
  reason: The gateway of the sandbox asks for no certificate.
  expires: 2099-01-31
- id: TXN-17/to-alone
  reason: The filter is built only when both parameters are sent.
  expires: 2099-01-31
- id: ACC-04
  reason: AccountIds are pseudonyms until release 14.
  expires: 2099-01-31
`

/** The recording of a bank, made by whoever asks for it first. */
export async function recorded(name: BankName): Promise<Recording> {
  const dir = join(await madeOnce(name, (folder) => record(name, folder)), 'run')
  const { report, exchanges } = await readRun(dir)
  return { dir, report, exchanges }
}

async function record(name: BankName, scratch: string): Promise<void> {
  const { faults, scope = WHOLE, deviations, alteration, troubled, cut } = BANKS[name] as Bank
  const all = await loadFaults()
  const alterations: Alteration[] = faults.map((id) => {
    const fault = all.find((each) => each.id === id)
    if (!fault) throw new Error(`no fault is called ${id}`)
    return fault
  })
  if (alteration) alterations.push(alteration)
  const bank = await openBank({ alterations })
  try {
    const document = { ...(bank.target as TargetDocument), name: 'staging' }
    if (troubled) delete document.rateLimitBurst
    if (name === 'absent') await bank.close()
    const out = join(scratch, 'run')
    if (name === 'correct') return await commanded(document, scratch, out)
    mkdirSync(out)
    const assignment: Assignment = {
      target: document,
      targetFile: join(scratch, 'staging.yaml'),
      configurationDigest: configurationDigest(document),
      base: scratch,
      scope,
      suites: join(root, 'suites'),
      out,
      version: '0.1.0',
      memory: join(scratch, '.assay'),
      ...(deviations && { deviations: loadDeviations(listed(scratch), loadCatalogue()) }),
    }
    if (name === 'absent') await unjudged(assignment, scratch)
    else {
      const catalogue = loadCatalogue()
      const suites = await loadSuites(assignment.suites, catalogue)
      const checks = troubled ? suites.checks.map(mistaken) : suites.checks
      const judging = await openJudging(assignment, catalogue, { ...suites, checks })
      const last = judging.checks.findIndex(({ id }) => id === cut) + 1
      const asked = judging.checks.slice(0, troubled ? -1 : last || undefined)
      for (const check of asked) await judging.judge(check)
      await judging.finish(troubled || cut ? 'the run was interrupted' : undefined)
    }
  } finally {
    if (name !== 'absent') await bank.close()
  }
}

/** By the command itself: what it says is compared with what is judged in one process. */
async function commanded(document: TargetDocument, scratch: string, out: string): Promise<void> {
  const { code } = await assay(['run', '--target', targetFile(scratch, document), '--out', out])
    .ended
  writeFileSync(join(scratch, 'code'), String(code))
}

/** As a check is in which we made a mistake. */
function mistaken(check: SuiteCheck): SuiteCheck {
  if (check.id !== MISTAKEN) return check
  return {
    ...check,
    run: async () => {
      throw new TypeError('a mistake of ours')
    },
  }
}

/** What `assay run` does where the doctor's first steps find nobody. */
async function unjudged(assignment: Assignment, base: string): Promise<void> {
  const startedAt = new Date()
  const lines = await preflight(targetFrom(assignment.target, base))
  const told = lines.map((line): PreflightLine => {
    const { name, level, text } = line
    return line.level === 'wrong'
      ? { name, level, text, whose: 'network', mend: line.mend }
      : { name, level, text }
  })
  await writeUnjudged(assignment, told, startedAt)
}

function listed(folder: string): string {
  const file = join(folder, 'deviations.yaml')
  writeFileSync(file, DEVIATIONS)
  return file
}

/** A run once more, to be changed. */
export function copied(
  { report, exchanges }: Run,
  change: Partial<Report> = {},
): { report: Report; exchanges: ExchangeRecord[] } {
  return { report: { ...structuredClone(report), ...change }, exchanges }
}

/** A few checks of each outcome and level, with what belongs to them: small enough to be swollen. */
export function excerptOfRun(run: Run, each = 2): Run {
  const { report } = copied(run)
  const taken = new Map<string, number>()
  const checks = report.checks.filter(({ outcome, level, deviation }) => {
    const kind = `${outcome} ${level} ${deviation !== undefined}`
    taken.set(kind, (taken.get(kind) ?? 0) + 1)
    return (taken.get(kind) ?? 0) <= each
  })
  const ids = new Set(checks.map(({ id }) => id))
  const named = new Set(checks.map(({ requirement }) => requirement))
  const requirements = report.requirements
    .filter(({ id, notTested }) => named.has(id) || notTested !== undefined)
    .map((requirement) => ({
      ...requirement,
      checks: requirement.checks.filter((id) => ids.has(id)),
    }))
  const evidence = new Set(
    checks.flatMap(({ exchanges, control }) => [...exchanges, control?.exchange]),
  )
  const exchanges = run.exchanges.filter(({ id }, i) => i < 40 || evidence.has(id))
  const causes = report.causes.map((cause) => ({
    ...cause,
    findings: cause.findings.filter((id) => ids.has(id)),
    blocks: cause.blocks.filter((id) => ids.has(id)),
  }))
  return { report: { ...report, checks, requirements, causes }, exchanges }
}
