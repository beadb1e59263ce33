export type { CallOptions } from '../client/call.ts'
export { parseRedirect, type Redirect, redirectsTo } from '../client/redirect.ts'
export {
  createTpp,
  type RegistrationDeviation,
  type TokenDeviation,
  type Tpp,
} from '../client/tpp.ts'
export type { Target } from '../configuration/resolve.ts'
export type { HookName } from '../configuration/target.ts'
