import type { Target } from '../configuration/resolve.ts'
import { addressProblem } from '../wire/outside-address.ts'
import { createRedactor } from '../wire/redaction.ts'
import type { Wire } from '../wire/wire.ts'
import { askDriver } from './ask.ts'
import { browserDriver } from './browser.ts'
import { commandDriver } from './command.ts'
import { credentialProblem } from './credentials.ts'
import type { Announced, Driver } from './driver.ts'
import { driverProblem } from './driver-problem.ts'
import { findBrowser } from './find-browser.ts'
import { httpDriver } from './http.ts'

/** What a run tells its driver, and how it is told. */
export interface DriverOptions {
  /** Called with words before the driver waits for somebody or something, without after it. */
  onWaiting?: (what?: string) => void
  /** Every approval that the run is going to need, in order. */
  announced?: Announced[]
  /** Shows one line to the person at the terminal. */
  say?: (line: string) => void
}

/** Seconds for one visit: a person may be away, a program may not. */
const PATIENCE = { http: 0, browser: 60, command: 60, ask: 3600 }

/**
 * The driver that the target names.
 *
 * @throws Error in words when something that it needs is missing; see driverProblem.
 */
export function chooseDriver(target: Target, wire: Wire, options: DriverOptions = {}): Driver {
  const problem = driverProblem(target.document)
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
    say: options.say ?? ((line) => process.stderr.write(`${line}\n`)),
    probe: httpDriver(wire, target, []),
    catcher: how.catcher,
  })
  // Whoever takes the customers through the pages, questions are asked on a page of ours.
  const withQuestions = (other: Driver): Driver => ({
    ...other,
    question: asked.question,
    interrupt() {
      other.interrupt?.()
      asked.interrupt?.()
    },
    async close() {
      await Promise.all([other.close(), asked.close()])
    },
  })
  if (driver === 'http')
    return waiting(withQuestions(httpDriver(wire, target, forms)), driver, options)
  if (driver === 'command') {
    const redact = (text: string) => createRedactor(target.secrets).redactText(text)
    const program = commandDriver({ command, base, patience, redact })
    return waiting(withQuestions(program), driver, options)
  }
  if (driver === 'browser') {
    const executable = how.executable ?? findBrowser() ?? ''
    const visible = how.visible === true
    const shared = { executable, visible, trust, proxy, timeout, patience, steps, base }
    return waiting(
      withQuestions(
        browserDriver({
          ...shared,
          redirectUris,
          rules: {
            credentialProblem: (url) => credentialProblem(url, target),
            addressProblem: (url) => addressProblem(url, target),
          },
        }),
      ),
      driver,
      options,
    )
  }
  return waiting(asked, driver, options)
}

/** Whoever watches over the run is told that a visit takes as long as it takes. */
function waiting(driver: Driver, name: string, { onWaiting }: DriverOptions): Driver {
  if (!onWaiting) return driver
  return {
    ...driver,
    async visit(request) {
      // Each request of this one has a time-out of its own.
      if (name === 'http') return driver.visit(request)
      onWaiting(`${name}: ${request.purpose}`)
      try {
        return await driver.visit(request)
      } finally {
        onWaiting()
      }
    },
    async question(name, text) {
      onWaiting(`somebody at the bank: ${name}`)
      try {
        return await driver.question?.(name, text)
      } finally {
        onWaiting()
      }
    },
  }
}
