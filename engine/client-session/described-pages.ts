import { denialProblem } from '../authorisation-drivers/denial.ts'
import type { Driver, VisitEnd } from '../authorisation-drivers/driver.ts'
import type { Tpp } from '../client/tpp.ts'
import type { Target } from '../configuration/resolve.ts'
import type { ClientName, CustomerName } from '../configuration/target.ts'
import { Blocked } from '../judge/outcome.ts'
import { ASSAY } from '../record/program.ts'
import type { SpareConsents } from './spare-consents.ts'
import type { Visit, VisitOptions, VisitRecord } from './visit.ts'

/**
 * Decides whether the target's description of the bank's pages is right: until a visit has succeeded, the description
 * is as likely to be wrong as the bank.
 *
 * @param before earlier visits.
 */
export function createDescribedPages(
  parts: {
    target: Target
    driver: Driver
    spares: SpareConsents
    noted(seen: Omit<VisitRecord, 'at'>): void
  },
  before: readonly VisitRecord[],
) {
  const { target, driver, spares, noted } = parts
  let fits = before.some(({ outcome }) => outcome !== 'stopped')
  /** True after a denial has completed: an approval says nothing about the pages that a denying customer sees. */
  let denialFits = false

  /** True if a denial is redirected: then the description leads through the pages, and the bank is what stops. */
  const seenToFit = async (who: Tpp, client: ClientName, customerName: CustomerName) => {
    const customer = target.document.customers[customerName]
    if (!customer || denialProblem(target.document.authorisation) !== undefined) return false
    const { url, redirectUri } = await who.authorisation({ consentId: await spares.of(client) })
    spares.spend(client)
    const purpose = 'denied: whether the description of the pages fits'
    const end = await driver.visit({
      ...{ url, customer, customerName, purpose, decision: 'deny' },
      about: { client, deviation: purpose },
      redirectUris: [redirectUri, ...who.client.redirectUris],
    })
    const denied = end.kind === 'redirected'
    const outcome = denied ? 'refused' : 'stopped'
    noted({ name: purpose, client, customer: customerName, outcome })
    return denied
  }

  return {
    /** @throws Blocked if a visit stopped at a page for which the description may be wrong. */
    async requireFit(
      end: VisitEnd,
      made: Visit,
      who: Tpp,
      options: VisitOptions & { customer: CustomerName },
    ): Promise<void> {
      const { client = 'first', customer, decision = 'approve', credentials, deviation } = options
      if (made.kind !== 'stopped') {
        fits = true
        denialFits ||= decision === 'deny'
      }
      if (end.kind !== 'stopped') return
      if (end.unfit && end.asks && decision === 'deny' && !denialFits) {
        throw unfit(end.why, end.unfit)
      }
      const tried = decision !== 'none' && !credentials && !deviation
      if (!tried || fits) return
      if (end.refusedCredentials !== undefined) throw refusedLogin(customer, end.refusedCredentials)
      if (!end.unfit) return
      if (end.unticked) throw unfit(end.why, end.unfit)
      fits = decision === 'approve' && (await seenToFit(who, client, customer))
      if (!fits) throw unfit(end.why, end.unfit)
    },
  }
}

function unfit(why: string, shown: string): Blocked {
  const what = `the target’s description of the bank’s pages does not fit: ${why}; ${shown}`
  const mend = `Correct authorisation.forms; ${ASSAY} doctor looks at the first page.`
  return new Blocked({ kind: 'environment', what }, `the visit ended: ${why}; ${shown}. ${mend}`)
}

function refusedLogin(name: CustomerName, says: string): Blocked {
  const what = `the bank did not accept the credentials of customers.${name}: ${says}`
  const mend = `Correct customers.${name}.credentials, or which field they go into.`
  return new Blocked({ kind: 'environment', what }, `${what}. ${mend}`)
}
