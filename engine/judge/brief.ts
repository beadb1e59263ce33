/** A value as short JSON text. */
export function brief(value: unknown, limit = 200): string {
  // 1e400 is valid JSON but overflows to Infinity; JSON.stringify would write null.
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value)
  return bounded(text ?? String(value), limit)
}

/** Describes a value after the word “is”: the value itself, or only “an array” or “an object”. */
export function whatIs(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : brief(value, 60)
}

export function bounded(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`
}
