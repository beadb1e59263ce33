import * as access from './policies/access.ts'
import * as authorisation from './policies/authorisation.ts'
import * as consents from './policies/consents.ts'
import * as data from './policies/data.ts'
import * as registration from './policies/registration.ts'
import * as views from './policies/views.ts'

/**
 * Every decision of the bank that an alteration may replace, one small function each. Routes call them and decide
 * nothing themselves. A function that returns a reason returns undefined when there is no problem.
 */
export type Policies = typeof access &
  typeof authorisation &
  typeof consents &
  typeof data &
  typeof registration &
  typeof views

/** The decisions of a correct bank. */
export const correct: Policies = {
  ...access,
  ...authorisation,
  ...consents,
  ...data,
  ...registration,
  ...views,
}
