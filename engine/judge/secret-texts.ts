/** Under which a recording keeps, beside a token whose value is redacted, what notes that its characters were looked at. */
export const charactersOf = (name: string): symbol => Symbol.for(`characters of ${name}`)

/**
 * The characters of a token in a JSON object; undefined where there is none, or an empty one. That a token is there, and which one,
 * is told by what stands for it in a recording too; whoever looks at its characters there is not counted.
 */
export function charactersIn(json: unknown, name: string): string | undefined {
  if (typeof json !== 'object' || json === null) return undefined
  const key = charactersOf(name)
  const value: unknown = Reflect.get(json, Object.hasOwn(json, key) ? key : name)
  return typeof value === 'string' && value !== '' ? value : undefined
}
