import type { Transition } from '../../record/transition.ts'
import { count, counted } from '../escape.ts'
import type { Report } from '../report.ts'
import { type Markup, markup } from './markup.ts'

/**
 * The states of consents in the documents, and which transitions occurred: a picture of account access consents, and a
 * table of all events in each state.
 */
export function machineSection({ states }: Pick<Report, 'states'>): Markup | false {
  if (!states || states.transitions.length === 0) return false
  const { transitions, consents, figures } = states
  const [events = 0, pairs = 0, triples = 0] = figures
  return markup`<section id="machine" aria-labelledby="h-machine">
<h2 id="h-machine">States of consents</h2>
<p>What was done with the ${counted(consents, 'consent')} that were created here, in the states of the documents: ${counted(events, 'kind')} of requests and answers, ${counted(pairs, 'pair')} and ${counted(triples, 'triple')} of them, one after the other with one consent. An arrow without a number was not gone through.</p>
${picture(transitions)}
${table(transitions)}
</section>`
}

/** States of the model → their position in the picture; an approved consent is Authorised, with or without tokens. */
const STATES = {
  waiting: { name: 'AwaitingAuthorisation', x: 200, y: 60 },
  authorised: { name: 'Authorised', x: 500, y: 60 },
  revoked: { name: 'Revoked', x: 800, y: 60 },
  deleted: { name: 'deleted', x: 500, y: 240 },
} as const

type State = keyof typeof STATES

const PLACES = new Map<string | undefined, State>([
  ['waiting', 'waiting'],
  ['approved', 'authorised'],
  ['in use', 'authorised'],
  ['lapsed', 'authorised'],
  ['revoked', 'revoked'],
  ['deleted', 'deleted'],
])

interface Arrow {
  from?: State
  event: string
  to: State
  words: string
  path: string
  /** Position of its words. */
  x: number
  y: number
}

/** The rows of the table of states and transitions in the documents. */
const ARROWS: readonly Arrow[] = [
  { event: 'create', to: 'waiting', words: 'created', path: 'M20 60H107', x: 58, y: 50 },
  {
    ...{ from: 'waiting', event: 'approve', to: 'authorised', words: 'approved' },
    ...{ path: 'M292 60H407', x: 350, y: 50 },
  },
  {
    ...{ from: 'authorised', event: 'customer-revokes', to: 'revoked', words: 'revoked' },
    ...{ path: 'M592 60H707', x: 650, y: 50 },
  },
  {
    ...{ from: 'waiting', event: 'delete', to: 'deleted', words: 'deleted' },
    ...{ path: 'M230 84L428 214', x: 290, y: 166 },
  },
  {
    ...{ from: 'authorised', event: 'delete', to: 'deleted', words: 'deleted' },
    ...{ path: 'M500 84V214', x: 534, y: 160 },
  },
  {
    ...{ from: 'revoked', event: 'delete', to: 'deleted', words: 'deleted' },
    ...{ path: 'M770 84L572 214', x: 716, y: 166 },
  },
  {
    ...{ from: 'authorised', event: 'approve', to: 'authorised', words: 'confirmed again' },
    ...{ path: 'M470 36C450 0 550 0 530 36', x: 590, y: 16 },
  },
]

function picture(transitions: readonly Transition[]): Markup {
  const sum = ({ from, event, to }: Arrow) =>
    transitions
      .filter((one) => one.event === event && PLACES.get(one.to) === to)
      .filter((one) => PLACES.get(one.from) === from)
      .reduce((total, { counts }) => total + counts.given, 0)
  const words = ARROWS.map((arrow) => `${arrow.words} ${count(sum(arrow))}`).join(', ')
  return markup`<div class="scroll" tabindex="0" role="region" aria-label="Picture of the states"><svg class="machine" viewBox="0 0 1000 290" role="img" aria-labelledby="machine-title">
<title id="machine-title">States of account access consents: ${words}</title>
<defs><marker id="head" viewBox="0 0 10 10" refX="9" refY="5" markerWidth="7" markerHeight="7" orient="auto-start-reverse"><path class="head" d="M0 0L10 5L0 10z"/></marker></defs>
${ARROWS.map((arrow) => {
  const times = sum(arrow)
  return markup`<path class="${times > 0 ? 'arrow' : 'arrow unseen'}" d="${arrow.path}" marker-end="url(#head)"/><text class="arrow-words" x="${arrow.x}" y="${arrow.y}" text-anchor="middle">${arrow.words}${times > 0 && ` ${count(times)}`}</text>`
})}
${Object.entries(STATES).map(([state, { name, x, y }]) => markup`<rect class="state" x="${x - 90}" y="${y - 24}" width="180" height="48" rx="8"/><text class="state-name" x="${x}" y="${y - 3}" text-anchor="middle">${name}</text><text class="state-words" x="${x}" y="${y + 14}" text-anchor="middle">${tried(transitions, state as State)}</text>`)}
</svg></div>`
}

/** Requests sent while consents stayed in a state: `1,204 requests, 318 refused`. */
function tried(transitions: readonly Transition[], state: State): string {
  const own = transitions.filter(({ from, to }) => from === to && PLACES.get(from) === state)
  const total = (outcome: 'given' | 'refused' | 'unknown') =>
    own.reduce((sum, { counts }) => sum + counts[outcome], 0)
  const all = total('given') + total('refused') + total('unknown')
  return all === 0 ? '–' : `${counted(all, 'request')}, ${count(total('refused'))} refused`
}

/** In the order of a consent's life. */
const ORDER = ['waiting', 'approved', 'in use', 'lapsed', 'expired', 'revoked', 'deleted', 'funds']

const NAMES = new Map([
  ['waiting', 'AwaitingAuthorisation'],
  ['approved', 'Authorised, no tokens yet'],
  ['in use', 'Authorised'],
  ['lapsed', 'Authorised, ninety days ago'],
  ['revoked', 'Revoked'],
  ['funds', 'funds confirmation'],
  ['funds deleted', 'funds confirmation, deleted'],
])

const EVENTS = new Map([
  ['create', 'create'],
  ['create-funds', 'create a funds confirmation consent'],
  ['approve', 'visit to approve'],
  ['deny', 'visit to deny'],
  ['exchange', 'exchange of the code'],
  ['refresh', 'refresh'],
  ['read', 'read data'],
  ['customer-revokes', 'revocation by the customer, seen in an answer'],
])

function table(transitions: readonly Transition[]): Markup {
  const rank = ({ from }: Transition) =>
    from === undefined ? -1 : ORDER.findIndex((state) => from.startsWith(state))
  const rows = [...transitions].sort((one, other) => rank(one) - rank(other))
  const name = (state = '') => NAMES.get(state) ?? state
  const event = (words: string) => {
    const [kind = '', ...rest] = words.split(' ')
    return [EVENTS.get(kind) ?? kind, ...rest].join(' ')
  }
  return markup`<details><summary><b>${counted(rows.length, 'row')}</b>: state, request, state after it</summary>
<div class="scroll" tabindex="0" role="region" aria-label="Transitions"><table><thead><tr><th scope="col">State</th><th scope="col">Request</th><th scope="col">State after it</th><th scope="col" class="number">Served</th><th scope="col" class="number">Refused</th><th scope="col" class="number">429, 5xx or no answer</th></tr></thead>
<tbody>${rows.map(({ from, event: words, to, counts }) => markup`<tr><td>${name(from)}</td><th scope="row">${event(words)}</th><td>${name(to)}</td><td class="number">${count(counts.given)}</td><td class="number">${count(counts.refused)}</td><td class="number">${count(counts.unknown)}</td></tr>`)}</tbody></table></div></details>`
}
