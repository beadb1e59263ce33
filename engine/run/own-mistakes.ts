import { consentFacts, DATA_PERMISSIONS } from '../client-session/consent.ts'
import type { Session } from '../client-session/session.ts'
import { USUAL_INTENT_CLAIM } from '../configuration/resolve.ts'
import { ownMistake, statedExaminations } from '../doctor/clients.ts'
import { hopelessIn, inFull } from '../doctor/finding.ts'
import { intentClaimMistake } from '../doctor/intent-claim.ts'
import { withPlaces } from '../doctor/places-in-file.ts'
import type { Result } from '../judge/results.ts'
import type { PreflightLine } from '../report/report.ts'

/** Verifies that the target file can be right, before a refused registration or visit is blamed on the bank. */
export function createOwnMistakes(session: Session, targetFile: string) {
  const { registration, visit } = session.owners.steps
  const looked = new Set<string>()
  let found: PreflightLine[] = []

  return {
    /** Mistakes of the target file that keep every check from being judged. */
    get found() {
      return found
    },
    /** Called with every result; examines the registration and the visit once each. */
    async lookAt({ id, outcome, because }: Result) {
      const owner = [registration, visit].find(
        (each) =>
          (id === each && outcome === 'fail') || (because?.kind === 'check' && because.id === each),
      )
      if (owner === undefined || looked.has(owner)) return
      looked.add(owner)
      const isRegistration = owner === registration
      const finding = await (isRegistration ? inRegistration(session) : inVisit(session))
      if (!finding) return
      const named = { name: isRegistration ? 'first: registration' : 'authorisation', ...finding }
      found = [withPlaces({ ...named, text: inFull(named) }, targetFile)]
    },
  }
}

async function inRegistration({ steps, target, wire }: Session) {
  const { exchange, value } = await steps.registration()
  if (!exchange || value) return undefined
  const { first } = target.clients
  // Not looked at before the run if the client of an earlier run was to be used.
  const known = { wire, timeout: target.timeout, clocks: [] }
  const [hopeless] = await hopelessIn(statedExaminations(known, first))
  if (hopeless) return hopeless
  const { value: configuration } = await steps.discovery()
  return ownMistake(exchange, first, configuration)
}

async function inVisit(session: Session) {
  if (session.target.intentClaim === USUAL_INTENT_CLAIM) return undefined
  const client = await session.caller()
  const body = { Data: { Permissions: DATA_PERMISSIONS }, Risk: {} }
  const created = await client.post('/account-access-consents', body)
  const facts = consentFacts(created, body.Data)
  return facts && intentClaimMistake(session, client.tpp, facts.id)
}
