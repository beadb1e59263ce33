import type { ClientName } from '../configuration/target.ts'
import { answerOf } from '../judge/answer-words.ts'
import { requireReachable } from '../judge/expect.ts'
import { succeeded } from '../judge/matchers.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import { percentEncoded } from '../record/percent.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { Caller } from './caller.ts'
import type { ClientSteps } from './client-steps.ts'
import { createdId, fundsConfirmationBody, SCHEMES } from './consent.ts'
import { requireValue, type SharedBySteps } from './step-owners.ts'

const FUNDS = '/funds-confirmation-consents'

export type FundsSteps = ReturnType<typeof createFundsSteps>

/** Funds confirmation consents, which no customer approves. */
export function createFundsSteps(parts: SharedBySteps, clients: ClientSteps) {
  const { target, memory, owners, funds } = parts

  /**
   * The answer of the first address that accepts a request: the document leaves open which address is right. No
   * sentence says what a gateway answers at a wrong address; 404, 405 and a redirect surely mean that. Where no address
   * accepts it, the answer of the first one that may be right.
   */
  const firstThatTakes = async (
    kind: 'create' | 'delete',
    [first, ...others]: readonly string[],
    send: () => Promise<Exchange>,
  ) => {
    const at = async (address: string) => {
      funds[kind] = address
      const exchange = await send()
      requireReachable(exchange)
      return { address, exchange }
    }
    let best = await at(first as string)
    for (const address of others) {
      if (succeeded(best.exchange)) break
      const found = await at(address)
      if (succeeded(found.exchange) || isElsewhere(best.exchange)) best = found
    }
    funds[kind] = best.address
    return best.exchange
  }

  const fundsConfirmation = (name: ClientName = 'first') =>
    memory.once(`funds confirmation ${name}`, owners.steps.fundsConfirmation, async () => {
      if (target.absent.has('funds-confirmation')) {
        throw new NotApplicable('the target declares funds confirmation absent')
      }
      const client = await clients.caller(name)
      const scheme = target.document.literals?.panScheme ?? funds.scheme
      let exchange: Exchange | undefined
      for (const guess of scheme === undefined ? SCHEMES : [scheme]) {
        const body = fundsConfirmationBody(target, guess)
        const addresses = target.endpoints.cbpii.create
        exchange = await firstThatTakes('create', addresses, () => client.post(FUNDS, body))
        if (refusedAsWrong(exchange)) continue
        funds.scheme = guess
        break
      }
      if (scheme === undefined && exchange && refusedAsWrong(exchange)) {
        const what = 'literals.panScheme in the target'
        const why = `${SCHEMES.join(' and ')} are refused, which were guesses. Write ${what}`
        throw new Blocked({ kind: 'environment', what }, why, exchange)
      }
      const id = exchange && createdId(exchange)
      return {
        exchange,
        value: id,
        why: `no funds confirmation consent was created: ${exchange ? answerOf(exchange) : ''}`,
      }
    })

  /** Deletes a consent at each address that the target gives, until one of them works. */
  const deleteFunds = async (client: Caller, id: string) => {
    const path = `${FUNDS}/${percentEncoded(id)}`
    const addresses = funds.delete ? [funds.delete] : target.endpoints.cbpii.delete
    return firstThatTakes('delete', addresses, () => client.delete(path))
  }

  /**
   * Deletes one more consent of the first client, to find the address for deletion. The consent is created right
   * before, because a newer consent for a card may replace an older one.
   */
  const fundsDeletion = () =>
    memory.once('funds deletion', owners.steps.fundsDeletion, async () => {
      const first = requireValue(await fundsConfirmation())
      const client = await clients.caller()
      const created = await client.post(FUNDS, fundsConfirmationBody(target, funds.scheme))
      const id = createdId(created) ?? first
      const exchange = await deleteFunds(client, id)
      const usable = succeeded(exchange)
      if (!usable) funds.delete = undefined
      return {
        exchange,
        value: usable ? id : undefined,
        why: `no funds confirmation consent was deleted: ${answerOf(exchange)}`,
      }
    })

  return { fundsConfirmation, fundsDeletion, deleteFunds }
}

/** True if the bank has nothing at this address. AMB-41: a redirect to a page is a refusal too. */
function isElsewhere({ response }: Exchange): boolean {
  const status = response?.status ?? 0
  return [404, 405].includes(status) || (status >= 300 && status < 400)
}

/** True if the request is refused because of its body: not because of the client, the address or the rate. */
function refusedAsWrong({ response }: Exchange): boolean {
  const status = response?.status ?? 0
  return status >= 400 && status < 500 && ![401, 403, 404, 405, 429].includes(status)
}
