import { findBrowser } from '../authorisation-drivers/find-browser.ts'
import { fitting, lackedButton, offered, readPage } from '../authorisation-drivers/forms.ts'
import { httpDriver } from '../authorisation-drivers/http.ts'
import { parseRedirect } from '../client/redirect.ts'
import type { AuthorisationDocument } from '../configuration/target.ts'
import { type Case, tppOf } from './case.ts'
import { type Examination, type Finding, note, ok, wrong } from './finding.ts'
import { placeOf } from './network.ts'
import { program } from './program.ts'
import { oneLine } from './words.ts'

/** Opens the authorisation address as a customer would, and goes no further than the first page. */
export function authorisationExamination(known: Case): Examination {
  return {
    name: 'authorisation',
    needs: ['consent', ...placeOf(known, 'authorisation')],
    async run() {
      const { consentId = '', wire, target } = known
      const tpp = tppOf(known, 'first')
      const request = await tpp.authorisation({ consentId })
      const end = await httpDriver(wire, target, []).visit({
        url: request.url,
        redirectUris: [request.redirectUri],
        decision: 'deny',
        customer: target.document.customers.first,
        customerName: 'first',
        purpose: 'doctor',
        about: { client: 'first', deviation: 'nobody logs in' },
      })
      if (end.kind === 'redirected') return [sentBack(end.url)]
      const { response } = end.exchange ?? {}
      if (!response) {
        return [wrong('the network', end.why, 'Look at the address of the authorisation page.')]
      }
      if (response.status >= 400) return [problemPage(response.status, response.body)]
      known.page = response.body
      return [ok(`the customer is shown a page at ${placeShown(end.exchange?.request.url)}`)]
    },
  }
}

/** A bank that answers before anyone has logged in has found something wrong with the request. */
function sentBack(url: string): Finding {
  const { error, errorDescription, code } = parseRedirect(url) ?? {}
  if (error !== undefined) {
    const words = [error, errorDescription && `(${oneLine(errorDescription)})`]
    const text = `the bank refuses the request object: ${words.filter(Boolean).join(' ')}`
    if (error === 'invalid_scope') {
      const mend = 'Correct clients.first.scopes.accounts.'
      return wrong('your configuration', text, mend)
    }
    return wrong('the bank', text, 'Compare with what this bank wants, issuer and literals too.')
  }
  if (code !== undefined) return note('the bank grants access without showing a page')
  return wrong('the bank', 'the bank redirects back and says nothing', 'Ask the bank.')
}

function problemPage(status: number, html: string): Finding {
  const text = `the bank shows a page with status ${status}: ${oneLine(readPage(html).text)}`
  if (status === 404) {
    const mend = 'Correct the authorisation address, or write it under overrides.authorisation.'
    return wrong('your configuration', text, mend)
  }
  const mend = 'Mostly a redirect URI or a client that the bank does not know: compare both.'
  return wrong('your configuration', text, mend)
}

function placeShown(url: string | undefined): string {
  const { host, pathname } = new URL(url ?? '')
  // What follows may name the visit.
  return `${host}${pathname.split('/').slice(0, 2).join('/')}`
}

/** Whether the target's driver can do with the first page what it will have to do. */
export function driverExamination(known: Case): Examination {
  const { authorisation } = known.target.document
  return {
    name: 'driver',
    needs: authorisation.driver === 'http' ? ['authorisation'] : [],
    run: () => driverFindings(authorisation, known.page, known.target.base),
  }
}

export function driverFindings(
  { driver, forms = [], steps = [], command = [], executable }: AuthorisationDocument,
  page: string | undefined,
  base: string,
): Finding[] {
  if (driver === 'ask') return [ok('ask: a person opens each link')]
  if (driver === 'browser') return browserFindings(steps.length, executable, base)
  if (driver === 'command') {
    const [name = ''] = command
    return [program(name, base) ? ok(`command: ${name}`) : noProgram(name, 'authorisation.command')]
  }
  if (page === undefined) return [note('http: the bank showed no page to compare the forms with')]
  const shown = readPage(page)
  const match = fitting(shown, forms, 'approve')
  if (match) {
    const { has, follow } = match.description
    return [
      ok(`http: the first page is the ${has ? `form with ${has.join(', ')}` : `link ${follow}`}`),
    ]
  }
  const lacked = lackedButton(shown, forms, 'approve')
  const text = lacked
    ? `http: ${lacked}`
    : `http: nothing described fits the first page, which has ${offered(shown)}`
  const mend =
    shown.forms.length > 0
      ? 'Correct authorisation.forms.'
      : shown.links.length > 0
        ? 'Write the link as follow under authorisation.forms.'
        : 'A script may make the page. Use driver: browser, or ask.'
  return [wrong('your configuration', text, mend)]
}

function browserFindings(steps: number, executable: string | undefined, base: string): Finding[] {
  const found = executable === undefined ? findBrowser() : program(executable, base)
  if (found) return [ok(`browser: ${found}, ${steps} steps are described`)]
  if (executable !== undefined) return [noProgram(executable, 'authorisation.executable')]
  const text = 'browser: there is no Chromium, Chrome or Edge on this machine'
  const mend = 'Install one, or write its path under authorisation.executable.'
  return [wrong('your configuration', text, mend)]
}

/** A program that a target names and this machine does not have. */
export function noProgram(name: string, member: string): Finding {
  const mend = `Correct ${member}; a path is relative to the target file.`
  return wrong('your configuration', `there is no program ${name}`, mend)
}
