import type { Exchange } from '../../engine/wire/exchange.ts'
import { judgeBank, type ProofContext } from './judge-bank.ts'

/** What damaged copies of recorded answers show about the schemas. */
export interface MutantProof {
  /** Number of answers that were recorded and damaged. */
  recorded: number
  made: number
  /** Rules that at least one mutant broke. */
  caught: Set<string>
  /** Mutants that break more than one rule, and recorded answers that break any. */
  complaints: string[]
}

/** Longer answers show nothing that a shorter one does not show. */
const LONGEST = 200_000
/** Number of array elements that are damaged, as they are similar. */
const ELEMENTS = 3

/**
 * Records the answers of the correct bank, damages each place of each answer (dropped, retyped, a wrong constant) and
 * judges them by the schemas: every mutant breaks at most one rule, and every rule of a schema is broken by some
 * mutant.
 */
export async function proveMutants(context: ProofContext): Promise<MutantProof> {
  const recorded: Recorded[] = []
  await judgeBank(context, [], {
    onExchange: (exchange) => void recorded.push(...recordedOf(exchange)),
  })
  const proof: MutantProof = { recorded: 0, made: 0, caught: new Set(), complaints: [] }
  for (const schema of context.suites.schemas) {
    const seen = new Set<string>()
    for (const { endpoint, status, json, owns } of recorded) {
      if (!schema.responses.some((response) => fits(response, endpoint, status))) continue
      const { findings, visited } = schema.validate(json, LITERALS)
      if (owns.some((id) => findings.has(id))) continue
      if (findings.size > 0) proof.complaints.push(`${schema.file}: ${[...findings.keys()]} as is`)
      if ([...visited].every((pointer) => seen.has(pointer))) continue
      for (const pointer of visited) seen.add(pointer)
      proof.recorded += 1
      for (const { path, how, mutant } of mutants(json)) {
        proof.made += 1
        const ids = [...schema.validate(mutant, LITERALS).findings.keys()]
        for (const id of ids) proof.caught.add(id)
        if (ids.length > 1) {
          proof.complaints.push(`${schema.file}: ${path} ${how} breaks ${ids.join(' and ')}`)
        }
      }
    }
  }
  return proof
}

const LITERALS = {
  panScheme: 'UK.OBIE.PAN',
  cardSchemes: ['Cashcard', 'CreditSchemeA', 'CreditSchemeB'],
}

/** An answer of the correct bank. */
export interface Recorded {
  endpoint: string
  status: number
  json: unknown
  /** Rules that are not applied to it, because a check asked for something else. */
  owns: readonly string[]
}

/** What is recorded of an exchange: nothing when the answer is not JSON or is too long. */
export function recordedOf({ endpoint, about, response }: Exchange): Recorded[] {
  if (!response || response.json === undefined || response.bytes > LONGEST) return []
  return [{ endpoint, status: response.status, json: response.json, owns: about.owns ?? [] }]
}

/** Does an entry of a schema's `responses` match this answer? */
export function fits(response: string, endpoint: string, status: number): boolean {
  const [name, wanted = ''] = response.split(' ')
  if (name !== endpoint) return false
  if (wanted === 'error') return status >= 400
  if (wanted.endsWith('xx')) return Math.floor(status / 100) === Number(wanted[0])
  return status === Number(wanted)
}

export interface Mutant {
  path: string
  how: string
  mutant: unknown
}

/** Every damaged copy of a value, one place at a time. */
export function* mutants(whole: unknown): Generator<Mutant> {
  yield* damaged(whole, '', (value) => value)
}

function* damaged(
  value: unknown,
  path: string,
  within: (value: unknown) => unknown,
): Generator<Mutant> {
  for (const wrong of wrongValues(value)) {
    yield { path, how: `as ${JSON.stringify(wrong)}`, mutant: within(wrong) }
  }
  if (Array.isArray(value)) {
    for (const [index, element] of value.slice(0, ELEMENTS).entries()) {
      yield* damaged(element, `${path}/${index}`, (inner) => within(value.with(index, inner)))
    }
    return
  }
  if (typeof value !== 'object' || value === null) return
  for (const [name, member] of Object.entries(value)) {
    const { [name]: _, ...rest } = value as Record<string, unknown>
    yield { path: `${path}/${name}`, how: 'dropped', mutant: within(rest) }
    yield* damaged(member, `${path}/${name}`, (inner) => within({ ...value, [name]: inner }))
  }
}

/** Wrong values for a place: of another type, format or constant. */
function wrongValues(value: unknown): unknown[] {
  const types = [null, 'wrong', 42, true, ['wrong'], { wrong: true }]
  const others = types.filter((other) => kindOf(other) !== kindOf(value))
  if (typeof value === 'string') {
    const instant = /^\d{4}-\d{2}-\d{2}T/.test(value)
    return [
      ...others,
      'wrong',
      '',
      'CREDIT',
      '/relative',
      '4929123456784417',
      ...(/^[A-Z][A-Za-z]+$/.test(value) ? [value.toUpperCase()] : []),
      ...(instant ? [value.replace(/Z$|[+-]\d\d:\d\d$/, '+01:00'), value.slice(0, 10)] : []),
    ]
  }
  if (typeof value === 'number') return [...others, value + 0.5, -1]
  if (Array.isArray(value)) return [...others, [], [42], [null]]
  if (typeof value === 'object') return [...others, ...EXTRA.map((more) => ({ ...value, ...more }))]
  return others
}

/** Members that no object of the documents has; Meta of transactions must not have the last two. */
const EXTRA = [
  { unexpected: true },
  { FirstAvailableDateTime: '2024-01-01T00:00:00Z' },
  { LastAvailableDateTime: '2024-01-01T00:00:00Z' },
]

function kindOf(value: unknown): string {
  if (value === null) return 'null'
  return Array.isArray(value) ? 'array' : typeof value
}
