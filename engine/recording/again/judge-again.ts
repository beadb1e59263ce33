import type { Catalogue } from '../../catalogue/catalogue.ts'
import { endpointsOf } from '../../configuration/addresses.ts'
import { settlingTimeOf, USUAL_INTENT_CLAIM } from '../../configuration/resolve.ts'
import type { TargetDocument } from '../../configuration/target.ts'
import type { Literals, Rule } from '../../judge/rule.ts'
import type { ResponseSchema } from '../../judge/schemas.ts'
import { parsedJson } from '../../record/json.ts'
import type { ExchangeRecord, Report } from '../../report/report.ts'
import { checkInScope } from '../../run/scope.ts'
import type { Suites } from '../../run/suites.ts'
import { ownExchange } from '../own-records.ts'
import { isRedacted } from '../recorded.ts'
import { createRecordedJudging } from '../recorded-judging.ts'
import type { RecordingTarget } from '../recording-target.ts'
import { checksAgain, sentOf } from './checks.ts'
import { compositionAgain } from './composition.ts'
import { rulesAgain } from './rules.ts'
import { type Compared, nothingYet, type Said } from './said.ts'

/** Which parts of a run agree with its exchanges, which differ, and which the exchanges do not show. */
export interface Again {
  rules: Compared
  checks: Compared
  /** What is derived from checks and rules: counts, verdict, causes. */
  report: Compared
  /** Reasons for differences that are not forgery: another version of Assay, other documents, another target file. */
  unlike: string[]
  /** Lines that are not exchanges. */
  unread: Said[]
}

export interface RunToJudge {
  report: Report
  /** Content of exchanges.jsonl. */
  exchanges: string
  suites: Suites
  catalogue: Catalogue
  /** The target that was judged, if available, for its spellings and its clock. */
  target?: RecordingTarget
  /** Digest of the target file. */
  configurationDigest?: string
  /** Version of this Assay. */
  version: string
}

/**
 * Judges a run again from its sealed files. Rules are recomputed from the exchanges; the matchers of checks are applied
 * again, and everything derived from checks and rules is composed again. A recording or a certification of a client is
 * not judged again: its folder lacks the sources.
 */
export async function judgeAgain(run: RunToJudge): Promise<Again> {
  const { report, suites, catalogue } = run
  const { records, unread } = recordsIn(run.exchanges)
  const unlike = unlikeOf(run)
  const isOf = report.recording || report.target.side === 'TPP'
  const rules = isOf ? nothingYet() : await recomputed(run, records)
  const planned = report.recording || report.target.side === 'TPP' ? [] : plannedIn(run)
  const ownersOfSteps = new Set<string>(Object.values(suites.owners.steps))
  const checks = checksAgain(report, sentOf(records), { owners: ownersOfSteps, planned })
  const composed =
    report.target.side === 'TPP' ? nothingYet() : compositionAgain(report, records, catalogue)
  if (isOf) {
    const what = report.recording
      ? 'its folder has of the recording what it shows alone: judge the files again'
      : 'of a certification rules are not judged again'
    rules.untold.push({ id: 'rules', what })
  }
  return { rules, checks, report: composed, unlike, unread }
}

function recordsIn(text: string): { records: ExchangeRecord[]; unread: Said[] } {
  const records: ExchangeRecord[] = []
  const unread: Said[] = []
  const ids = new Set<string>()
  for (const [index, line] of text.split('\n').entries()) {
    if (line === '') continue
    const id = `exchanges.jsonl line ${index + 1}`
    const record = parsedJson(line)
    const read = ownExchange(record, id)
    const isOne = typeof read !== 'string' || read.startsWith('was written by assay judge')
    if (!isOne) unread.push({ id, what: read })
    else if (ids.has((record as ExchangeRecord).id)) {
      unread.push({ id, what: `is ${(record as ExchangeRecord).id}, which stands above already` })
    } else {
      ids.add((record as ExchangeRecord).id)
      records.push(record as ExchangeRecord)
    }
  }
  return { records, unread }
}

function unlikeOf({ report, catalogue, configurationDigest, version }: RunToJudge): string[] {
  const { assay, target } = report
  return [
    assay.version !== version && `Assay ${assay.version} made the run, and this is ${version}`,
    // A certification has its own requirements.
    target.side !== 'TPP' &&
      assay.specsDigest !== catalogue.digest &&
      'the run judged by other requirements than this Assay',
    configurationDigest !== undefined &&
      configurationDigest !== target.configurationDigest &&
      'the target file is another than that of the run',
  ].filter((each) => each !== false)
}

/** Ids of the checks in the scope of a run. */
function plannedIn({ report, suites, catalogue }: RunToJudge): string[] {
  return suites.checks
    .filter((check) => checkInScope(check, catalogue, report.scope))
    .map(({ id }) => id)
}

async function recomputed(run: RunToJudge, records: ExchangeRecord[]): Promise<Compared> {
  const { report, catalogue, suites, target } = run
  const layout = report.target.environment ?? 'production'
  const blind = target ? undefined : withoutTarget(suites)
  const { literals = {} } = blind ?? {}
  const judging = createRecordedJudging(
    target ?? { ...NO_TARGET, layout, literals },
    blind ?? suites,
  )
  for (const record of records) {
    const recorded = ownExchange(record, record.id)
    if (typeof recorded !== 'string') await judging.judge(recorded, record.id)
  }
  const hiding = new Set(
    records
      .filter(({ request: { url, body = '' } }) => isRedacted(url) || isRedacted(body))
      .map(({ id }) => id),
  )
  return rulesAgain(report, catalogue, {
    hides: (id) => hiding.has(id),
    states: judging.engine.states(),
    lacksOf: (id) => [
      ...(judging.lacksByRule.get(id)?.keys() ?? []),
      ...(blind?.readers.has(id) ? ['what the target file says (--target)'] : []),
    ],
  })
}

/** The defaults that apply without the target file. No real address is needed, because nothing is sent. */
const NO_TARGET: RecordingTarget = {
  layout: 'production',
  endpoints: endpointsOf({ addresses: { base_url: 'https://bank.invalid' } } as TargetDocument),
  clockTolerance: 60,
  settlingTime: settlingTimeOf({}),
  intentClaim: USUAL_INTENT_CLAIM,
  secrets: [],
  literals: {},
  clients: new Map(),
}

/**
 * The rules and schemas for a run without its target file, and the ids of those that read what only that file contains:
 * their findings may differ with it.
 */
function withoutTarget({ rules, schemas }: Pick<Suites, 'rules' | 'schemas'>) {
  const readers = new Set<string>()
  let isRead = false
  const unknown = () => {
    isRead = true
    return undefined
  }
  const literals: Literals = Object.defineProperties(
    {},
    Object.fromEntries(SPELLED.map((name) => [name, { get: unknown, enumerable: true }])),
  )
  const noting = (rule: Rule): Rule => ({
    ...rule,
    judge(exchange, tools) {
      isRead = false
      const findings = rule.judge(exchange, {
        ...tools,
        get earlier() {
          return tools.earlier
        },
        get clockTolerance() {
          isRead = true
          return tools.clockTolerance
        },
        get settlingTime() {
          isRead = true
          return tools.settlingTime
        },
      })
      if (isRead) readers.add(rule.id)
      return findings
    },
  })
  const notingSchema = (schema: ResponseSchema): ResponseSchema => ({
    ...schema,
    validate(json: unknown, given: Literals) {
      isRead = false
      const verdict = schema.validate(json, given)
      if (isRead) for (const id of verdict.findings.keys()) readers.add(id)
      return verdict
    },
  })
  return { literals, readers, rules: rules.map(noting), schemas: schemas.map(notingSchema) }
}

const SPELLED = ['panScheme', 'cardSchemes', 'intentClaim'] satisfies (keyof Literals)[]
