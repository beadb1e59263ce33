import { setTimeout as wait } from 'node:timers/promises'
import type { Context } from '../../../../engine/suite-api/check.ts'
import type { CallDeviation } from '../../../../engine/suite-api/flow.ts'
import type { Exchange } from '../../../../engine/suite-api/responses.ts'

/** Milliseconds between two requests. */
const INTERVAL = 250

/** Repeats a request until the end of a consent shows. */
export interface Settling {
  /**
   * The first answer if it is `done`; else that after the target's settlingTime, since several servers may answer in
   * turn, of which one never hears of the end. Not `done` within that time: the last one. Without the customer the
   * request is sent at most twice, at once and when that time is over: otherwise a limit could look like the end.
   *
   * @param way how `ask` sends the request
   */
  until(
    ask: () => Promise<Exchange>,
    done: (answer: Exchange) => boolean,
    way?: CallDeviation,
  ): Promise<Exchange>
}

/** No requirement says that an end takes effect at once: the settling time starts now, and delays are recorded. */
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
        if (left() > 0) {
          await wait(left())
          answer = await ask()
        }
      }
      return answer
    },
  }
}
