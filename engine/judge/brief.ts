/** A value as a short piece of JSON. */
export function brief(value: unknown, limit = 200): string {
  // 1e400 is a number of JSON, too great to be kept; JSON.stringify would say null.
  const text = typeof value === 'number' ? String(value) : JSON.stringify(value)
  return bounded(text ?? String(value), limit)
}

/** What a value is, to follow “is”: a value as it is, of an object and an array that it is one. */
export function whatIs(value: unknown): string {
  if (Array.isArray(value)) return value.length === 0 ? 'an empty array' : 'an array'
  return typeof value === 'object' && value !== null ? 'an object' : brief(value, 60)
}

export function bounded(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`
}
