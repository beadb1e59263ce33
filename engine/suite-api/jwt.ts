export { type JwtDeviation, jwt, type Secret, tamperedWith } from '../client/jwt.ts'
export type { IdTokenSignature } from '../wire/exchange.ts'
export { claimsOf, encodedPart, headerOf } from '../wire/jwt-decode.ts'
