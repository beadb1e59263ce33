import type { Desk, Entry, OpenVisit, Question } from './approval-queue.ts'

/** The page that lists the approvals of a run and takes what the person answers. */
export function approvalsPage(
  queue: Desk,
  nonce: string,
  /** Whether the answer at this redirect URI arrives by itself. */
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
<p id="count">${done} of ${entries.length} done.</p>
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
  return `<tr class="${state.replace(' ', '-')}"><td>${escaped(name)}</td><td>${what}</td><td>${escaped(
    customer,
  )}</td><td>${decision}</td><td>${state}</td></tr>`
}

function openVisit({ number, request, doubtful }: OpenVisit, caught: boolean): string {
  const { url, purpose, customerName, customer, decision, about } = request
  const login = loginOf(customer.credentials)
  const who = `the ${customerName} customer${login === undefined ? '' : `, ${login}`}`
  const uri = about.visit?.redirectUri ?? ''
  const back = caught
    ? '<li>The answer arrives here by itself.</li>'
    : `<li>You end at an address that starts with <code>${escaped(uri)}</code>. Its page may not exist. Copy the whole address, with all that follows <code>#</code>, and paste it here at once: a code lives for a minute.</li>`
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
<p><label>Final address <input id="address" type="text" autocomplete="off" spellcheck="false"></label>
<button type="button" data-do="paste">Take this address</button></p>
<details><summary>It does not end there</summary>
<p><label>What the bank's page says <input id="why" type="text" autocomplete="off"></label>
<button type="button" data-do="stopped">The bank's page ends with this</button>
<button type="button" data-do="skip" class="quiet">I cannot do this one</button></p>
</details>
<p id="words" role="status"></p>`
}

function openQuestion({ number, text }: Question): string {
  return `<h2>${number}. To be done at the bank</h2>
<p>${escaped(text)}</p>
<p><button type="button" data-do="done">It is done</button>
<button type="button" data-do="cannot" class="quiet">I cannot do this</button></p>
<p id="words" role="status"></p>`
}

/** What tells a person which login to use; never what is secret about it. */
function loginOf(credentials: Record<string, string>): string | undefined {
  return Object.entries(credentials).find(([name]) =>
    /^(user|login|e-?mail|customer)/i.test(name),
  )?.[1]
}

/** The page at the redirect URI. It says what became of the answer, and nothing more. */
export function catcherPage(nonce: string): string {
  const body = '<h1>Back from the bank</h1>\n<p id="words" role="status">One moment …</p>'
  const script = `const address = location.href
// The code is no part of what the browser remembers of this page.
history.replaceState(null, '', location.pathname)
${SEND}
send(location.pathname, { address })`
  return frame('Back from the bank', body, script, nonce)
}

/** Sends a script's answer to the page's own server, and shows what that says. */
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

function listening(version: number, visit: number): string {
  return `const path = location.pathname
let version = ${version}
for (const button of document.querySelectorAll('button[data-do]')) {
  button.addEventListener('click', async () => {
    const address = document.getElementById('address')?.value
    const why = document.getElementById('why')?.value
    const taken = await send(path + 'answer', { visit: ${visit}, do: button.dataset.do, address, why })
    if (taken || button.dataset.do === 'paste') look()
  })
}
let asking = false
async function look() {
  if (asking) return
  asking = true
  try {
    const answer = await fetch(path + 'version', { credentials: 'omit' })
    const now = (await answer.json()).version
    if (now !== version) location.reload()
  } catch {
    document.getElementById('count').textContent = 'The run has ended. This page may be closed.'
  }
  asking = false
}
setInterval(look, 1000)`
}

const STYLE = `body { font: 1rem/1.5 system-ui, sans-serif; margin: 0 auto; max-width: 56rem; padding: 1rem 1.5rem 3rem; color: #1d242b; background: #fff }
h1 { font-size: 1.4rem } h2 { font-size: 1.1rem }
#now { border: 2px solid #24527a; border-radius: .4rem; padding: .25rem 1.25rem 1rem; margin: 1rem 0 }
table { border-collapse: collapse; width: 100% } th, td { text-align: left; vertical-align: top; padding: .35rem .6rem .35rem 0; border-bottom: 1px solid #d5dbe1 }
tr.now td { font-weight: 600 } tr.answered td, tr.stopped td { color: #4b5763 } tr.not-done td { color: #8a1c12 }
small { color: #4b5763; display: block; font-weight: 400 }
button { font: inherit; padding: .35rem 1rem; border: 1px solid #24527a; border-radius: .25rem; background: #24527a; color: #fff; cursor: pointer }
button.quiet { background: #fff; color: #24527a }
input { font: inherit; width: 100%; box-sizing: border-box; padding: .35rem; border: 1px solid #5b6b7b; border-radius: .25rem; margin-bottom: .5rem }
.doubt { border-left: .3rem solid #b3261e; background: #fbeceb; padding: .5rem 1rem } code { overflow-wrap: anywhere }`

/** A page of ours, whose one script and style are named by the nonce. */
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

/** Text as it may stand in a page of ours. */
export function escaped(text: string): string {
  return text.replace(/[&<>"']/g, (sign) => `&${NAMES[sign]};`)
}
