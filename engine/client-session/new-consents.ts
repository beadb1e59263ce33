import { setTimeout as wait } from 'node:timers/promises'
import { HOLDING } from '../authorisation-drivers/driver.ts'
import type { Target } from '../configuration/resolve.ts'
import { now } from '../record/clock.ts'
import { type Ledger, lastOf } from './ledger/events.ts'
import { FIRST_PAUSE } from './newcomers.ts'
import type { Visit, VisitOptions } from './visit.ts'

/**
 * Patience for the authorisation page. It may not know a new consent yet when the customer arrives, and no requirement
 * says how soon it must. So a correct visit that ends before the page asks for anything is made again, until the consent
 * is as old as the settling time. If repetitions for one consent did not help, and none has helped before, no later
 * visit is repeated. Only the drivers http and browser repeat visits, and only where no person is needed.
 */
export function createNewConsents({
  target: { settlingTime, attended, document },
  ledger: { events },
}: {
  target: Target
  ledger: Ledger
}) {
  const repeats = !attended && HOLDING.includes(document.authorisation.driver)
  /** Milliseconds from a creation until the page knew the consent: the longest of this run. */
  let longest = 0
  let isHopeless = false
  let isProven = false

  const ageOf = (consentId = ''): number => {
    const created = lastOf(events, { kind: 'created', consentId })
    return created ? now() - created.at : Number.POSITIVE_INFINITY
  }

  return {
    /**
     * Returns the id when the page should know the consent. Only waits at a bank whose page knew a consent late before:
     * twice the longest such delay of this run, counted from the creation. One correct visit waits until the settling
     * time is over instead, and must then succeed. Otherwise a bank that refuses the first visit to every consent would
     * pass because of the repetitions.
     */
    async known(consentId: string, correct = false): Promise<string> {
      const isToProve = correct && longest > 0 && !isProven
      const left = (isToProve ? settlingTime : 2 * longest) - ageOf(consentId)
      if (isToProve && left > 0) isProven = true
      if (left > 0) await wait(left)
      return consentId
    },

    /** The visit, or the last of its repetitions. */
    async visited(
      { consentId, correct }: VisitOptions,
      visit: () => Promise<Visit>,
    ): Promise<Visit> {
      let made = await visit()
      if (!correct || !repeats || isHopeless) return made
      for (let pause = FIRST_PAUSE; endedAtOnce(made); pause *= 2) {
        if (ageOf(consentId) >= settlingTime) {
          isHopeless = pause > FIRST_PAUSE && longest === 0
          return made
        }
        await wait(pause)
        const age = ageOf(consentId)
        made = await visit()
        if (!endedAtOnce(made)) longest = Math.max(longest, age)
      }
      return made
    },
  }
}

/** Was the customer led back, or shown an error, before being asked for anything? */
function endedAtOnce({ kind, pages }: Visit): boolean {
  return (kind === 'stopped' && pages.length <= 1) || (kind === 'refused' && pages.length === 0)
}
