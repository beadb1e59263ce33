import { createServer } from 'node:http'
import { escaped } from '../authorisation-drivers/ask-pages.ts'
import { listenHere, shut } from '../authorisation-drivers/loopback-server.ts'
import { type Briefing, type ClientDriver, ClientTrouble } from './client.ts'
import { GOALS } from './scenario.ts'

interface Open {
  id: number
  briefing: Briefing
  answer(end: 'done' | 'refused', words: string): void
}

/**
 * Asks a person, on a page of this machine, to pursue each goal with the client and to say how it ended.
 *
 * @param tell is told the address of the page.
 */
export async function askClient(options: {
  /** Milliseconds for one goal. */
  patience: number
  signal?: AbortSignal
  tell(url: string): void
}): Promise<ClientDriver> {
  const { patience, signal } = options
  let open: Open | undefined
  let count = 0
  let unanswered: string | undefined
  const server = createServer((request, response) => {
    // A page of another site must not answer under a name that points here.
    const local = /^(127\.0\.0\.1|localhost)(:\d+)?$/.test(request.headers.host ?? '')
    const origin = request.headers.origin
    if (!local || (origin !== undefined && new URL(origin).host !== request.headers.host)) {
      response.writeHead(403).end()
      return
    }
    if (request.method === 'POST' && request.url === '/said') {
      let body = ''
      request.setEncoding('utf8').on('data', (text: string) => {
        body = (body + text).slice(0, 4096)
      })
      request.on('end', () => {
        const form = new URLSearchParams(body)
        const end = form.get('end')
        response.writeHead(303, { location: '/' }).end()
        if (open && Number(form.get('id')) === open.id && (end === 'done' || end === 'refused')) {
          open.answer(end, form.get('words') ?? '')
        }
      })
      return
    }
    response.writeHead(200, {
      'content-type': 'text/html; charset=utf-8',
      'content-security-policy':
        "default-src 'none'; style-src 'unsafe-inline'; form-action 'self'",
      ...(!open && { refresh: '1' }),
    })
    response.end(pageOf(open))
  })
  options.tell(`${await listenHere(server)}/`)

  return {
    async pursue(briefing) {
      if (signal?.aborted) throw new ClientTrouble('the certification was interrupted')
      // Whoever went away is not asked eighty times more.
      if (unanswered)
        throw new ClientTrouble(`nobody answered ${unanswered}: nothing more is asked`)
      count += 1
      const id = count
      return new Promise((resolve, reject) => {
        const over = (why?: string) => {
          clearTimeout(timer)
          signal?.removeEventListener('abort', interrupted)
          open = undefined
          if (why !== undefined) reject(new ClientTrouble(why))
        }
        const interrupted = () => over('the certification was interrupted')
        const timer = setTimeout(() => {
          unanswered = `${briefing.scenario.id} within ${patience / 1000} s`
          over(`nobody answered ${unanswered}`)
        }, patience)
        signal?.addEventListener('abort', interrupted)
        const answer: Open['answer'] = (end, words) => {
          over()
          resolve({ end, words })
        }
        open = { id, briefing, answer }
      })
    },
    close: () => shut(server),
  }
}

function pageOf(open: Open | undefined): string {
  const head = `<!doctype html><html lang="en"><meta charset="utf-8"><title>Assay asks</title>
<style>body { font: 16px/1.5 system-ui, sans-serif; margin: 2rem auto; max-width: 44rem; color-scheme: light dark } button { font: inherit; padding: .4rem 1rem; margin-right: .6rem }</style>`
  if (!open)
    return `${head}<h1>Nothing is asked at the moment.</h1><p>This page looks again by itself.</p></html>`
  const { id, briefing } = open
  const { scenario, goal, customer, bank } = briefing
  return `${head}<p>Scenario <code>${escaped(scenario.id)}</code>: ${escaped(scenario.title)}.</p>
<h1>With your client: ${escaped(GOALS[goal])}</h1>
<p>The bank: <code>${escaped(bank.discovery)}</code>. At its pages log in as <code>${escaped(customer.username)}</code>
with <code>${escaped(customer.password)}</code>, choose every account, and ${customer.decision === 'deny' ? '<b>deny</b>' : 'approve'}.</p>
<form method="post" action="/said"><input type="hidden" name="id" value="${id}">
<p><label>What the client said: <input name="words" size="50"></label></p>
<button name="end" value="done">It has what it was asked for</button><button name="end" value="refused">It refused, or failed</button></form></html>`
}
