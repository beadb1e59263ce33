import fc from 'fast-check'

const REMOVED = Symbol('removed')

/** Stands for lists in lists, more than JSON.stringify takes. */
const DEEP = '@deep@'

/** A strange value as JSON. */
export function json(value: unknown, levels = 20_000): string {
  const deep = '['.repeat(levels) + ']'.repeat(levels)
  return (JSON.stringify(value) ?? '').replaceAll(JSON.stringify(DEEP), deep)
}

/** What may stand where something else belongs. */
const strange = fc.oneof(
  fc.constantFrom<unknown>(
    ...[REMOVED, null, true, 0, -1, 0.5, 1e300, -0, '', ' ', 'x', [], {}, [null], [[]], [{}]],
    ...['2026-02-31T00:00:00Z', '9999-99-99T99:99:99Z', '\u001b[2J\n::error::', '\ud800'],
    ...['constructor', '__proto__', 'x'.repeat(100_000), { length: -1 }, { toString: null }],
    JSON.parse('{"__proto__":{"id":1}}'),
  ),
  fc.constant(DEEP),
  fc.jsonValue(),
)

/** A member of a place. */
export type Step = string | number

/** Every place in a JSON value, that of the value itself first. */
export function placesIn(value: unknown, path: Step[] = []): Step[][] {
  if (typeof value !== 'object' || value === null) return [path]
  const members: [Step, unknown][] = Array.isArray(value)
    ? value.map((member, at) => [at, member])
    : Object.entries(value)
  return [path, ...members.flatMap(([key, member]) => placesIn(member, [...path, key]))]
}

/** The value with another at a place. */
export function put(value: unknown, [step, ...rest]: Step[], into: unknown): unknown {
  if (step === undefined) return into === REMOVED ? undefined : into
  if (typeof value !== 'object' || value === null) return value
  const copy = (Array.isArray(value) ? [...value] : { ...value }) as Record<Step, unknown>
  const member = put(copy[step], rest, into)
  if (member !== undefined) copy[step] = member
  else if (Array.isArray(copy)) copy.splice(Number(step), 1)
  else delete copy[step]
  return copy
}

/** A JSON value with up to three of its members removed or replaced, also by what nobody expects. */
export function altered(value: unknown): fc.Arbitrary<unknown> {
  const change = fc.tuple(fc.constantFrom(...placesIn(value)), strange)
  return fc
    .array(change, { minLength: 1, maxLength: 3 })
    .map((changes) => changes.reduce((made, [path, into]) => put(made, path, into), value))
}

/** A text that was cut, or has other bytes in it. */
export function damaged(text: string | Buffer): fc.Arbitrary<Buffer> {
  const whole = Buffer.from(text as string)
  const at = fc.nat({ max: Math.max(0, whole.length - 1) })
  const flip = fc.tuple(at, fc.nat({ max: 255 })).map(([place, byte]) => {
    const copy = Buffer.from(whole)
    copy[place] = byte
    return copy
  })
  const cut = at.map((place) => whole.subarray(0, place))
  const twice = at.map((place) => Buffer.concat([whole.subarray(0, place), whole]))
  const other = fc.uint8Array({ maxLength: 200 }).map((bytes) => Buffer.from(bytes))
  return fc.oneof(flip, cut, twice, other)
}
