import type { Target } from '../configuration/resolve.ts'
import { findProgram } from '../record/find-program.ts'
import { shownLines, write } from '../report/terminal.ts'
import { addressProblem } from '../wire/outside-address.ts'
import { createRedactor } from '../wire/redaction.ts'
import type { Wire } from '../wire/wire.ts'
import { askDriver } from './ask.ts'
import { browserDriver } from './browser.ts'
import { commandDriver } from './command.ts'
import { credentialProblem } from './credentials.ts'
import type { Announced, Driver } from './driver.ts'
import { driverProblem, findBrowser } from './find-browser.ts'
import { httpDriver } from './http.ts'

/** What a run tells its driver, and how the driver reports back. */
export interface DriverOptions {
  /** Called with words before the driver waits for somebody or something, and without words afterwards. */
  onWaiting?: (what?: string) => void
  /** Every approval that the run will need, in order. */
  announced?: Announced[]
  /** Shows one line to the person at the terminal. */
  say?: (line: string) => void
}

/** Seconds for one visit: a person may be away, a program may not. */
const PATIENCE = { http: 0, browser: 60, command: 60, ask: 3600 }

/**
 * The driver that the target names.
 *
 * @throws Error in words if something that it needs is missing; see driverProblem.
 */
export function chooseDriver(target: Target, wire: Wire, options: DriverOptions = {}): Driver {
  const problem = driverProblem(target.document, target.base)
  if (problem !== undefined) throw new Error(problem)
  const { driver, forms = [], steps = [], command = [], ...how } = target.document.authorisation
  const { trust, proxy, timeout, base } = target
  const patience = (how.patience ?? PATIENCE[driver]) * 1000
  const redirectUris = Object.values(target.clients).flatMap((client) => client.redirectUris)
  const asked = askDriver({
    redirectUris: driver === 'ask' ? redirectUris : [],
    patience: driver === 'ask' ? patience : PATIENCE.ask * 1000,
    port: how.port ?? 0,
    open: how.open,
    base,
    announced: options.announced ?? [],
    say: options.say ?? ((line) => write(process.stderr, shownLines(line))),
    probe: httpDriver(wire, target, []),
    catcher: how.catcher,
  })
  const drivers: Record<typeof driver, () => Driver> = {
    ask: () => asked,
    http: () => httpDriver(wire, target, forms),
    command: () =>
      commandDriver({
        ...{ command, base, patience },
        redact: (text) => createRedactor(target.secrets).redactText(text),
      }),
    browser: () =>
      browserDriver({
        ...{ trust, proxy, timeout, patience, steps, base, redirectUris },
        executable: (how.executable ? findProgram(how.executable, base) : findBrowser()) ?? '',
        visible: how.visible === true,
        rules: {
          credentialProblem: (url) => credentialProblem(url, target),
          addressProblem: (url) => addressProblem(url, target),
        },
      }),
  }
  const chosen = drivers[driver]()
  const both = new Set([chosen, asked])
  const { onWaiting = () => {} } = options
  /** Tells the watchdog of the run that this wait may take any time. */
  const waiting = async <T>(what: string, made: () => Promise<T>) => {
    onWaiting(what)
    try {
      return await made()
    } finally {
      onWaiting()
    }
  }
  return {
    ...chosen,
    // Without a browser, each request of a visit has its own timeout.
    visit: (request) =>
      driver === 'http'
        ? chosen.visit(request)
        : waiting(`${driver}: ${request.purpose}`, () => chosen.visit(request)),
    // Questions are asked on our page, whichever driver handles the visits.
    question: (name, text) =>
      waiting(`somebody at the bank: ${name}`, () => asked.question(name, text)),
    interrupt() {
      for (const each of both) each.interrupt?.()
    },
    async close(ended) {
      await Promise.all([...both].map((each) => each.close(ended)))
    },
  }
}
