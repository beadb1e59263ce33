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

  const index = JSON.parse(document.getElementById('exchange-index').textContent).map(
    ([id, endpoint, method, path, status, ms, check, deviation, chunk]) => {
      const words = `${id} ${endpoint} ${method} ${path} ${status} ${check} ${deviation}`
      const text = words.toLowerCase()
      return { id, endpoint, method, path, status, ms, check, deviation, chunk, text }
    },
  )
  const byId = new Map(index.map((row) => [row.id, row]))
  const chunks = new Map()

  function recordOf(id) {
    const row = byId.get(id)
    if (!row || row.chunk < 0) return undefined
    if (!chunks.has(row.chunk)) {
      if (chunks.size > 20) chunks.clear()
      const records = JSON.parse(document.getElementById(`chunk-${row.chunk}`).textContent)
      chunks.set(row.chunk, new Map(records.map((record) => [record.id, record])))
    }
    return chunks.get(row.chunk).get(id)
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
      make('h5', {}, 'Query, decoded'),
      parameters(url.slice(at + 1)),
      make('h5', {}, 'Headers'),
    ]
  }

  function sent({ headers: list, body: text }) {
    if (!text) return []
    const type = list.find(([name]) => name.toLowerCase() === 'content-type')?.[1] ?? ''
    if (!/x-www-form-urlencoded/i.test(type)) return body(text)
    return [make('h5', {}, 'Form, decoded'), parameters(text)]
  }

  function answer(record, place) {
    const { response, failure } = record
    if (!response) {
      const words = failure ? `${failure.kind} ${failure.code}: ${failure.message}` : 'nothing'
      return [make('h5', {}, 'No response'), make('p', {}, words)]
    }
    const cut =
      response.digest &&
      `, of which the first part was kept; SHA-256 of the whole ${response.digest}`
    const size = `${response.bytes} bytes${cut ?? ''}`
    return [
      make('h5', {}, `Response ${response.status} · ${size}`),
      headers(response.headers),
      ...(response.body === ''
        ? [make('p', { class: 'said' }, 'No body.')]
        : body(response.body, place, response.digest !== undefined)),
    ]
  }

  function view(id, place) {
    const record = recordOf(id)
    if (!record) {
      return make(
        'p',
        { class: 'view' },
        `Exchange ${id} is not on this page; look for its id in exchanges.jsonl.`,
      )
    }
    const { request, connection, about } = record
    const words = { ...about }
    delete words.consent
    return make(
      'div',
      { class: 'view' },
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
          make('h5', {}, 'Request'),
          ...target(request),
          headers(request.headers),
          ...sent(request),
        ),
        make('div', {}, ...answer(record, place)),
      ),
    )
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
  // The exchange of a failure is open as soon as somebody looks at it.
  const watcher = new IntersectionObserver(
    (entries) => {
      for (const { target, isIntersecting } of entries) {
        if (!isIntersecting) continue
        watcher.unobserve(target)
        target.open = true
      }
    },
    { rootMargin: '300px' },
  )
  for (const details of all('details[data-open]')) watcher.observe(details)

  // Curl.

  for (const details of all('.curl')) {
    const status = make('span', { role: 'status' })
    const copy = async () => {
      try {
        await navigator.clipboard.writeText(details.querySelector('code').textContent)
        status.textContent = ' copied'
      } catch {
        getSelection().selectAllChildren(details.querySelector('code'))
        status.textContent = ' selected: copy it with the keyboard'
      }
    }
    details.append(make('button', { type: 'button', click: copy }, 'Copy'), status)
  }

  // Filters over requirements.

  const form = document.querySelector('form.filters')
  const requirements = all('details.requirement').map((element) => ({
    element,
    level: element.dataset.level,
    outcomes: element.dataset.outcomes.split(' '),
    fresh: 'fresh' in element.dataset,
    chapter: element.closest('.chapter').dataset.chapter,
    text: element.textContent.toLowerCase(),
  }))

  function filter() {
    const data = new FormData(form)
    const words = String(data.get('text')).toLowerCase().split(/\s+/).filter(Boolean)
    const outcomes = data.getAll('outcome')
    let shown = 0
    for (const { element, level, outcomes: own, fresh, chapter, text } of requirements) {
      const keep =
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
    }
    form.querySelector('output').textContent =
      shown === requirements.length
        ? `${shown} requirements`
        : `${shown} of ${requirements.length} requirements`
  }

  form.hidden = false
  form.addEventListener('input', filter)
  form.addEventListener('submit', (event) => event.preventDefault())
  form.addEventListener('reset', () => setTimeout(filter))
  filter()

  // The list of exchanges, a page at a time.

  const PAGE = 100
  const list = document.getElementById('exchange-list')
  for (const hint of all('#exchanges > .elsewhere')) hint.remove()
  const search = make('input', {
    type: 'search',
    placeholder: 'endpoint, path, status, check, id',
    autocomplete: 'off',
  })
  const tbody = make('tbody')
  const position = make('output', { 'aria-live': 'polite' })
  const previous = make('button', { type: 'button', click: () => turn(page - 1) }, 'Previous')
  const next = make('button', { type: 'button', click: () => turn(page + 1) }, 'Next')
  let found = index
  let page = 0

  function turn(to) {
    page = Math.max(0, Math.min(to, Math.ceil(found.length / PAGE) - 1))
    const from = page * PAGE
    const rows = found.slice(from, from + PAGE)
    tbody.replaceChildren(...rows.map(exchangeRow))
    position.textContent =
      found.length === 0 ? 'No exchange' : `${from + 1} to ${from + rows.length} of ${found.length}`
    previous.disabled = page === 0
    next.disabled = from + PAGE >= found.length
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
      {},
      make('th', { scope: 'row' }, button),
      make('td', {}, row.method),
      make('td', { class: 'path' }, row.path),
      make('td', { class: bad ? 'number bad' : 'number' }, row.status),
      make('td', { class: 'number wide' }, `${row.ms} ms`),
      make('td', { class: 'wide' }, row.deviation ? `${row.check} (${row.deviation})` : row.check),
    )
    return tr
  }

  function toggle(tr, row, button) {
    const open = button.getAttribute('aria-expanded') === 'true'
    button.setAttribute('aria-expanded', String(!open))
    if (open) tr.nextElementSibling.remove()
    else tr.after(make('tr', {}, make('td', { colspan: 6 }, view(row.id))))
  }

  search.addEventListener('input', () => {
    const words = search.value.toLowerCase().split(/\s+/).filter(Boolean)
    found = index.filter((row) => words.every((word) => row.text.includes(word)))
    turn(0)
  })
  const column = (name, kind) => make('th', { scope: 'col', class: kind }, name)
  list.append(
    make('label', {}, 'Find ', search),
    make('div', { class: 'pager' }, previous, next, position),
    make(
      'div',
      { class: 'scroll', tabindex: 0, role: 'region', 'aria-label': 'List of exchanges' },
      make(
        'table',
        { class: 'rows' },
        make(
          'thead',
          {},
          make(
            'tr',
            {},
            column('Id'),
            column('Method'),
            column('Path'),
            column('Status', 'number'),
            column('Took', 'number wide'),
            column('Sent by', 'wide'),
          ),
        ),
        tbody,
      ),
    ),
  )
  turn(0)

  function show(id) {
    search.value = ''
    found = index
    const at = index.findIndex((row) => row.id === id)
    if (at < 0) return
    turn(Math.floor(at / PAGE))
    const button = tbody.children[at % PAGE].querySelector('button')
    button.click()
    button.focus()
    button.scrollIntoView({ block: 'center' })
  }

  // Links into the page: open what is closed around their end.

  function reveal() {
    const id = decodeURIComponent(location.hash.slice(1))
    if (id.startsWith('exchange-')) return show(id.slice(9))
    const target = id && document.getElementById(id)
    if (!target) return undefined
    if (target.closest('.requirement')?.hidden) form.reset()
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
    opened = all('details[data-open], .causes details, .victims').filter((details) => !details.open)
    for (const details of opened) {
      if (details.dataset.exchange) fill(details)
      details.open = true
    }
  })
  addEventListener('afterprint', () => {
    for (const details of opened) details.open = false
  })
})()
