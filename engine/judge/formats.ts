const DATE_TIME =
  /^(\d{4})-(\d{2})-(\d{2})T([01]\d|2[0-3]):([0-5]\d):([0-5]\d|60)(\.\d+)?(Z|[+-](?:[01]\d|2[0-3]):[0-5]\d)$/i

/** RFC 3339 date-time with any offset. ajv-formats would also take a space for the T. */
export function isDateTime(text: string): boolean {
  const match = DATE_TIME.exec(text)
  if (!match) return false
  const day = Number(match[3])
  if (day >= 1 && day <= 28) return Number(match[2]) >= 1 && Number(match[2]) <= 12
  const date = new Date(Date.UTC(Number(match[1]), Number(match[2]) - 1, day))
  return date.getUTCMonth() === Number(match[2]) - 1 && date.getUTCDate() === day
}

/** RFC 3339 date-time whose offset is zero: Z, +00:00 or -00:00. */
export function isUtcDateTime(text: string): boolean {
  return isDateTime(text) && /(Z|[+-]00:00)$/i.test(text)
}

/** An absolute URL with a host. */
export function isAbsoluteUrl(text: string): boolean {
  if (!/^[a-z][a-z0-9+.-]*:\/\/[^/?#\s]/i.test(text) || /\s/.test(text)) return false
  return URL.canParse(text)
}

export function isHttpsUrl(text: string): boolean {
  return isAbsoluteUrl(text) && /^https:/i.test(text)
}

/** A decimal number, perhaps signed: 12, -12.50. */
export function isDecimal(text: string): boolean {
  return /^[+-]?\d+(\.\d+)?$/.test(text)
}
