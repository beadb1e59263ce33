import type { AuthorisationDocument } from '../configuration/target.ts'

/**
 * Why the target's description can't make a customer deny; undefined if it can. For a program or a person this is
 * unknown in advance: both are told what to decide.
 */
export function denialProblem(authorisation: AuthorisationDocument): string | undefined {
  const { driver, forms = [], steps = [] } = authorisation
  if (driver === 'http') {
    if (forms.some(({ deny, only }) => deny !== undefined || only === 'deny')) return undefined
    return 'no form under authorisation.forms has a button to deny'
  }
  if (driver !== 'browser' || steps.some(({ only }) => only === 'deny')) return undefined
  return 'no step under authorisation.steps is for a customer who denies'
}

/** What the user must add to the target file. */
export function denialMend({ driver }: AuthorisationDocument): string {
  return driver === 'http'
    ? 'Add deny, with name and value of the button, to the form on which the customer decides, or a link with only: deny.'
    : 'Add a step with only: deny that clicks the button, and only: approve to the one that approves.'
}
