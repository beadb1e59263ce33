/** Claims of a compact JWS, without looking at its signature; undefined when it is none. */
export function claimsOf(jws: string): Record<string, unknown> | undefined {
  return part(jws, 1)
}

/** Header of a compact JWS; undefined when it is none. */
export function headerOf(jws: string): Record<string, unknown> | undefined {
  return part(jws, 0)
}

function part(jws: string, index: 0 | 1): Record<string, unknown> | undefined {
  const parts = jws.split('.')
  return parts.length === 3 ? decodedPart(parts[index] ?? '') : undefined
}

/** The object that is base64url of its JSON; undefined when it is none. */
export function decodedPart(text: string): Record<string, unknown> | undefined {
  try {
    const value: unknown = JSON.parse(Buffer.from(text, 'base64url').toString('utf8'))
    return typeof value === 'object' && value !== null && !Array.isArray(value)
      ? (value as Record<string, unknown>)
      : undefined
  } catch {
    return undefined
  }
}
