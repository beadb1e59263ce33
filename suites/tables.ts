import { type Cell, cellName } from '../engine/suite-api/cells.ts'
import type { Context } from '../engine/suite-api/check.ts'
import type { NamedConsent } from '../engine/suite-api/consents.ts'
import {
  matchers,
  noteMatched,
  noteNegative,
  requireReachable,
} from '../engine/suite-api/expect.ts'
import { blockBy, Nonconformance, NotApplicable } from '../engine/suite-api/outcomes.ts'
import type { Exchange } from '../engine/suite-api/responses.ts'
import type { Finding } from '../engine/suite-api/rule.ts'
import type { Value, ValueType } from './values/value-type.ts'

/**
 * A requirement, a type of value, and the places where the requirement applies. One check asks
 * every wrong value at every place, or those that the run draws, and names each cell that failed.
 */
export interface Table<Right, Made, Used extends NamedConsent = never> {
  /** Id of the check that judges it, also when other checks ask it. */
  owner: string
  type: ValueType<Right, Made>
  /** The rows that the requirement is about: those of its level, wrong or lawful. */
  rows: (row: Value<Right, Made>) => boolean
  places: readonly Place<Right, Made, Used>[]
  /** Places where another check asks the same values and takes a part of the draw. */
  beside?: readonly Pick<Place<Right, Made, Used>, 'name' | 'kind' | 'dear'>[]
}

/** Where a value is sent, and by whom. */
export interface Place<Right, Made, Used extends NamedConsent = never> {
  /** `delete-account-access-consent, second client` */
  name: string
  /** The part of a bank's code that protects it: “consents”, “data”. */
  kind: string
  /** One value of each part of the grammar is enough, unless the run asks every cell. */
  dear?: true
  /**
   * An accepted wrong value creates something that nobody can undo, a client or an
   * approval: after so many the rest is not asked, unless the run asks every cell.
   */
  enough?: number
  /**
   * Creates the subject of the request and sends the correct request, the control for the following ones. One
   * subject is enough for all values as long as each is refused. Undefined where nothing could show a difference.
   */
  open(context: Context<Used>): Promise<OpenPlace<Right, Made> | undefined>
}

/** The same places, with one value of each part of the grammar. */
export const dear = <Right, Made, Used extends NamedConsent = never>(
  places: readonly Place<Right, Made, Used>[],
): Place<Right, Made, Used>[] => places.map((place) => ({ ...place, dear: true }))

export interface OpenPlace<Right, Made> {
  right: Right
  /** The correct request with this value instead; `deviation` says what is wrong with it. */
  ask(made: Made, deviation: string): Promise<Exchange | Answered>
  /** Can the subject still be used? True where absent. A code is valid for a minute. */
  lasts?(): boolean
  /** Judges an answer to a wrong value, where it is not enough that it is any refusal. */
  judge?: (answer: Exchange) => Finding | undefined
  /** After all values: shows that the subject of the requests is unchanged. Absent where nothing can change it. */
  after?(): Promise<Exchange>
}

/** A result of more than one exchange, such as a visit, judged by the place. */
export interface Answered {
  /** Absent where nothing was sent, or where a driver reports no exchange. */
  exchange?: Exchange
  /** Why a wrong value was accepted, or a lawful one refused. */
  finding?: Finding
}

/** The results of a table. */
export interface Asked {
  /** Cells whose value was not answered as required. */
  broken: { cell: Cell; finding: Finding; exchange?: Exchange }[]
  /** For each place, the exchange that shows that its subject is unchanged. */
  after: Exchange[]
}

/**
 * Asks a table.
 *
 * @throws Blocked by the owner of a place whose correct request fails; NotApplicable where no value could be asked.
 */
export async function askTable<Right, Made, Used extends NamedConsent = never>(
  context: Context<Used>,
  { owner, type, rows, places, beside = [] }: Table<Right, Made, Used>,
): Promise<Asked> {
  const byName = new Map(places.map((place) => [place.name, place]))
  const values = new Map<string, Value<Right, Made>>()
  for (const { rows: some = [] } of type.parts) {
    for (const row of some.filter(rows)) values.set(row.id, row)
  }
  const own = cellsOf(type, rows, [...byName.values()])
  const chosen = context.cells(owner, own, cellsOf(type, rows, beside))
  const asked: Asked = { broken: [], after: [] }
  let count = 0
  for (const place of byName.values()) {
    const here = chosen.filter((cell) => cell.place === place.name)
    if (here.length === 0) continue
    const all = own.filter((cell) => cell.place === place.name && !here.includes(cell))
    const {
      broken,
      after,
      count: sent,
    } = await askPlace(context, {
      owner,
      type,
      place,
      cells: here,
      all,
      values,
    })
    asked.broken.push(...broken)
    asked.after.push(...after)
    count += sent
  }
  if (count === 0)
    throw new NotApplicable(`no ${type.name} could be made that is wrong in this way`)
  return asked
}

const MISSING = 'that is missing'

/** What is wrong with a request that has this value: “a redirect URI with a port”, “a missing client certificate”. */
export const deviationOf = <Right, Made>(
  { name }: Pick<ValueType<Right, Made>, 'name'>,
  { words }: Value<Right, Made>,
): string =>
  words.startsWith(MISSING)
    ? `a missing ${name}${words.slice(MISSING.length)}`
    : `${/^[aeio]/i.test(name) ? 'an' : 'a'} ${name} ${words}`

/** Each of these rows at each of these places. */
export function cellsOf<Right, Made>(
  { parts }: ValueType<Right, Made>,
  rows: (row: Value<Right, Made>) => boolean,
  places: readonly (Pick<Cell, 'kind' | 'dear'> & { name: string })[],
): Cell[] {
  return parts.flatMap(({ part: group, rows: some = [] }) =>
    some.filter(rows).flatMap(({ id: value }) =>
      places.map(({ name: place, kind, dear }) => ({
        ...{ value, group, place, kind },
        ...(dear && { dear }),
      })),
    ),
  )
}

async function askPlace<Right, Made, Used extends NamedConsent>(
  context: Context<Used>,
  parts: {
    owner: string
    type: ValueType<Right, Made>
    place: Place<Right, Made, Used>
    cells: readonly Cell[]
    /** The other cells at this place. */
    all: Cell[]
    values: ReadonlyMap<string, Value<Right, Made>>
  },
): Promise<Asked & { count: number }> {
  const { owner, type, place, cells, all, values } = parts
  const { enough = Number.POSITIVE_INFINITY } = place
  const broken: Asked['broken'] = []
  let count = 0
  let open: OpenPlace<Right, Made> | undefined
  /** Another cell of the part, if one per part is enough and the drawn one does not exist for this right value. */
  const instead = ({ group }: Cell, madeOf: (cell: Cell) => unknown): Cell | undefined => {
    const at = place.dear
      ? all.findIndex((other) => other.group === group && madeOf(other) !== undefined)
      : -1
    return at < 0 ? undefined : all.splice(at, 1)[0]
  }
  for (const drawn of cells) {
    const old = open?.lasts?.() === false
    if ((old || broken.length >= enough) && !context.asksEveryCell) break
    if (old) open = undefined
    open ??= await place.open(context)
    if (!open) break
    const { right } = open
    const madeOf = ({ value }: Cell) => values.get(value)?.make(right)
    const cell = madeOf(drawn) === undefined ? instead(drawn, madeOf) : drawn
    if (cell !== drawn) context.lacksCell(owner)
    const row = cell && values.get(cell.value)
    const made = row?.make(right)
    if (!row || made === undefined) continue
    context.asks({
      ...{ cell, owner, type: type.name },
      ...{ lawful: row.lawful === true, right, made },
    })
    let answer = await open.ask(made, deviationOf(type, row))
    if (row.lawful && isUnauthorised(answer)) {
      // Another check judges whether an access token expired too soon: repeat the correct request and the value.
      open = await place.open(context)
      if (!open) break
      answer = await open.ask(made, deviationOf(type, row))
    }
    count += 1
    const { exchange, finding } = 'request' in answer ? judged(answer, row, open) : answer
    noteNegative()
    if (!finding) continue
    broken.push({ cell, finding, ...(exchange && { exchange }) })
    // An accepted value may have ended the subject of the requests.
    open = undefined
  }
  context.asks(undefined)
  const after = await open?.after?.()
  return { broken, after: after ? [after] : [], count }
}

const isUnauthorised = (answer: Exchange | Answered): boolean =>
  ('request' in answer ? answer : answer.exchange)?.response?.status === 401

function judged<Right, Made>(
  exchange: Exchange,
  { lawful }: Value<Right, Made>,
  { judge = matchers.toBeRefused }: OpenPlace<Right, Made>,
): Answered {
  requireReachable(exchange)
  const finding = lawful ? matchers.toSucceed(exchange) : judge(exchange)
  const matcher = lawful ? matchers.toSucceed : judge
  if (matcher === matchers.toSucceed || matcher === matchers.toBeRefused) {
    noteMatched(exchange, matcher.name, finding !== undefined)
  }
  return { exchange, ...(finding && { finding }) }
}

/**
 * Ends the check with all cells that failed, the first in detail.
 *
 * @throws Nonconformance
 */
export function expectNoneBroken({ broken }: Asked, type: Pick<ValueType<never, never>, 'name'>) {
  const [first] = broken
  if (!first) return
  throw new Nonconformance({
    ...first.finding,
    message: `${first.finding.message} (${type.name} ${cellName(first.cell)})${moreOf(broken)}`,
    exchange: first.exchange,
    cells: broken.map(({ cell }) => cellName(cell)),
  })
}

/** Ends the check as blocked where a cell failed; the check that asks the table reports it. */
export function relyOnNoneBroken({ broken: [first] }: Asked, owner: string): void {
  if (first) blockBy(owner, `relies on ${owner}: ${first.finding.message}`, first.exchange)
}

/**
 * Asks a table, and ends the check with all cells that failed.
 *
 * @throws Nonconformance, Blocked
 */
export async function expectTable<Right, Made, Used extends NamedConsent = never>(
  context: Context<Used>,
  table: Table<Right, Made, Used>,
): Promise<void> {
  expectNoneBroken(await askTable(context, table), table.type)
}

/** The other cells that failed: only the values of cells at the place of the first one. */
function moreOf([first, ...others]: Asked['broken']): string {
  if (others.length === 0) return ''
  const names = others.map(({ cell }) =>
    cell.place === first?.cell.place ? cell.value : cellName(cell),
  )
  return `; the same with ${others.length} more: ${listed(names)}`
}

/** As many as fit on a line; the report lists all. */
function listed(names: readonly string[]): string {
  const shown = names.slice(0, 4).join(', ')
  return names.length > 4 ? `${shown}, …` : shown
}
