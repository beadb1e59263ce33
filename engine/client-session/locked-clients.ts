import { setTimeout as wait } from 'node:timers/promises'
import type { Target } from '../configuration/resolve.ts'
import { member } from '../judge/data-rows.ts'
import { succeeded } from '../judge/matchers.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Wire, WireMessage } from '../wire/wire.ts'
import type { Events } from './ledger/events.ts'
import { FIRST_PAUSE, patientWithNewcomers } from './newcomers.ts'

/** The wire, with patience for what a bank may do for a moment: for what is new there, and for locks. */
export function patientWire(wire: Wire, events: Events, { settlingTime }: Target): Wire {
  return patientWithLocks(patientWithNewcomers(wire, events, settlingTime), settlingTime)
}

/**
 * The wire, with patience for locks. A bank may refuse a client for some time after several wrong token requests in its
 * name: no requirement forbids it. A correct token request of a client that was accepted before, and in whose name several
 * wrong ones were sent since, is repeated until the settling time is over, unless that never helped.
 *
 * @param settlingTime milliseconds
 */
export function patientWithLocks(wire: Wire, settlingTime: number): Wire {
  /** Clients that were accepted, with the number of wrong requests since. */
  const accepted = new Map<string, number>()
  let hasHelped = false
  let isHopeless = false

  const repeated = async (message: WireMessage, first: Exchange): Promise<Exchange> => {
    const began = performance.now()
    let answer = first
    for (let pause = FIRST_PAUSE; mayBeLocked(answer); pause *= 2) {
      if (performance.now() - began >= settlingTime) {
        isHopeless = !hasHelped
        return answer
      }
      await wait(Math.min(pause, settlingTime))
      const body = message.renewed?.() ?? message.body
      answer = await wire.send({ ...message, ...(body !== undefined && { body }) })
    }
    hasHelped = true
    return answer
  }

  const send = async (message: WireMessage): Promise<Exchange> => {
    const first = await wire.send(message)
    const { endpoint, about = {} } = message
    const id = about.registered?.clientId
    if (endpoint !== 'token' || id === undefined) return first
    if (about.deviation !== undefined) {
      const wrong = accepted.get(id)
      if (wrong !== undefined) accepted.set(id, wrong + 1)
      return first
    }
    const isOdd = mayBeLocked(first) && (accepted.get(id) ?? 0) >= SEVERAL && !isHopeless
    const answer = isOdd ? await repeated(message, first) : first
    if (succeeded(answer)) accepted.set(id, 0)
    return answer
  }

  return Object.assign(Object.create(wire) as Wire, { send })
}

/** After fewer wrong requests than these, a client is not locked. */
const SEVERAL = 3

/** Is the client refused, not its grant (RFC 6749 5.2)? */
function mayBeLocked({ response }: Exchange): boolean {
  const { status = 0, json } = response ?? {}
  return status === 401 || status === 403 || member(json, 'error') === 'invalid_client'
}
