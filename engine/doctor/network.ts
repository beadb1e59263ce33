import type { TargetClient } from '../configuration/resolve.ts'
import type { Exchange } from '../wire/exchange.ts'
import { addressFinding, olderTls, spokeTls } from './address.ts'
import { ask, type Case } from './case.ts'
import { clockReading } from './clock.ts'
import { type DoctorFinding, type Examination, note, ok, wrong } from './finding.ts'
import type { Place } from './places.ts'
import { answerWords } from './words.ts'

/** The fix for a transport certificate that the bank refuses. */
export const TRUST_MEND =
  'Have the bank trust its issuer, with all intermediates; or name the right certificate.'

/** One examination per origin: does it resolve, connect and answer, and is it trusted? */
export function addressExaminations(known: Case): Examination[] {
  return known.places.map((place) => ({
    name: place.origin,
    async run() {
      const exchange = await answerOf(known, place)
      const reading = clockReading('bank', exchange)
      if (reading) known.clocks.push(reading)
      return addressFinding(place, exchange, known)
    },
  }))
}

/** Requests all addresses at once, so a name that hangs does not delay the others. */
function answerOf(known: Case, wanted: Place): Promise<Exchange> {
  for (const place of known.answers.size === 0 ? known.places : []) {
    known.answers.set(place, probe(known, place, place.mutual ? 'first' : 'none'))
  }
  return known.answers.get(wanted) ?? probe(known, wanted, 'none')
}

function probe(known: Case, { url }: Place, identity: string): Promise<Exchange> {
  const accept = 'application/json, */*;q=0.8'
  return ask(known, url, 'asks an address, without a token', { identity, accept })
}

/** Checks that every listener with mutual TLS accepts the client's certificate, and what it does without one. */
export function transportExamination(known: Case, { name }: TargetClient): Examination {
  const mutual = known.places.filter((place) => place.mutual)
  const isFirst = name === 'first'
  return {
    name: `${name}: mutual TLS`,
    needs: [`${name}: certificate`, ...mutual.map(({ origin }) => origin)],
    async run() {
      const asked = mutual.map(async (place) => {
        const exchange = await (isFirst ? answerOf(known, place) : probe(known, place, name))
        return refusal(place, exchange)
      })
      const refusals = (await Promise.all(asked)).filter((one) => one !== undefined)
      if (refusals.length > 0) return refusals
      return [
        ok('the bank takes the certificate'),
        ...(isFirst ? await without(known, mutual) : []),
      ]
    },
  }
}

function refusal(
  { origin, serves, members }: Place,
  exchange: Exchange,
): DoctorFinding | undefined {
  const { failure, response } = exchange
  const status = response?.status ?? 0
  // From nginx: 495, 496, or 400 with a page that says so.
  const said = [400, 495, 496].includes(status) && /certificate/i.test(response?.body ?? '')
  if (response && !said && new URL(origin).protocol === 'https:') return undefined
  const closed = failure?.kind === 'closed' ? 'it closes the connection' : failure?.message
  const words = response ? answerWords(exchange) : closed
  const { host, protocol } = new URL(origin)
  const where = `${host} (${serves.join(', ')})`
  const older = olderTls(host, failure)
  if (older) return older
  if (protocol === 'http:') {
    const text = `${where} is reached over http:, where no certificate is shown`
    return wrong('configuration', text, `Correct ${members.join(', ')}: write https:.`)
  }
  if (/CONTENT_LENGTH|PREMATURE/.test(failure?.code ?? '')) {
    const text = `${where} cuts the connection in the middle of an answer (${failure?.code})`
    return wrong(
      'network',
      text,
      'Look at what stands between: a proxy, a gateway. Else ask the bank.',
    )
  }
  return spokeTls(exchange) || failure?.kind === 'closed'
    ? wrong('bank', `${where} refuses the certificate: ${words}`, TRUST_MEND)
    : wrong('network', `${where}: ${words}`, 'Try again.')
}

/** For information only: the documents require mutual TLS, and the run judges it. */
async function without(known: Case, places: Place[]): Promise<DoctorFinding[]> {
  const asked = places.map(async (place) => {
    const { response } = await probe(known, place, 'none')
    const does = response ? `answers ${response.status}` : 'closes the connection'
    return `${new URL(place.origin).host} ${does}`
  })
  const words = await Promise.all(asked)
  return words.length === 0 ? [] : [note(`without a certificate ${words.join(', ')}`)]
}
