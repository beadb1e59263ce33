import { all, make } from './elements.js'
import { view } from './exchange.js'
import { index } from './records.js'
import { wordsOf } from './words.js'

const PAGE = 100
const fields = Object.fromEntries(all('#exchange-list [name]').map((field) => [field.name, field]))
const tbody = document.querySelector('#exchange-list tbody')
const [previous, next] = all('.pager button')
let found = index
let page = 0

const classOf = ({ status }) => (typeof status === 'number' ? `${String(status)[0]}xx` : 'none')

function turn(to) {
  page = Math.max(0, Math.min(to, Math.ceil(found.length / PAGE) - 1))
  const from = page * PAGE
  const rows = found.slice(from, from + PAGE)
  tbody.replaceChildren(...rows.map(exchangeRow))
  document.querySelector('.pager output').textContent =
    found.length === 0
      ? 'No exchange'
      : `${from + 1} to ${from + rows.length} of ${found.length.toLocaleString('en-GB')}`
  previous.disabled = page === 0
  next.disabled = from + PAGE >= found.length
}

/** The path without what all of them begin with, and without its query. */
function shortPath(path) {
  const plain = path.replace(/[?#].*/, '')
  const short = plain.replace(/^\/open-banking(\/v[\d.]+)?(\/aisp)?/, '…')
  return path === plain ? short : `${short}?…`
}

function exchangeRow(row) {
  const bad = typeof row.status !== 'number' || row.status >= 500
  const click = ({ target }) => toggle(target, row.id)
  const button = make('button', { type: 'button', 'aria-expanded': false, click }, row.id)
  const cells = [
    make('th', { scope: 'row' }, button),
    make('td', { class: 'path', title: row.path }, `${row.method} ${shortPath(row.path)}`),
    make('td', { class: bad ? 'number bad' : 'number' }, row.status),
    make('td', { class: 'number' }, `${row.ms} ms`),
    make('td', { class: 'check' }, row.check, row.deviation ? ` (${row.deviation})` : ''),
  ]
  return make('tr', { class: 'exchange' }, ...cells)
}

function toggle(button, id) {
  const tr = button.closest('tr')
  const open = button.getAttribute('aria-expanded') === 'true'
  button.setAttribute('aria-expanded', !open)
  if (open) tr.nextElementSibling.remove()
  else tr.after(make('tr', {}, make('td', { colspan: 5 }, view(id))))
}

function pick() {
  const words = wordsOf(fields.words.value)
  const is = (name, value) => !fields[name].value || fields[name].value === value
  found = index.filter(
    (row) =>
      words.every((word) => row.text.includes(word)) &&
      is('endpoint', row.where) &&
      is('status', classOf(row)) &&
      is('purpose', row.deviation === '' ? 'no' : 'yes') &&
      (!fields.failure.value || row.failures.includes(fields.failure.value)),
  )
  turn(0)
}

/** Up and down go from exchange to exchange. */
function walk(event) {
  if (event.key !== 'ArrowDown' && event.key !== 'ArrowUp') return
  const buttons = all('.exchange th button', tbody)
  const at = buttons.indexOf(document.activeElement)
  if (at < 0) return
  event.preventDefault()
  buttons[at + (event.key === 'ArrowDown' ? 1 : -1)]?.focus()
}

/** Turns to an exchange and opens it. */
export function show(id) {
  for (const field of Object.values(fields)) field.value = ''
  found = index
  const at = index.findIndex((row) => row.id === id)
  if (at < 0) return
  turn(Math.floor(at / PAGE))
  const button = all('.exchange th button', tbody)[at % PAGE]
  button.click()
  button.focus()
  button.scrollIntoView({ block: 'center' })
}

/** The list of exchanges, a page at a time. */
export function startList() {
  if (!tbody) return
  for (const hint of all('#exchanges > .elsewhere')) hint.remove()
  document.getElementById('exchange-list').hidden = false
  for (const field of Object.values(fields)) field.addEventListener('input', pick)
  previous.addEventListener('click', () => turn(page - 1))
  next.addEventListener('click', () => turn(page + 1))
  tbody.addEventListener('keydown', walk)
  turn(0)
}
