import { createServer, type ServerResponse } from 'node:http'
import { listenHere, shut } from '../authorisation-drivers/loopback-server.ts'
import type { WatchedLine } from './watch.ts'

/** Number of lines that are shown to somebody who opens the page later. */
const KEPT = 500

/** The title of the page, and its text before the first request. */
export interface WatchWords {
  title: string
  before: string
}

const OF_A_BANK: WatchWords = {
  title: 'What the bank sees',
  before: 'Nothing has reached the bank yet.',
}

/**
 * A page on loopback that shows each line as it arrives, by server-sent events.
 *
 * @param words trusted text: it is inserted without escaping
 */
export async function openWatchPage(port = 0, words: WatchWords = OF_A_BANK) {
  const files: Record<string, [type: string, text: string]> = {
    '/': ['text/html', pageOf(words)],
    '/watch.css': ['text/css', STYLE],
    '/watch.js': ['text/javascript', SCRIPT],
  }
  const lines: string[] = []
  const watching = new Set<ServerResponse>()
  const server = createServer((request, response) => {
    const path = request.url ?? '/'
    // Prevents a page of another site from reading along through a host name that points here.
    if (!/^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '')) {
      response.writeHead(421).end()
      return
    }
    if (path === '/events') {
      response.writeHead(200, { 'content-type': 'text/event-stream', 'cache-control': 'no-store' })
      for (const line of lines) response.write(`data: ${line}\n\n`)
      watching.add(response)
      response.on('close', () => watching.delete(response))
      return
    }
    const file = files[path]
    if (!file) {
      response.writeHead(404).end()
      return
    }
    const [type, text] = file
    response.writeHead(200, {
      'content-type': `${type}; charset=utf-8`,
      'content-security-policy':
        "default-src 'none'; script-src 'self'; style-src 'self'; connect-src 'self'",
      'x-content-type-options': 'nosniff',
    })
    response.end(text)
  })
  const origin = await listenHere(server, port)
  return {
    url: `${origin}/`,
    show(line: WatchedLine) {
      const text = JSON.stringify(line)
      lines.push(text)
      if (lines.length > KEPT) lines.shift()
      for (const each of watching) each.write(`data: ${text}\n\n`)
    },
    close: () => shut(server),
  }
}

const pageOf = ({ title, before }: WatchWords) => `<!doctype html>
<html lang="en"><meta charset="utf-8"><meta name="viewport" content="width=device-width, initial-scale=1"><title>${title} · Assay</title>
<link rel="stylesheet" href="/watch.css"><script src="/watch.js" defer></script>
<h1>${title}</h1>
<p id="count" role="status">${before}</p>
<table><thead><tr><th>time<th>request<th>answer<th>what is wrong</thead><tbody></tbody></table></html>
`

const STYLE = `:root { color-scheme: light dark; --line: light-dark(#d5dbe1, #353b45); --soft: light-dark(#4b5763, #a9b2be); --bad: light-dark(#c62828, #ff8078) }
body { font: 15px/1.45 system-ui, sans-serif; margin: 2rem; background: light-dark(#fff, #14171c); color: light-dark(#1d242b, #e8eaee) }
table { border-collapse: collapse; width: 100% }
th, td { text-align: left; vertical-align: top; padding: .3rem .8rem .3rem 0; border-top: 1px solid var(--line) }
td:nth-child(2) { font-family: ui-monospace, monospace; overflow-wrap: anywhere }
tr.wrong td:first-child { border-left: 4px solid var(--bad); padding-left: .5rem }
b { font-weight: 600 } p { margin: 0 0 .3rem; overflow-wrap: anywhere }
@media (max-width: 40rem) {
  body { margin: 1rem .75rem } h1 { font-size: 1.4rem }
  thead { position: absolute; width: 1px; height: 1px; overflow: hidden; clip-path: inset(50%) }
  table, tbody, tr, td { display: block } td { border: 0; padding: .1rem 0 }
  tr { border-top: 1px solid var(--line); padding: .5rem 0 } td:nth-child(3)::before { content: "answer: "; color: var(--soft) }
  tr.wrong { border-left: 4px solid var(--bad); padding-left: .6rem } tr.wrong td:first-child { border-left: 0; padding-left: 0 }
}
`

const SCRIPT = `const body = document.querySelector('tbody')
let count = 0
let wrong = 0
const cell = (row, text) => { const td = row.insertCell(); td.textContent = text; return td }
new EventSource('/events').onmessage = ({ data }) => {
  const { at, method, path, answer, refusal, broken } = JSON.parse(data)
  count += 1
  if (broken.length) wrong += 1
  const row = body.insertRow(0)
  row.className = broken.length || refusal ? 'wrong' : ''
  cell(row, at.slice(11, 23))
  cell(row, method + ' ' + path)
  cell(row, answer)
  const why = row.insertCell()
  const say = (text) => { const p = why.appendChild(document.createElement('p')); p.textContent = text; return p }
  if (refusal) say('refused: ' + refusal)
  for (const { by, id, level, text, expected, actual } of broken) {
    const p = say(' (' + level + ') ' + text)
    p.prepend(Object.assign(document.createElement('b'), { textContent: (by ? by + ' ' : '') + id }))
    say('expected ' + expected + ' · actual ' + actual)
  }
  document.querySelector('#count').textContent = count + ' requests, ' + wrong + ' break a requirement. The newest is first.'
}
`
