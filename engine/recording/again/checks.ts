import { matchers, ON_RECORD } from '../../judge/matchers.ts'
import type { Matched } from '../../record/check-result.ts'
import type { CheckResult, ExchangeRecord, Report } from '../../report/report.ts'
import type { Exchange } from '../../wire/exchange.ts'
import { jsonOf } from '../../wire/json-body.ts'
import { type Compared, nothingYet } from './said.ts'

/** The recorded exchanges of a run. */
export interface Sent {
  byId: ReadonlyMap<string, ExchangeRecord>
  /** Ids in the order of sending, by the check that sent them. */
  ofCheck: ReadonlyMap<string, readonly string[]>
  /** Position of an exchange among all exchanges. */
  placeOf(id: string): number
}

export function sentOf(records: readonly ExchangeRecord[]): Sent {
  const ofCheck = new Map<string, string[]>()
  for (const { id, about } of records) {
    if (typeof about.check !== 'string') continue
    const own = ofCheck.get(about.check)
    if (own) own.push(id)
    else ofCheck.set(about.check, [id])
  }
  const places = new Map(records.map(({ id }, index) => [id, index]))
  return {
    byId: new Map(records.map((record) => [record.id, record])),
    ofCheck,
    placeOf: (id) => places.get(id) ?? -1,
  }
}

/**
 * Compares the report's statements about each check with the recorded exchanges. What a check derived from bodies, from
 * several answers together or from pages is not judged again.
 */
export function checksAgain(
  report: Report,
  sent: Sent,
  { owners, planned }: { owners: ReadonlySet<string>; planned: readonly string[] },
): Compared {
  const compared = nothingYet()
  for (const check of report.checks) {
    const what = differenceIn(check, report, sent, owners)
    if (what !== undefined) compared.different.push({ id: check.id, what })
    else if (check.kind === 'rule') continue
    else if (isShown(check)) compared.same.push(check.id)
    else if (check.outcome === 'pass' || check.outcome === 'fail' || check.outcome === 'warn') {
      compared.untold.push({ id: check.id, what: 'rests on what its messages hold' })
    }
  }
  const named = new Set(report.checks.map(({ id }) => id))
  for (const id of planned.filter((each) => !named.has(each))) {
    compared.different.push({ id, what: 'the report no longer has it, though its scope has' })
  }
  return compared
}

/** True if the records of its exchanges alone show what the report says about the check. */
const isShown = ({ matched = [], control }: CheckResult): boolean =>
  matched.length > 0 || control !== undefined

function differenceIn(
  check: CheckResult,
  report: Report,
  sent: Sent,
  owners: ReadonlySet<string>,
): string | undefined {
  const named = [...check.exchanges, ...(check.control ? [check.control.exchange] : [])]
  const gone = named.find((id) => !sent.byId.has(id))
  if (gone !== undefined) return `it names ${gone}, which is not among the exchanges`
  if (check.kind === 'rule') return undefined
  return (
    ofWords(check) ??
    ofSent(check, report, sent, owners) ??
    ofOrder(check, sent) ??
    ofControl(check, sent) ??
    ofMatched(check, sent)
  )
}

/** The members that an outcome must have, and those that it must not have. */
function ofWords({ outcome, level, message, expected, cells }: CheckResult): string | undefined {
  if (outcome === 'fail' && level !== 'must') return `a ${level} is broken, and never failed`
  if (outcome === 'warn' && level !== 'should') return `a ${level} is broken, and never a warning`
  if (outcome !== 'pass') return undefined
  if (message !== '' || expected !== undefined) return 'a pass has no message, and it has one'
  const [broken] = cells?.broken ?? []
  return broken === undefined ? undefined : `it passes, and names ${broken} as broken`
}

/** A check must name what it sent. A shared step is sent once, and again where it ended, for its owner. */
function ofSent(
  { id, outcome, exchanges }: CheckResult,
  { partial }: Report,
  { ofCheck }: Sent,
  owners: ReadonlySet<string>,
): string | undefined {
  const own = ofCheck.get(id) ?? []
  const [first] = own
  if (first === undefined) return undefined
  if (outcome === 'not-run' && partial === undefined) return `${first} was sent for it`
  if (!['pass', 'fail', 'warn', 'observed'].includes(outcome) || owners.has(id)) return undefined
  if (own.some((each) => exchanges.includes(each))) return undefined
  return `${first} was sent for it, and it names nothing that was`
}

/** A pass must name its exchanges in the order of sending: only a broken check names the offending one first. */
function ofOrder({ outcome, exchanges }: CheckResult, { placeOf }: Sent): string | undefined {
  if (outcome !== 'pass') return undefined
  const [first = '', second] = exchanges
  if (second === undefined || placeOf(first) < placeOf(second)) return undefined
  return `it passes, and names ${first} first, as a check does of what is broken`
}

/** `GET accounts: 200` */
const ANSWER = /: (\d{3})$/

function ofControl({ control, outcome }: CheckResult, { byId }: Sent): string | undefined {
  if (!control || !['pass', 'fail', 'warn'].includes(outcome)) return undefined
  const record = byId.get(control.exchange)
  const status = record?.response?.status
  if (record?.about.deviation !== undefined)
    return `its control ${control.exchange} was no right request`
  const said = ANSWER.exec(control.summary)?.[1]
  if (said === undefined || Number(said) === status) return undefined
  return `its control ${control.exchange} was answered ${status ?? 'by nothing'}, and not ${said}`
}

/** For a pass, every matcher that its answers were held to must hold. */
function ofMatched({ matched = [], outcome }: CheckResult, { byId }: Sent): string | undefined {
  for (const each of matched) {
    const record = byId.get(each.exchange)
    if (!record) return `it names ${each.exchange}, which is not among the exchanges`
    const finding = outcome === 'pass' && foundIn(record, each)
    if (finding) return `it passes, and ${each.exchange} ${finding}`
  }
  return undefined
}

/** What a matcher finds in a recorded exchange; undefined if nothing is wrong, or the record does not show it. */
function foundIn(record: ExchangeRecord, { by, statuses = [] }: Matched): string | undefined {
  if (!ON_RECORD.has(by)) return undefined
  const { response } = record
  const isCut = response?.digest !== undefined
  if (isCut && by !== 'toHaveStatus' && by !== 'toSucceed' && by !== 'toBeRefused') return undefined
  const json = response && jsonOf(Buffer.from(response.body), response.body)
  const exchange = { ...record, ...(response && { response: { ...response, json } }) }
  const match = matchers[by as keyof typeof matchers] as (
    exchange: Exchange,
    ...rest: unknown[]
  ) => { message: string } | undefined
  return match(exchange as unknown as Exchange, ...statuses)?.message
}
