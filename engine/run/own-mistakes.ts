import { consentFacts, DATA_PERMISSIONS } from '../client-session/consent.ts'
import type { Session } from '../client-session/session.ts'
import type { Owners } from '../client-session/step-owners.ts'
import type { Part } from '../configuration/addresses.ts'
import { type Target, USUAL_INTENT_CLAIM } from '../configuration/resolve.ts'
import { addressMistake, fundsAddressMistake, isNothingThere } from '../doctor/address-mistake.ts'
import { ask } from '../doctor/case.ts'
import { ownMistake, statedExaminations } from '../doctor/clients.ts'
import { hopelessIn, inFull } from '../doctor/finding.ts'
import { intentClaimMistake } from '../doctor/intent-claim.ts'
import { withPlaces } from '../doctor/places-in-file.ts'
import {
  audienceMistake,
  fundsScopeMistake,
  registeredScopeMistake,
} from '../doctor/refused-mistakes.ts'
import type { Result } from '../judge/results.ts'
import type { Evidence, Trace } from '../report/evidence-index.ts'
import type { PreflightLine } from '../report/report.ts'
import type { Wire } from '../wire/wire.ts'

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
      const trace = evidence.get(exchanges[0] ?? '')
      const isFirst = outcome === 'fail' && trace && !hasServed(trace, evidence)
      const first = isFirst && (await firstAnswer(id, trace, session))
      if (first) {
        found = [withPlaces(first, targetFile)]
        return
      }
      const owner = [registration, visit].find(
        (each) =>
          (id === each && outcome === 'fail') || (because?.kind === 'check' && because.id === each),
      )
      if (owner === undefined) return
      const isRegistration = owner === registration
      const client = isRegistration && trace?.identity === 'second' ? 'second' : 'first'
      if (looked.has(`${client} ${owner}`)) return
      looked.add(`${client} ${owner}`)
      const finding = await (isRegistration ? inRegistration(session, client) : inVisit(session))
      if (!finding) return
      const named = {
        name: isRegistration ? `${client}: registration` : 'authorisation',
        ...finding,
      }
      found = [withPlaces({ ...named, text: inFull(named) }, targetFile)]
    },
  }
}

/** Has the same endpoint served a correct request? Then the target file names it rightly. */
const hasServed = ({ where: endpoint }: Trace, evidence: Evidence): boolean =>
  [...evidence.values()].some(
    ({ where, status = 500, deviation }) =>
      where === endpoint && status < 400 && deviation === undefined,
  )

/** The mistake behind the answer to the first correct request of a step, if its check failed by that. */
async function firstAnswer(
  id: string,
  answer: Trace,
  { owners: { steps: owners }, steps, target, wire }: Session,
): Promise<PreflightLine | undefined> {
  const part = partOwnedBy(id, owners)
  const funds = [owners.fundsConfirmation, owners.fundsDeletion].indexOf(id)
  if (part === undefined && funds < 0) return undefined
  const { value: configuration } = await steps.discovery()
  const bank = { target, configuration }
  if (part !== undefined) {
    const elsewhere = addressMistake(part, answer, bank)
    if (elsewhere && part === 'aisp' && (await isInterface(wire, target))) return undefined
    const ofToken = () => audienceMistake(answer, bank) ?? registeredScopeMistake(answer, bank)
    const finding = elsewhere ?? (part === 'token' ? ofToken() : undefined)
    return finding && { name: part, ...finding }
  }
  const use = funds === 0 ? 'create' : 'delete'
  const finding = fundsAddressMistake(use, answer, target) ?? fundsScopeMistake(answer, bank)
  return finding && { name: 'funds confirmation', ...finding }
}

/** Is there an interface at the address of consents and data, though it creates no consent? */
async function isInterface(wire: Wire, { endpoints: { aisp }, timeout }: Target): Promise<boolean> {
  const why = 'no access token, to see whether the address is right'
  const answer = await ask({ wire, timeout }, `${aisp}/accounts`, why, { identity: 'first' })
  return !isNothingThere(answer)
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

async function inRegistration({ steps, target, wire }: Session, name: 'first' | 'second') {
  const client = target.clients[name]
  const { exchange, value } = await steps.registration()
  // Of the second client, only what its statement and keys tell is looked at.
  if (!client || (name === 'first' && (!exchange || value))) return undefined
  // Not looked at before the run if the client of an earlier run was to be used.
  const known = { wire, timeout: target.timeout, clocks: [] }
  const [hopeless] = await hopelessIn(statedExaminations(known, client))
  if (hopeless || name === 'second' || !exchange) return hopeless
  const { value: configuration } = await steps.discovery()
  return ownMistake(exchange, client, configuration)
}

async function inVisit(session: Session) {
  if (session.target.intentClaim === USUAL_INTENT_CLAIM) return undefined
  const client = await session.caller()
  const body = { Data: { Permissions: DATA_PERMISSIONS }, Risk: {} }
  const created = await client.post('/account-access-consents', body)
  const facts = consentFacts(created, body.Data)
  return facts && intentClaimMistake(session, client.tpp, facts.id)
}
