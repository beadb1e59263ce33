import { denialMend, denialProblem } from '../authorisation-drivers/denial.ts'
import { findBrowser } from '../authorisation-drivers/find-browser.ts'
import {
  fitting,
  lackedButton,
  lookedFor,
  offered,
  readPage,
} from '../authorisation-drivers/forms.ts'
import { httpDriver } from '../authorisation-drivers/http.ts'
import { parseRedirect } from '../client/redirect.ts'
import type { Target } from '../configuration/resolve.ts'
import { findProgram } from '../record/find-program.ts'
import { correctAddress } from './address-mistake.ts'
import { type Case, tppOf } from './case.ts'
import { type DoctorFinding, type Examination, note, ok, wrong } from './finding.ts'
import { intentClaimMistake } from './intent-claim.ts'
import { placeOf } from './places.ts'
import { programProblem } from './programs.ts'
import { oneLine } from './words.ts'

/** Opens the authorisation address as a customer would, and stops at the first page. */
export function authorisationExamination(known: Case): Examination {
  const { wire, target } = known
  return {
    name: 'authorisation',
    needs: ['consent', ...placeOf(known, 'authorisation')],
    async run() {
      const { url, redirectUri } = await tppOf(known).authorisation({
        consentId: known.consentId ?? '',
      })
      const end = await httpDriver(wire, target, []).visit({
        url,
        redirectUris: [redirectUri],
        decision: 'deny',
        customer: target.document.customers.first,
        customerName: 'first',
        purpose: 'doctor',
        about: { client: 'first', deviation: 'nobody logs in' },
      })
      if (end.kind === 'redirected') {
        const mistake = await intentClaimMistake(known, tppOf(known), known.consentId ?? '')
        return mistake ?? sentBack(end.url)
      }
      if (!end.exchange?.response) {
        return wrong('network', end.why, 'Look at the address of the authorisation page.')
      }
      const { request, response } = end.exchange
      if (response.status >= 400) return problemPage(response, target.document)
      known.page = response.body
      const { host, pathname } = new URL(request.url)
      // The rest of the path may identify the visit.
      const shown = pathname.split('/').slice(0, 2).join('/')
      return ok(`the customer is shown a page at ${host}${shown}`)
    },
  }
}

/** A bank that redirects back before anyone logged in has found a fault in the request. */
function sentBack(url: string): DoctorFinding {
  const { error, errorDescription, code } = parseRedirect(url) ?? {}
  if (error !== undefined) {
    const words = [error, errorDescription && `(${oneLine(errorDescription)})`]
    const text = `the bank refuses the request object: ${words.filter(Boolean).join(' ')}`
    return error === 'invalid_scope'
      ? wrong('configuration', text, 'Correct clients.first.scopes.accounts.')
      : wrong('bank', text, 'Compare with what this bank wants, issuer and literals too.')
  }
  if (code !== undefined) return note('the bank grants access without showing a page')
  return wrong('bank', 'the bank redirects back and says nothing')
}

function problemPage(
  { status, body }: { status: number; body: string },
  document: Target['document'],
): DoctorFinding {
  const text = `the bank shows a page with status ${status}: ${oneLine(readPage(body).text)}`
  if (status === 414 || status === 431) {
    const mend =
      'Ask the bank to take longer addresses: a request object by value is some 1,500 characters.'
    return wrong('bank', `it takes no address of this length: ${text}`, mend)
  }
  if (status >= 500) return wrong('bank', text)
  const mend =
    status === 404
      ? correctAddress('authorisation', document)
      : 'Mostly a redirect URI or a client that the bank does not know: compare both.'
  return wrong('configuration', text, mend)
}

/** Checks that the target's driver can handle the first page as it will have to. */
export function driverExamination(known: Case): Examination {
  const isHttp = known.target.document.authorisation.driver === 'http'
  return {
    name: 'driver',
    ...(isHttp && { needs: ['authorisation'] }),
    run: () => [driverFinding(known), ...denialFindings(known), ...countFindings(known)],
  }
}

/** No run ends conformant either if the number of accounts is not known. */
function countFindings({ target: { document, absent } }: Case): DoctorFinding[] {
  if (document.customers.first.accounts !== undefined || absent.has('second-account')) return []
  const effect = 'whether all of them are reported is not judged, and no run ends conformant'
  return [note(`customers.first has no accounts, the number that the customer chooses: ${effect}`)]
}

/** A run without a denial can't end conformant: the checks that need one are blocked. */
function denialFindings({ target: { document } }: Case): DoctorFinding[] {
  const { authorisation } = document
  const why = denialProblem(authorisation)
  if (why !== undefined) {
    const effect = 'the redirect after a denial is not judged'
    return [note(`${authorisation.driver}: ${why}: ${effect}. ${denialMend(authorisation)}`)]
  }
  if (authorisation.driver !== 'command') return []
  return [
    note('command: the program presses the button that ASSAY_DECISION names, approve or deny'),
  ]
}

function driverFinding({ target: { document, base }, page }: Case): DoctorFinding {
  const { driver, forms = [], steps = [], command = [], executable } = document.authorisation
  if (driver === 'ask') return ok('ask: a person opens each link')
  if (driver === 'command') {
    const [name = ''] = command
    return programProblem(name, base, 'authorisation.command') ?? ok(`command: ${name}`)
  }
  if (driver === 'browser') {
    const [problem] = [
      ...(executable ? [programProblem(executable, base, 'authorisation.executable')] : []),
      ...steps.map(({ code }) => {
        const [name] = code?.command ?? []
        return name && programProblem(name, base, 'authorisation.steps[].code.command')
      }),
    ].filter((found) => typeof found === 'object')
    if (problem) return problem
    const found = executable === undefined ? findBrowser() : findProgram(executable, base)
    if (found) return ok(`browser: ${found}, ${steps.length} steps are described`)
    const text = 'browser: there is no Chromium, Chrome or Edge on this machine'
    const mend = 'Install one, or write its path under authorisation.executable.'
    return wrong('configuration', text, mend)
  }
  if (page === undefined) return note('http: the bank showed no page to compare the forms with')
  const shown = readPage(page)
  const match = fitting(shown, forms, 'approve')
  if (match) {
    const { has, follow } = match.description
    const first = has ? `form with ${has.join(', ')}` : `link ${follow}`
    return ok(`http: the first page is the ${first}; the doctor does not log in`)
  }
  const lacked = lackedButton(shown, forms, 'approve')
  const unfit = `nothing described fits the first page, which has ${offered(shown)}; ${lookedFor(forms)}`
  const text = lacked ?? unfit
  if (shown.forms.length > 0) {
    return wrong('configuration', `http: ${text}`, 'Correct authorisation.forms.')
  }
  const mend =
    shown.links.length > 0
      ? 'Write the link as follow under authorisation.forms.'
      : 'A script may make the page. Use driver: browser, or ask.'
  return wrong('configuration', `http: ${text}`, mend)
}
