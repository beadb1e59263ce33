import { body } from './body.js'
import { all, make } from './elements.js'
import { recordOf } from './records.js'

const title = (words) => make('p', { class: 'side-title' }, words)

function headers(list) {
  const rows = list.map(([name, value]) =>
    make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, value)),
  )
  return make('table', { class: 'headers' }, make('tbody', {}, ...rows))
}

/** Name and value, decoded, of a query or a form. */
const parameters = (text) => headers([...new URLSearchParams(text)])

function target({ method, url }) {
  const [address, ...query] = url.split('?')
  const line = make('pre', { tabindex: 0 }, `${method} ${address}`)
  if (query.length === 0) return [line]
  return [line, title('Query, decoded'), parameters(query.join('?')), title('Headers')]
}

function sent({ headers: list, body: text }) {
  if (!text) return []
  const type = list.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
  if (!/x-www-form-urlencoded/i.test(type)) return body(text)
  return [title('Form, decoded'), parameters(text)]
}

function answer({ response, failure }, place) {
  if (!response) {
    const words = failure ? `${failure.kind} ${failure.code}: ${failure.message}` : 'nothing'
    return [title('No response'), make('p', {}, words)]
  }
  const { status, bytes, digest, headers: list, body: text } = response
  const cut = digest ? `, of which the first part was kept; SHA-256 of the whole ${digest}` : ''
  const head = [title(`Response ${status} · ${bytes} bytes${cut}`), headers(list)]
  if (text === '') return [...head, make('p', { class: 'said' }, 'No body.')]
  return [...head, ...body(text, place, digest !== undefined)]
}

/** An element that shows an exchange, once its record is unpacked. */
export function view(id, place) {
  const frame = make('div', { class: 'view', 'aria-busy': 'true' })
  recordOf(id).then((record) => {
    const missing = `Exchange ${id} is not on this page; look for its id in exchanges.jsonl.`
    frame.append(...(record ? sides(record, place) : [missing]))
    frame.removeAttribute('aria-busy')
  })
  return frame
}

function sides(record, place) {
  const { request, connection, about } = record
  const traits = {
    Sent: record.startedAt,
    took: `${Math.round(record.durationMs)} ms`,
    TLS: [connection.protocol, connection.cipher].filter(Boolean).join(' ') || 'none',
    'client certificate': connection.identity,
    deviation: about.deviation,
    client: about.client,
    approval: about.approval,
    consent: about.consent?.id,
    by: about.check,
    'retried by': record.retriedBy,
  }
  const shown = Object.entries(traits).filter(([, value]) => value !== undefined && value !== '')
  const list = shown.map(([name, value]) =>
    make('div', {}, make('dt', {}, name), make('dd', {}, value)),
  )
  const head = [title('Request'), ...target(request), headers(request.headers)]
  const left = make('div', {}, ...head, ...sent(request))
  const right = make('div', {}, ...answer(record, place))
  return [make('dl', { class: 'traits' }, ...list), make('div', { class: 'sides' }, left, right)]
}

/** Puts its exchange into an element, once. */
export function fill(details) {
  if (details.dataset.filled) return
  details.dataset.filled = 'yes'
  for (const hint of all('.elsewhere', details)) hint.remove()
  details.append(view(details.dataset.exchange, details.dataset.place))
}

/** What holds an exchange fills itself when it is opened. */
export function startExchanges() {
  for (const details of all('details[data-exchange]')) {
    details.addEventListener('toggle', () => details.open && fill(details))
  }
}
