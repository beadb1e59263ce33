const pattern = /^(\d{4}-\d\d-\d\d)T(\d\d):(\d\d):(\d\d)(?:\.(\d+))?(?:Z|([+-])(\d\d):(\d\d))$/i

/** Milliseconds since 1970 of an RFC 3339 date-time; undefined when it is not one, or when the day does not exist. */
export function parseDateTime(text: unknown): number | undefined {
  const parts = typeof text === 'string' ? pattern.exec(text) : null
  if (!parts) return undefined
  const [, day = '', hour, minute, second, fraction = '', sign, hours = 0, minutes = 0] = parts
  const midnight = Date.parse(`${day}T00:00:00Z`)
  // Date.parse reads 30 February as 2 March.
  if (Number.isNaN(midnight) || !new Date(midnight).toISOString().startsWith(day)) return undefined
  // A leap second counts as the second after it.
  if (Number(hour) > 23 || Number(minute) > 59 || Number(second) > 60) return undefined
  if (Number(hours) > 23 || Number(minutes) > 59) return undefined
  const minutesOfDay = Number(hour) * 60 + Number(minute)
  const offset = (Number(hours) * 60 + Number(minutes)) * (sign === '-' ? -1 : 1)
  const milliseconds = Number(second) * 1000 + Number(fraction.padEnd(3, '0').slice(0, 3))
  return midnight + (minutesOfDay - offset) * 60_000 + milliseconds
}

/** The instant in UTC, RFC 3339 with milliseconds. */
export function formatDateTime(instant: number): string {
  return new Date(instant).toISOString()
}
