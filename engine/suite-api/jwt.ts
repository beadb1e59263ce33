export { compareIdToken, type IdTokenFinding } from '../client/id-token.ts'
export { type JwtDeviation, jwt } from '../client/jwt.ts'
export { claimsOf, headerOf } from '../wire/jwt-decode.ts'
