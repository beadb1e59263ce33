import { type QrCode, qrCode } from '../record/qr-code.ts'
import { CUT_OFF, type Desk, type Entry, type OpenVisit, type Question } from './approval-queue.ts'
import { STYLE } from './ask-style.ts'

/** The page that lists the approvals of a run and takes the person's answers. */
export function approvalsPage(
  queue: Desk,
  nonce: string,
  /** True if the answer at this redirect URI arrives without the person's help. */
  catches: (redirectUri: string) => boolean,
): string {
  const { entries, open } = queue
  const done = entries.filter(({ state }) => !['to come', 'now'].includes(state)).length
  const { question } = queue
  const now = question
    ? openQuestion(question)
    : open
      ? openVisit(open, catches(open.request.about.visit?.redirectUri ?? ''))
      : '<p>Nothing to do at this moment. This page shows by itself when somebody is needed.</p>'
  const rows = entries.map(row).join('\n')
  const body = `<h1>Approvals</h1>
<p id="count" role="status">${done} of ${entries.length} done.</p>
<section id="now" aria-live="polite">
${now}
</section>
<h2>All that this run needs</h2>
<table>
<thead><tr><th>Approval</th><th>What for</th><th>Customer</th><th>Choose</th><th>State</th></tr></thead>
<tbody>
${rows}
</tbody>
</table>`
  const script = `${SEND}\n${listening(queue.version, (question ?? open)?.number ?? 0)}`
  return frame('Approvals', body, script, nonce)
}

function row({ name, purpose, customer, decision, serves, state }: Entry): string {
  const what = serves > 0 ? `${escaped(purpose)} <small>${serves} checks</small>` : escaped(purpose)
  const cells = Object.entries({
    Approval: escaped(name),
    'What for': what,
    Customer: escaped(customer),
    Choose: decision,
    State: state,
  }).map(([column, value]) => `<td data-column="${column}">${value}</td>`)
  return `<tr class="${state.replace(' ', '-')}">${cells.join('')}</tr>`
}

function openVisit({ number, request, doubtful }: OpenVisit, caught: boolean): string {
  const { url, purpose, customerName, customer, decision, about } = request
  const login = loginOf(customer.credentials)
  const who = `the ${customerName} customer${login === undefined ? '' : `, ${login}`}`
  const uri = about.visit?.redirectUri ?? ''
  const back = caught
    ? '<li>The answer arrives here by itself.</li>'
    : `<li>You end at an address that starts with <code>${escaped(uri)}</code>. Its page may not exist. Copy the whole address, with all that follows <code>#</code>, and paste it here at once: a code lives for a minute.</li>`
  const expected = escaped(uri.split(/[?#]/, 1)[0] ?? '')
  const question = doubtful
    ? `<p class="doubt" role="alert">An answer arrived that may not be the one of this visit: ${escaped(doubtful.why)}.
<button type="button" data-do="drop">Leave it out</button>
<button type="button" data-do="judge" class="quiet">Judge it all the same</button></p>`
    : ''
  return `<h2>${number}. ${escaped(purpose)}</h2>
${question}
<ol>
<li><a id="bank" href="${escaped(url)}" target="_blank" rel="noreferrer noopener">Open the bank's page</a></li>
<li>Log in as <strong>${escaped(who)}</strong>.</li>
<li>Choose what the bank asks for as the heading says, and press what means <strong>${decision}</strong>.</li>
${back}
</ol>
${otherDevice(url, caught)}
<p><label>Final address <input id="address" type="text" inputmode="url" autocomplete="off" autocapitalize="off" spellcheck="false" data-starts="${expected}" aria-describedby="words"></label>
<button type="button" data-do="paste">Take this address</button></p>
<p id="words" role="status"></p>
<details id="stuck"><summary>It does not end there</summary>
<p><label>What the bank's page says <input id="why" type="text" autocomplete="off"></label>
<button type="button" data-do="stopped">The bank's page ends with this</button>
<button type="button" data-do="skip" class="quiet">I cannot do this one</button></p>
</details>`
}

function drawn({ size, width, light, dark }: QrCode): string {
  return `<svg class="qr" role="img" aria-label="The bank’s page, for a phone" width="${width}" viewBox="0 0 ${size} ${size}" shape-rendering="crispEdges"><path fill="#fff" d="${light}"/><path fill="#000" d="${dark}"/></svg>`
}

/** For a bank whose customers log in with an app. The page of approvals can be opened only on this machine. */
function otherDevice(url: string, caught: boolean): string {
  const code = qrCode(url)
  const scan = code
    ? `<li>Scan this code with the phone: it is the address of the bank's page.
<div>${drawn(code)}</div></li>`
    : `<li>The address is too long for a QR code. Copy it and send it to the phone.</li>`
  const here = caught
    ? ' The phone cannot open this address, because it belongs to this machine. Only the address is needed.'
    : ''
  return `<details id="phone"><summary>The bank asks for its app: continue with a phone or another device</summary>
<p>${caught ? 'If the app is on a phone and the bank continues in this browser, nothing else is needed. Otherwise:' : 'The phone cannot open this page. So:'}</p>
<ol>
${scan}
<li>Log in and choose there, as said above.</li>
<li>The phone ends at the redirect URI.${here} Copy the whole address from the phone's address bar, send it to this machine, for example as a message to yourself, and paste it below.</li>
</ol>
<p><button type="button" id="copy" class="quiet" data-copy="${escaped(url)}">Copy the bank's address</button>
<a id="short" href="open" target="_blank" rel="noreferrer noopener">Short link</a> <small>For another browser on this machine; a phone reaches it only through a forwarded port.</small></p>
</details>`
}

function openQuestion({ number, text }: Question): string {
  return `<h2>${number}. To be done at the bank</h2>
<p>${escaped(text)}</p>
<p><button type="button" data-do="done">It is done</button>
<button type="button" data-do="cannot" class="quiet">I cannot do this</button></p>
<p id="words" role="status"></p>`
}

/** The credential that tells a person which login to use; never a secret one. */
function loginOf(credentials: Record<string, string>): string | undefined {
  return Object.entries(credentials).find(([name]) =>
    /^(user|login|e-?mail|customer)/i.test(name),
  )?.[1]
}

/** The page at the redirect URI. It only says whether the answer was taken. */
export function catcherPage(nonce: string): string {
  const body = '<h1>Back from the bank</h1>\n<p id="words" role="status">One moment …</p>'
  const script = `const address = location.href
// The code is no part of what the browser remembers of this page.
history.replaceState(null, '', location.pathname)
${SEND}
send(location.pathname, { address })`
  return frame('Back from the bank', body, script, nonce)
}

/** Sends a script's answer to the page's own server, and shows the reply. */
export const SEND = `async function send(path, body) {
  const words = document.getElementById('words')
  try {
    const answer = await fetch(path, {
      method: 'POST',
      headers: { 'content-type': 'application/json' },
      body: JSON.stringify(body),
      credentials: 'omit',
    })
    const said = await answer.json()
    if (words) words.textContent = said.words
    return answer.ok
  } catch {
    if (words) words.textContent = 'Nobody listens any more: the run has ended.'
    return false
  }
}`

/** Script of the page: sends answers, checks for news and says how the run ended. */
function listening(version: number, visit: number): string {
  return `const path = location.pathname
let version = ${version}
const say = (text) => { const words = document.getElementById('words'); if (words) words.textContent = text }
for (const button of document.querySelectorAll('button[data-do]')) {
  button.addEventListener('click', async () => {
    const address = document.getElementById('address')?.value
    const why = document.getElementById('why')?.value
    const taken = await send(path + 'answer', { visit: ${visit}, do: button.dataset.do, address, why })
    if (taken || button.dataset.do === 'paste') look()
  })
}
const pasted = document.getElementById('address')
pasted?.addEventListener('input', () => {
  const text = pasted.value.trim()
  const cut = text.startsWith(pasted.dataset.starts) && !text.includes('#') && !/[?&](code|error|response)=/.test(text)
  pasted.setAttribute('aria-invalid', String(cut))
  say(cut ? ${JSON.stringify(CUT_OFF)} : '')
})
const copy = document.getElementById('copy')
copy?.addEventListener('click', async () => {
  try {
    await navigator.clipboard.writeText(copy.dataset.copy)
    say('The address of the bank is copied.')
  } catch {
    say('The browser does not let this page copy. Copy the address by the menu of the link to the bank.')
  }
})
const phone = document.getElementById('phone')
if (phone) {
  // Whoever uses a phone uses it for the next approval too.
  phone.open = sessionStorage.getItem('phone') === 'yes'
  phone.addEventListener('toggle', () => sessionStorage.setItem('phone', phone.open ? 'yes' : 'no'))
}
let over = false
function ended(words) {
  over = true
  const now = document.getElementById('now')
  now.replaceChildren()
  now.appendChild(document.createElement('h2')).textContent = 'The run has ended'
  now.appendChild(document.createElement('p')).textContent = words
  document.getElementById('count').textContent = 'This page may be closed.'
  document.title = 'The run has ended'
}
fetch(path + 'ended', { credentials: 'omit' }).then((answer) => answer.json()).then(({ words }) => ended(words)).catch(() => {})
let asking = false
async function look() {
  if (asking || over) return
  asking = true
  try {
    const answer = await fetch(path + 'version', { credentials: 'omit' })
    const now = (await answer.json()).version
    if (now !== version) location.reload()
  } catch {
    if (!over) ended('Nobody answers any more: the run was stopped, or the way to its machine is cut. The terminal says more.')
  }
  asking = false
}
setInterval(look, 1000)`
}

/** A page of ours; the nonce allows its one script and style. */
export function frame(title: string, body: string, script: string, nonce: string): string {
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta name="viewport" content="width=device-width, initial-scale=1">
<meta name="referrer" content="no-referrer">
<title>${title} – Assay</title>
<style nonce="${nonce}">${STYLE}</style>
</head>
<body>
<main>
${body}
</main>
<script nonce="${nonce}">${script}</script>
</body>
</html>
`
}

const NAMES: Record<string, string> = { '&': 'amp', '<': 'lt', '>': 'gt', '"': 'quot', "'": '#39' }

/** Text escaped for a page of ours. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&${NAMES[sign]};`)
}
