import type { TargetClient } from '../configuration/resolve.ts'
import type { Exchange } from '../wire/exchange.ts'
import { addressFinding, type Place, spokeTls } from './address.ts'
import type { Case, ClientName } from './case.ts'
import { clockFindings, clockReading } from './clock.ts'
import { type Examination, type Finding, note, ok, wrong } from './finding.ts'
import { serverChain } from './server-chain.ts'
import { answerWords } from './words.ts'

/** What mends a transport certificate that the bank refuses. */
export const TRUST_MEND =
  'Have the bank trust its issuer, with all intermediates; or name the right certificate.'

/** Name of the examination of the origin that serves a part. */
export function placeOf({ places }: Case, part: string): string[] {
  return places.filter(({ serves }) => serves.includes(part)).map(({ origin }) => origin)
}

/** One examination for each origin: does it resolve, connect, is it trusted, does it answer? */
export function addressExaminations(known: Case): Examination[] {
  const { places, target, timeout } = known
  return places.map((place) => ({
    name: place.origin,
    needs: [],
    async run() {
      const exchange = await answerOf(known, place)
      const reading = clockReading('bank', exchange)
      if (reading) known.clocks.push(reading)
      const untrusted = exchange.failure?.kind === 'untrusted'
      const chain = untrusted ? await serverChain(place.origin, target, timeout) : undefined
      return [addressFinding(place, exchange, target.proxy, chain)]
    },
  }))
}

/** All addresses are asked at once: a name that hangs does not hold up the others. */
function answerOf(known: Case, wanted: Place): Promise<Exchange> {
  for (const place of known.answers.size === 0 ? known.places : []) {
    const identity = place.mutual ? 'first' : 'none'
    known.answers.set(place, probe(known, place, identity))
  }
  return known.answers.get(wanted) ?? probe(known, wanted, 'none')
}

function probe({ wire, timeout }: Case, { url }: Place, identity: string): Promise<Exchange> {
  return wire.send({
    endpoint: 'elsewhere',
    about: { deviation: 'asks an address, without a token' },
    identity,
    method: 'GET',
    url,
    headers: [['Accept', 'application/json, */*;q=0.8']],
    timeout,
  })
}

export function clockExamination(known: Case): Examination {
  return {
    name: 'clock',
    needs: [],
    run: () => clockFindings(known.clocks, known.target.clockTolerance),
  }
}

/** Does every listener with mutual TLS take the client's certificate, and what without one? */
export function transportExamination(known: Case, client: TargetClient): Examination {
  const name = client.name as ClientName
  const mutual = known.places.filter((place) => place.mutual)
  return {
    name: `${name}: mutual TLS`,
    needs: [`${name}: certificate`, ...mutual.map(({ origin }) => origin)],
    async run() {
      const found = await Promise.all(
        mutual.map(async (place) =>
          taken(
            place,
            await (name === 'first' ? answerOf(known, place) : probe(known, place, name)),
          ),
        ),
      )
      const refusals = found.filter((one) => one !== undefined)
      if (refusals.length > 0) return refusals
      if (name !== 'first') return [ok('the bank takes the certificate')]
      return [ok('the bank takes the certificate'), ...(await without(known, mutual))]
    },
  }
}

function taken({ origin, serves }: Place, exchange: Exchange): Finding | undefined {
  const { failure, response } = exchange
  const status = response?.status ?? 0
  // Of nginx: 495 and 496, and 400 with a page that says so.
  const said = [400, 495, 496].includes(status) && /certificate/i.test(response?.body ?? '')
  if (response && !said) return undefined
  const closed = failure?.kind === 'closed' ? 'it closes the connection' : failure?.message
  const words = response ? answerWords(exchange) : closed
  const where = `${new URL(origin).host} (${serves.join(', ')})`
  const text = `${where} refuses the certificate: ${words}`
  return spokeTls(exchange) || failure?.kind === 'closed'
    ? wrong('the bank', text, TRUST_MEND)
    : wrong('the network', `${where}: ${words}`, 'Try again.')
}

/** For information: the documents ask for mutual TLS, the run judges it. */
async function without(known: Case, places: Place[]): Promise<Finding[]> {
  const answers = await Promise.all(places.map((place) => probe(known, place, 'none')))
  const words = answers.map((exchange, index) => {
    const host = new URL(places[index]?.origin ?? '').host
    const { response } = exchange
    return `${host} ${response ? `answers ${response.status}` : 'closes the connection'}`
  })
  return words.length === 0 ? [] : [note(`without a certificate ${words.join(', ')}`)]
}
