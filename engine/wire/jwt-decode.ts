import { isObject, parsedJson } from '../record/json.ts'

/** Claims of a compact JWS, without looking at its signature; undefined when it is none. */
export const claimsOf = (jws: string) => part(jws, 1)

/** Header of a compact JWS; undefined when it is none. */
export const headerOf = (jws: string) => part(jws, 0)

function part(jws: string, index: 0 | 1) {
  const parts = jws.split('.')
  return parts.length === 3 ? decodedPart(parts[index] ?? '') : undefined
}

/** The object that is base64url of its JSON; undefined when it is none. */
export function decodedPart(text: string): Record<string, unknown> | undefined {
  const value = parsedJson(Buffer.from(text, 'base64url').toString('utf8'))
  return isObject(value) ? value : undefined
}
