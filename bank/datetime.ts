const pattern = /^(\d{4})-(\d{2})-(\d{2})T(\d{2}):(\d{2}):(\d{2})(\.\d+)?(Z|[+-]\d{2}:\d{2})$/i

/** Milliseconds since 1970 of an RFC 3339 date-time; undefined when it is none, or no such day. */
export function parseDateTime(text: unknown): number | undefined {
  const parts = typeof text === 'string' ? pattern.exec(text) : null
  if (!parts) return undefined
  const [year, month, day, hour, minute, second] = parts.slice(1, 7).map(Number)
  if (year === undefined || month === undefined || day === undefined) return undefined
  if (hour === undefined || hour > 23 || minute === undefined || minute > 59) return undefined
  if (second === undefined || second > 60) return undefined
  const date = new Date(Date.UTC(year, month - 1, day))
  if (date.getUTCMonth() !== month - 1 || date.getUTCDate() !== day) return undefined
  const zone = parts[8]?.toUpperCase() ?? 'Z'
  const fraction = Number(`0${parts[7] ?? ''}`)
  const local = Date.UTC(year, month - 1, day, hour, minute, second) + Math.floor(fraction * 1000)
  if (zone === 'Z') return local
  const [hours, minutes] = zone.slice(1).split(':').map(Number)
  if (hours === undefined || hours > 23 || minutes === undefined || minutes > 59) return undefined
  const offset = (hours * 60 + minutes) * 60_000
  return zone.startsWith('-') ? local + offset : local - offset
}

/** The instant in UTC, RFC 3339 with milliseconds. */
export function formatDateTime(instant: number): string {
  return new Date(instant).toISOString()
}
