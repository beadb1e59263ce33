import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../../../../engine/suite-api/check.ts'
import type { CallDeviation } from '../../../../engine/suite-api/flow.ts'
import type { Exchange } from '../../../../engine/suite-api/responses.ts'

/** Milliseconds between two requests. */
const INTERVAL = 250

/** What the end of a consent changes is asked for again until it shows. */
export interface Settling {
  /**
   * The first answer that is `done`, or the last within the target's settlingTime. Without the customer it is
   * asked for twice at most, at once and when that time is over: a limit that many requests reach would look
   * like the end.
   *
   * @param way how `ask` asks
   */
  until(
    ask: () => Promise<Exchange>,
    done: (answer: Exchange) => boolean,
    way?: CallDeviation,
  ): Promise<Exchange>
}

/** No sentence says that an end takes effect at once: the time runs from now, and delays are recorded. */
export function settling({ target, observe }: Context<never>): Settling {
  const ended = performance.now()
  const left = () => ended + target.settlingTime - performance.now()
  return {
    async until(ask, done, { customerPresent = true } = {}) {
      let answer = await ask()
      let asked = 1
      while (!done(answer) && left() > 0) {
        await wait(customerPresent ? INTERVAL : left())
        answer = await ask()
        asked += 1
      }
      if (asked > 1 && done(answer)) {
        const seconds = ((performance.now() - ended) / 1000).toFixed(1)
        observe('seconds until the end of a consent took effect', seconds, answer)
      }
      return answer
    },
  }
}
