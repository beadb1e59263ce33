import * as access from './policies/access.ts'
import * as authorisation from './policies/authorisation.ts'
import * as consents from './policies/consents.ts'
import * as data from './policies/data.ts'
import * as registration from './policies/registration.ts'
import * as views from './policies/views.ts'

/**
 * Every decision of the bank that one may want to see taken otherwise, one small function each;
 * routes ask them and decide nothing themselves. A member that says why not returns undefined when
 * all is well.
 */
export type Policies = typeof access &
  typeof authorisation &
  typeof consents &
  typeof data &
  typeof registration &
  typeof views

/** The decisions of a bank that is right. */
export const correct: Policies = {
  ...access,
  ...authorisation,
  ...consents,
  ...data,
  ...registration,
  ...views,
}
