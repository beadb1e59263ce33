// The one script of report.html. It reads JSON that stands in the page, and puts whatever a bank sent
// on the screen through textContent only.
;(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)]

  /** An element with attributes and children; strings become text. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) {
      if (typeof value === 'function') element.addEventListener(name, value)
      else element.setAttribute(name, value)
    }
    const nodes = children.map((each) => (each instanceof Node ? each : visible(String(each))))
    element.append(...nodes)
    return element
  }

  const INVISIBLE =
    // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
    /[\u0000-\u0008\u000b-\u001f\u007f-\u009f\u00ad\u061c\u200b-\u200f\u2028-\u202e\u2060-\u206f\ufeff\ufff9-\uffff]|[\ud800-\udbff](?![\udc00-\udfff])|(?<![\ud800-\udbff])[\udc00-\udfff]/g

  /** Controls, bidirectional overrides and the like, spelled out. */
  function visible(text) {
    return text.replace(
      INVISIBLE,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
  }

  // Data: an index of all exchanges, and their records in chunks that are parsed when needed.

  // Texts stand there once; rows name their places.
  const { words: texts, rows } = JSON.parse(
    document.getElementById('exchange-index')?.textContent ?? '{"words":[],"rows":[]}',
  )
  const index = rows.map(
    ([id, atWhere, atMethod, atPath, status, ms, atCheck, atDeviation, failures, chunk]) => {
      const places = [atWhere, atMethod, atPath, atCheck, atDeviation]
      const [where, method, path, check, deviation] = places.map((place) => texts[place])
      const words = `${id} ${where} ${method} ${path} ${status} ${check} ${deviation}`
      const text = words.toLowerCase()
      return { id, where, method, path, status, ms, check, deviation, failures, chunk, text }
    },
  )
  const byId = new Map(index.map((row) => [row.id, row]))
  const chunks = new Map()

  /** The record of an exchange, once its chunk is unpacked; undefined when the page has none. */
  async function recordOf(id) {
    const row = byId.get(id)
    if (!row || row.chunk < 0) return undefined
    if (!chunks.has(row.chunk)) {
      if (chunks.size > 20) chunks.clear()
      chunks.set(row.chunk, unpacked(document.getElementById(`chunk-${row.chunk}`).textContent))
    }
    return (await chunks.get(row.chunk)).get(id)
  }

  async function unpacked(text) {
    const bytes = Uint8Array.from(atob(text), (character) => character.charCodeAt(0))
    const stream = new Blob([bytes]).stream().pipeThrough(new DecompressionStream('deflate-raw'))
    const records = JSON.parse(await new Response(stream).text())
    return new Map(records.map((record) => [record.id, record]))
  }

  // Bodies.

  /** Lines of pretty-printed JSON, each with the JSON Pointer of what it shows; undefined when it is none.
   * Works on text that was cut as well. */
  function jsonLines(text) {
    if (!/^\s*[{[]/.test(text)) return undefined
    const lines = []
    const stack = []
    const push = (words, pointer, end) =>
      lines.push({ text: '  '.repeat(stack.length) + words, pointer, end })
    let cut = false
    for (const [word] of text.matchAll(/"(?:[^"\\]|\\.)*"|[{}[\],]|[^\s{}[\],:"]+|"[\s\S]*$/g)) {
      const top = stack.at(-1)
      if (word === '}' || word === ']') {
        if (top?.array !== (word === ']')) return undefined
        stack.pop()
        if (lines.length - 1 === top.line) lines[top.line].text += word
        else push(word, top.pointer, true)
      } else if (word === ',') {
        if (!top) return undefined
        lines.at(-1).text += ','
        top.at += 1
        top.key = undefined
      } else if (top && !top.array && top.key === undefined && word[0] === '"') {
        top.key = word
      } else {
        const member = top && String(top.array ? top.at : unquoted(top.key ?? ''))
        const step = top && `/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`
        const pointer = top ? top.pointer + step : ''
        const opens = word === '{' || word === '['
        if (cut && !opens) return undefined
        cut ||= !opens && word[0] !== '"' && !/^(true|false|null|-?[0-9.eE+-]+)$/.test(word)
        push(top?.key ? `${top.key}: ${word}` : word, pointer)
        if (top) top.key = ''
        if (opens) stack.push({ pointer, array: word === '[', at: 0, line: lines.length - 1 })
      }
    }
    return lines
  }

  function unquoted(word) {
    try {
      return JSON.parse(word)
    } catch {
      return word
    }
  }

  /** The place itself, or the nearest thing around it that is there. */
  function nearest(lines, place) {
    for (let at = place; ; at = at.slice(0, at.lastIndexOf('/'))) {
      if (lines.some((line) => line.pointer === at)) return at
      if (at === '') return undefined
    }
  }

  const AROUND = 14

  function body(text, place, cut) {
    const lines = jsonLines(text) ?? text.split('\n').map((line) => ({ text: line }))
    const found = place === undefined ? undefined : nearest(lines, place)
    const within = ({ pointer, end }) =>
      found !== undefined &&
      (pointer === found ? found === place || !end : pointer?.startsWith(`${place}/`))
    const start = Math.max(0, lines.findIndex(within))
    const whole = lines.length <= 4 * AROUND
    const from = whole ? 0 : Math.max(0, start - AROUND)
    const to = whole ? lines.length : Math.min(lines.length, start + 2 * AROUND)
    const pre = make('pre', { tabindex: 0 })
    const line = (each) => make('span', { class: within(each) ? 'line mark' : 'line' }, each.text)
    const draw = (shown) => pre.replaceChildren(...shown.map(line))
    draw(lines.slice(from, to))
    const parts = [pre]
    if (found !== place) {
      const note = cut
        ? `The place ${place} is not in what the recorder kept of this body; expected and actual say what stood there.`
        : found === undefined
          ? `The place ${place} is not in this body.`
          : `Nothing stands at ${place}; marked is what should hold it.`
      parts.unshift(make('p', { class: 'said' }, note))
    }
    if (to - from < lines.length) {
      const click = (event) => {
        draw(lines)
        event.target.remove()
      }
      const words = `Show all ${lines.length} lines (lines ${from + 1} to ${to} are shown)`
      parts.push(make('button', { type: 'button', click }, words))
    }
    return parts
  }

  // One exchange.

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

  function view(id, place) {
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

  function fill(details) {
    if (details.dataset.filled) return
    details.dataset.filled = 'yes'
    for (const hint of all('.elsewhere', details)) hint.remove()
    details.append(view(details.dataset.exchange, details.dataset.place))
  }

  for (const details of all('details[data-exchange]')) {
    details.addEventListener('toggle', () => details.open && fill(details))
  }

  // Commands.

  for (const pre of all('.curl pre')) {
    const status = make('span', { role: 'status' })
    const code = pre.querySelector('code')
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(code.textContent)
        status.textContent = ' copied'
      } catch {
        getSelection().selectAllChildren(code)
        status.textContent = ' selected: copy it with the keyboard'
      }
    }
    pre.after(make('button', { type: 'button', click: copy }, 'Copy'), status)
  }

  // Filters over requirements.

  const form = document.querySelector('form.filters')
  const wordsOf = (text) => text.toLowerCase().split(/\s+/).filter(Boolean)
  const requirements = all('details.requirement').map((element) => ({
    element,
    outcomes: element.dataset.outcomes.split(' '),
    chapter: element.closest('.chapter').dataset.chapter,
    text: element.textContent.toLowerCase(),
  }))

  function filter() {
    const data = new FormData(form)
    const words = wordsOf(data.get('text'))
    const wanted = data.getAll('outcome')
    const is = (name, value) => !data.get(name) || data.get(name) === value
    for (const { element, outcomes, chapter, text } of requirements) {
      const { level, fresh, order } = element.dataset
      element.hidden = !(
        (!data.get('order') || order === undefined) &&
        is('level', level) &&
        is('chapter', chapter) &&
        (!data.get('fresh') || fresh !== undefined) &&
        (wanted.length === 0 || outcomes.some((outcome) => wanted.includes(outcome))) &&
        words.every((word) => text.includes(word))
      )
    }
    for (const group of all('.chapter, .document')) {
      group.hidden = !group.querySelector('.requirement:not([hidden])')
      if (words.length > 0 && group.open === false) group.open = true
    }
    const shown = requirements.filter(({ element }) => !element.hidden).length
    const of = shown === requirements.length ? '' : ` of ${requirements.length}`
    form.querySelector('output').textContent = `${shown}${of} requirements`
  }

  // What is filtered and what is open live in the address: #view?outcome=fail&open=ACC-01.

  const VIEW = '#view?'

  function remember() {
    const words = new URLSearchParams()
    for (const [name, value] of new FormData(form)) {
      if (value !== '' || name === 'order') words.append(name, value)
    }
    for (const { id } of all('.requirement[open]')) words.append('open', id)
    location.replace(VIEW + words)
  }

  function changed() {
    filter()
    remember()
  }

  /** Sets the filters as these words say, and opens what they name; no words, no filter. */
  function recall(words) {
    for (const field of form.elements) {
      if (!field.name) continue
      if (field.type === 'checkbox') field.checked = words.getAll(field.name).includes(field.value)
      else field.value = words.get(field.name) ?? ''
    }
    for (const id of words.getAll('open')) {
      const element = document.getElementById(id)
      if (element) element.open = true
    }
    filter()
  }

  if (form) {
    form.hidden = false
    form.addEventListener('input', changed)
    form.addEventListener('submit', (event) => event.preventDefault())
    form.addEventListener('reset', () =>
      setTimeout(() => {
        form.elements.order.value = ''
        changed()
      }),
    )
    if (!location.hash.startsWith(VIEW)) filter()
    else recall(new URLSearchParams(location.hash.slice(VIEW.length)))
    for (const { element } of requirements) {
      element.querySelector('summary').addEventListener('click', () => setTimeout(remember))
    }
  }

  // The list of exchanges, a page at a time.

  const PAGE = 100
  const fields = Object.fromEntries(
    all('#exchange-list [name]').map((field) => [field.name, field]),
  )
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

  if (tbody) {
    for (const hint of all('#exchanges > .elsewhere')) hint.remove()
    document.getElementById('exchange-list').hidden = false
    for (const field of Object.values(fields)) field.addEventListener('input', pick)
    previous.addEventListener('click', () => turn(page - 1))
    next.addEventListener('click', () => turn(page + 1))
    tbody.addEventListener('keydown', walk)
    turn(0)
  }

  function show(id) {
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

  // Links into the page: open what is closed around their end.

  function reveal() {
    if (location.hash.startsWith(VIEW)) return
    const id = decodeURIComponent(location.hash.slice(1))
    if (id.startsWith('exchange-')) show(id.slice(9))
    const target = document.getElementById(id)
    if (!target) return
    if (target.closest('.requirement')?.hidden) recall(new URLSearchParams())
    for (const details of all(':scope > details:only-of-type', target)) details.open = true
    for (let at = target; at; at = at.parentElement) {
      if (at.tagName === 'DETAILS') at.open = true
      at.hidden = false
    }
    target.scrollIntoView()
  }
  addEventListener('hashchange', reveal)
  document.addEventListener('click', (event) => {
    const link = event.target.closest?.('a[href^="#"]')
    if (link && link.getAttribute('href') === location.hash) reveal()
  })
  reveal()

  // Print: what didn't pass is open on paper, whatever was open on the screen.

  let opened = []
  addEventListener('beforeprint', () => {
    for (const element of all('.requirement, .chapter, .document')) element.hidden = false
    opened = all('details[data-print], details.chapter, .causes details, .victims').filter(
      (details) => !details.open,
    )
    for (const details of opened) {
      if (details.dataset.exchange) fill(details)
      details.open = true
    }
  })
  addEventListener('afterprint', () => {
    if (form) filter()
    for (const details of opened) details.open = false
  })
})()
