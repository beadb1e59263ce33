/** A value as a short piece of JSON. */
export function brief(value: unknown, limit = 200): string {
  const text = JSON.stringify(value) ?? String(value)
  return text.length <= limit ? text : `${text.slice(0, limit)}… (${text.length} characters)`
}
