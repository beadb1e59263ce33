import { consentFacts, DATA_PERMISSIONS } from '../client-session/consent.ts'
import type { Session } from '../client-session/session.ts'
import type { Owners } from '../client-session/step-owners.ts'
import type { Part } from '../configuration/addresses.ts'
import { USUAL_INTENT_CLAIM } from '../configuration/resolve.ts'
import { addressMistake } from '../doctor/address-mistake.ts'
import { ownMistake, statedExaminations } from '../doctor/clients.ts'
import { hopelessIn, inFull } from '../doctor/finding.ts'
import { intentClaimMistake } from '../doctor/intent-claim.ts'
import { withPlaces } from '../doctor/places-in-file.ts'
import type { Result } from '../judge/results.ts'
import type { Evidence } from '../report/evidence-index.ts'
import type { PreflightLine } from '../report/report.ts'

/** Verifies that the target file can be right, before an answer to the first correct requests is blamed on the bank. */
export function createOwnMistakes(session: Session, targetFile: string, evidence: Evidence) {
  const { steps } = session.owners
  const { registration, visit } = steps
  const looked = new Set<string>()
  let found: PreflightLine[] = []

  return {
    /** Mistakes of the target file that keep every check from being judged. */
    get found() {
      return found
    },
    /** Called with every result; examines addresses, and the registration and the visit once each. */
    async lookAt({ id, outcome, because, exchanges }: Result) {
      const part = outcome === 'fail' ? partOwnedBy(id, steps) : undefined
      if (part !== undefined) {
        const answer = evidence.get(exchanges[0] ?? '') ?? {}
        const { value: configuration } = await session.steps.discovery()
        const { target } = session
        const finding = addressMistake(part, answer, { target, configuration })
        if (finding) found = [withPlaces({ name: part, ...finding }, targetFile)]
        if (finding) return
      }
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

/** The part of the interface whose first correct request a check judges. */
function partOwnedBy(id: string, steps: Owners['steps']): Part | undefined {
  const parts: readonly [string, Part][] = [
    [steps.discovery, 'discovery'],
    [steps.registration, 'registration'],
    [steps.management, 'token'],
    [steps.visit, 'authorisation'],
    [steps.consent, 'aisp'],
    [steps.products, 'products'],
  ]
  return parts.find(([owner]) => owner === id)?.[1]
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
