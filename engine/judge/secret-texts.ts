/** Key under which a recording stores, next to a redacted token, a marker for reads of the token's characters. */
export const charactersOf = (name: string): symbol => Symbol.for(`characters of ${name}`)

/**
 * The characters of a token in a JSON object; undefined if it is absent or empty. A recording has a placeholder that
 * shows that a token is there, and which one; code that needs no more does not call this, so its read is not counted.
 */
export function charactersIn(json: unknown, name: string): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const key = charactersOf(name)
  const value: unknown = Reflect.get(json, Object.hasOwn(json, key) ? key : name)
  return typeof value === 'string' && value !== '' ? value : undefined
}
