/** A value as a short piece of JSON. */
export function brief(value: unknown, limit = 200): string {
  return bounded(JSON.stringify(value) ?? String(value), limit)
}

export function bounded(text: string, limit: number): string {
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`
}
