import { isObject, parsedJson } from '../record/json.ts'

/** Claims of a compact JWS, without verifying its signature; undefined when it is not a JWS. */
export const claimsOf = (jws: string) => part(jws, 1)

/** Header of a compact JWS; undefined when it is not a JWS. */
export const headerOf = (jws: string) => part(jws, 0)

function part(jws: string, index: 0 | 1) {
  const parts = jws.split('.')
  return parts.length === 3 ? decodedPart(parts[index] ?? '') : undefined
}

/** A header or claims as a part of a compact JWS: its JSON in base64url. */
export const encodedPart = (value: unknown): string =>
  Buffer.from(JSON.stringify(value)).toString('base64url')

/** The object whose JSON is encoded in base64url; undefined when it is not one. */
export function decodedPart(text: string): Record<string, unknown> | undefined {
  const value = parsedJson(Buffer.from(text, 'base64url').toString('utf8'))
  return isObject(value) ? value : undefined
}
