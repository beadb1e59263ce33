// The one script of report.html. It reads JSON that stands in the page, and puts whatever a bank sent
// on the screen through textContent only.
;(() => {
  const all = (selector, root = document) => [...root.querySelectorAll(selector)]

  /** An element with attributes and children; strings become text. */
  function make(tag, attributes = {}, ...children) {
    const element = document.createElement(tag)
    for (const [name, value] of Object.entries(attributes)) {
      if (value === undefined || value === false) continue
      if (typeof value === 'function') element.addEventListener(name, value)
      else element.setAttribute(name, value === true ? '' : String(value))
    }
    for (const child of children) {
      if (child === undefined || child === '') continue
      element.append(child instanceof Node ? child : visible(String(child)))
    }
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

  const index = JSON.parse(document.getElementById('exchange-index')?.textContent ?? '[]').map(
    ([id, where, method, path, status, ms, check, deviation, failures, chunk]) => {
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

  /** Lines of pretty-printed JSON, each with the JSON Pointers it shows; undefined when it is none.
   * Works on text that was cut as well. */
  function jsonLines(text) {
    const first = text.trimStart()[0]
    if (first !== '{' && first !== '[') return undefined
    const lines = []
    const stack = []
    let key
    const push = (value, pointer) => {
      const name = key === undefined ? '' : `${key}: `
      lines.push({ text: '  '.repeat(stack.length) + name + value, pointer })
      key = undefined
    }
    const pointerHere = () => {
      const top = stack.at(-1)
      if (!top) return ''
      const member = top.array ? String(top.at) : unquoted(key ?? '""')
      return `${top.pointer}/${member.replaceAll('~', '~0').replaceAll('/', '~1')}`
    }
    const token = /\s+|"(?:[^"\\]|\\.)*"|[{}[\],:]|[^\s{}[\],:"]+|"[\s\S]*$/g
    let cut = false
    for (const [word] of text.matchAll(token)) {
      const top = stack.at(-1)
      if (/^\s/.test(word) || word === ':') continue
      if (word === '{' || word === '[') {
        const pointer = pointerHere()
        push(word, pointer)
        stack.push({ pointer, array: word === '[', at: 0, line: lines.length - 1, wantsKey: true })
      } else if (word === '}' || word === ']') {
        if (!top || top.array !== (word === ']')) return undefined
        stack.pop()
        key = undefined
        if (lines.length - 1 === top.line) lines[top.line].text += word
        else lines.push({ text: '  '.repeat(stack.length) + word, pointer: top.pointer, end: true })
      } else if (word === ',') {
        if (!top) return undefined
        lines.at(-1).text += ','
        top.at += 1
        top.wantsKey = true
      } else if (top && !top.array && top.wantsKey && word[0] === '"') {
        key = word
        top.wantsKey = false
      } else {
        if (cut) return undefined
        cut = word[0] !== '"' && !/^(true|false|null|-?[0-9.eE+-]+)$/.test(word)
        push(word, pointerHere())
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
    const within = (line) =>
      found !== undefined &&
      line.pointer !== undefined &&
      (found === place
        ? line.pointer === found || line.pointer.startsWith(`${found}/`)
        : line.pointer === found && !line.end)
    const start = Math.max(0, lines.findIndex(within))
    const whole = lines.length <= 4 * AROUND
    const from = whole ? 0 : Math.max(0, start - AROUND)
    const to = whole ? lines.length : Math.min(lines.length, start + 2 * AROUND)
    const pre = make('pre', { tabindex: 0 })
    const draw = (a, b) => {
      pre.replaceChildren(
        ...lines
          .slice(a, b)
          .map((line) => make('span', { class: within(line) ? 'line mark' : 'line' }, line.text)),
      )
    }
    draw(from, to)
    const parts = [pre]
    if (place !== undefined && found !== place) {
      const note = cut
        ? `The place ${place} is not in what the recorder kept of this body; expected and actual say what stood there.`
        : found === undefined
          ? `The place ${place} is not in this body.`
          : `Nothing stands at ${place}; marked is what should hold it.`
      parts.unshift(make('p', { class: 'said' }, note))
    }
    if (to - from < lines.length) {
      const button = make(
        'button',
        {
          type: 'button',
          click: () => {
            draw(0, lines.length)
            button.remove()
          },
        },
        `Show all ${lines.length} lines (lines ${from + 1} to ${to} are shown)`,
      )
      parts.push(button)
    }
    return parts
  }

  // One exchange.

  function trait(name, value) {
    if (value === undefined || value === '') return undefined
    return make('div', {}, make('dt', {}, name), make('dd', {}, value))
  }

  function headers(list) {
    return make(
      'table',
      { class: 'headers' },
      make(
        'tbody',
        {},
        ...list.map(([name, value]) =>
          make('tr', {}, make('th', { scope: 'row' }, name), make('td', {}, value)),
        ),
      ),
    )
  }

  /** Name and value, decoded, of a query or a form. */
  function parameters(text) {
    const plain = (part) => {
      try {
        return decodeURIComponent(part.replaceAll('+', ' '))
      } catch {
        return part
      }
    }
    return headers(
      text.split('&').map((pair) => {
        const at = pair.indexOf('=')
        return at < 0 ? [plain(pair), ''] : [plain(pair.slice(0, at)), plain(pair.slice(at + 1))]
      }),
    )
  }

  function target({ method, url }) {
    const at = url.indexOf('?')
    const address = make('pre', { tabindex: 0 }, `${method} ${at < 0 ? url : url.slice(0, at)}`)
    if (at < 0) return [address]
    return [
      address,
      make('p', { class: 'side-title' }, 'Query, decoded'),
      parameters(url.slice(at + 1)),
      make('p', { class: 'side-title' }, 'Headers'),
    ]
  }

  function sent({ headers: list, body: text }) {
    if (!text) return []
    const type = list.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
    if (!/x-www-form-urlencoded/i.test(type)) return body(text)
    return [make('p', { class: 'side-title' }, 'Form, decoded'), parameters(text)]
  }

  function answer(record, place) {
    const { response, failure } = record
    if (!response) {
      const words = failure ? `${failure.kind} ${failure.code}: ${failure.message}` : 'nothing'
      return [make('p', { class: 'side-title' }, 'No response'), make('p', {}, words)]
    }
    const cut =
      response.digest &&
      `, of which the first part was kept; SHA-256 of the whole ${response.digest}`
    const size = `${response.bytes} bytes${cut ?? ''}`
    return [
      make('p', { class: 'side-title' }, `Response ${response.status} · ${size}`),
      headers(response.headers),
      ...(response.body === ''
        ? [make('p', { class: 'said' }, 'No body.')]
        : body(response.body, place, response.digest !== undefined)),
    ]
  }

  function view(id, place) {
    const frame = make('div', { class: 'view', 'aria-busy': 'true' })
    recordOf(id).then((record) => {
      frame.append(
        ...(record
          ? sides(record, place)
          : [`Exchange ${id} is not on this page; look for its id in exchanges.jsonl.`]),
      )
      frame.removeAttribute('aria-busy')
    })
    return frame
  }

  function sides(record, place) {
    const { request, connection, about } = record
    const words = { ...about }
    delete words.consent
    return [
      make(
        'dl',
        { class: 'traits' },
        trait('Sent', record.startedAt),
        trait('took', `${Math.round(record.durationMs)} ms`),
        trait('TLS', [connection.protocol, connection.cipher].filter(Boolean).join(' ') || 'none'),
        trait('client certificate', connection.identity),
        trait('deviation', about.deviation),
        trait('client', about.client),
        trait('approval', about.approval),
        trait('consent', about.consent?.id),
        trait('by', about.check),
        trait('retried by', record.retriedBy),
      ),
      make(
        'div',
        { class: 'sides' },
        make(
          'div',
          {},
          make('p', { class: 'side-title' }, 'Request'),
          ...target(request),
          headers(request.headers),
          ...sent(request),
        ),
        make('div', {}, ...answer(record, place)),
      ),
    ]
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
  const requirements = all('details.requirement').map((element) => ({
    element,
    level: element.dataset.level,
    outcomes: element.dataset.outcomes.split(' '),
    fresh: 'fresh' in element.dataset,
    inOrder: 'order' in element.dataset,
    chapter: element.closest('.chapter').dataset.chapter,
    text: element.textContent.toLowerCase(),
  }))

  function filter() {
    const data = new FormData(form)
    const words = String(data.get('text')).toLowerCase().split(/\s+/).filter(Boolean)
    const outcomes = data.getAll('outcome')
    let shown = 0
    for (const row of requirements) {
      const { element, level, outcomes: own, fresh, inOrder, chapter, text } = row
      const keep =
        (!data.get('order') || !inOrder) &&
        (!data.get('level') || data.get('level') === level) &&
        (!data.get('chapter') || data.get('chapter') === chapter) &&
        (!data.get('fresh') || fresh) &&
        (outcomes.length === 0 || own.some((outcome) => outcomes.includes(outcome))) &&
        words.every((word) => text.includes(word))
      element.hidden = !keep
      if (keep) shown += 1
    }
    for (const group of all('.chapter, .document')) {
      group.hidden = !group.querySelector('.requirement:not([hidden])')
      if (words.length > 0 && group.open === false) group.open = true
    }
    form.querySelector('output').textContent =
      shown === requirements.length
        ? `${shown} requirements`
        : `${shown} of ${requirements.length} requirements`
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

  function recall() {
    if (!location.hash.startsWith(VIEW)) return
    const words = new URLSearchParams(location.hash.slice(VIEW.length))
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
    form.addEventListener('input', () => {
      filter()
      remember()
    })
    form.addEventListener('submit', (event) => event.preventDefault())
    form.addEventListener('reset', () =>
      setTimeout(() => {
        form.elements.order.value = ''
        filter()
        remember()
      }),
    )
    filter()
    recall()
    for (const { element } of requirements) {
      element.querySelector('summary').addEventListener('click', () => setTimeout(remember))
    }
  }

  // The list of exchanges, a page at a time.

  const PAGE = 100
  const list = document.getElementById('exchange-list')
  for (const hint of all('#exchanges > .elsewhere')) hint.remove()
  const tbody = make('tbody')
  const position = make('output', { 'aria-live': 'polite' })
  const previous = make('button', { type: 'button', click: () => turn(page - 1) }, 'Previous')
  const next = make('button', { type: 'button', click: () => turn(page + 1) }, 'Next')
  let found = index
  let page = 0

  const option = (value, text = value) => make('option', { value }, text)
  const choice = (name, ...options) => make('select', { name }, option('', 'all'), ...options)
  const unique = (values) => [...new Set(values)].filter(Boolean).sort()
  const classOf = ({ status }) => (typeof status === 'number' ? `${String(status)[0]}xx` : 'none')
  const search = make('input', {
    type: 'search',
    placeholder: 'path, status, check, id',
    autocomplete: 'off',
  })
  const endpoint = choice(
    'endpoint',
    ...unique(index.map(({ where }) => where)).map((w) => option(w)),
  )
  const status = choice(
    'status',
    ...unique(index.map(classOf)).map((c) => option(c, c === 'none' ? 'no response' : c)),
  )
  const purpose = choice(
    'purpose',
    option('yes', 'wrong on purpose'),
    option('no', 'nothing wrong'),
  )
  const failure = choice(
    'failure',
    ...unique(index.flatMap(({ failures }) => failures)).map((id) => option(id)),
  )

  function turn(to) {
    page = Math.max(0, Math.min(to, Math.ceil(found.length / PAGE) - 1))
    const from = page * PAGE
    const rows = found.slice(from, from + PAGE)
    tbody.replaceChildren(...rows.map(exchangeRow))
    position.textContent =
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
    const button = make(
      'button',
      { type: 'button', 'aria-expanded': 'false', click: () => toggle(tr, row, button) },
      row.id,
    )
    const tr = make(
      'tr',
      { class: 'exchange' },
      make('th', { scope: 'row' }, button),
      make('td', { class: 'path', title: row.path }, `${row.method} ${shortPath(row.path)}`),
      make('td', { class: bad ? 'number bad' : 'number' }, row.status),
      make('td', { class: 'number' }, `${row.ms} ms`),
      make('td', { class: 'check' }, row.check, row.deviation ? ` (${row.deviation})` : ''),
    )
    return tr
  }

  function toggle(tr, row, button) {
    const open = button.getAttribute('aria-expanded') === 'true'
    button.setAttribute('aria-expanded', String(!open))
    if (open) tr.nextElementSibling.remove()
    else tr.after(make('tr', {}, make('td', { colspan: 5 }, view(row.id))))
  }

  function pick() {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
    found = index.filter(
      (row) =>
        words.every((word) => row.text.includes(word)) &&
        (!endpoint.value || row.where === endpoint.value) &&
        (!status.value || classOf(row) === status.value) &&
        (!purpose.value || (purpose.value === 'yes') === (row.deviation !== '')) &&
        (!failure.value || row.failures.includes(failure.value)),
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

  if (list) {
    for (const field of [search, endpoint, status, purpose, failure]) {
      field.addEventListener('input', pick)
    }
    tbody.addEventListener('keydown', walk)
    const column = (name, kind) => make('th', { scope: 'col', class: kind }, name)
    const heads = [
      column('Id'),
      column('Request'),
      column('Status', 'number'),
      column('Took', 'number'),
      column('Sent by'),
    ]
    const table = make(
      'table',
      { class: 'rows' },
      make('thead', {}, make('tr', {}, ...heads)),
      tbody,
    )
    list.append(
      make(
        'div',
        { class: 'filters', role: 'search', 'aria-label': 'Filter exchanges' },
        make('label', { class: 'wide' }, 'Find ', search),
        make('label', {}, 'Endpoint ', endpoint),
        make('label', {}, 'Status ', status),
        make('label', {}, 'Request ', purpose),
        make('label', {}, 'Of the failure ', failure),
      ),
      make('div', { class: 'pager' }, previous, next, position),
      make(
        'div',
        { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'List of exchanges' },
        table,
      ),
    )
    turn(0)
  }

  function show(id) {
    for (const field of [search, endpoint, status, purpose, failure]) field.value = ''
    found = index
    const at = index.findIndex((row) => row.id === id)
    if (at < 0) return
    turn(Math.floor(at / PAGE))
    const button = all('.exchange th button', tbody)[at % PAGE]
    button.click()
    button.focus()
    button.scrollIntoView({ block: 'center' })
  }

  /** No filter: what a link leads to must be there. */
  function everything() {
    for (const field of form.elements) {
      if (field.type === 'checkbox') field.checked = false
      else if (field.name) field.value = ''
    }
    filter()
  }

  // Links into the page: open what is closed around their end.

  function reveal() {
    if (location.hash.startsWith(VIEW)) return undefined
    const id = decodeURIComponent(location.hash.slice(1))
    if (id.startsWith('exchange-')) return show(id.slice(9))
    const target = id && document.getElementById(id)
    if (!target) return undefined
    if (target.closest('.requirement')?.hidden) everything()
    for (const details of all(':scope > details:only-of-type', target)) details.open = true
    for (let at = target; at; at = at.parentElement) {
      if (at.tagName === 'DETAILS') at.open = true
      at.hidden = false
    }
    target.scrollIntoView()
    return undefined
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
