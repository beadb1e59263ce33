import { escaped, frame, SEND } from '../authorisation-drivers/ask-pages.ts'
import { openLoopback, refusal, shut } from '../authorisation-drivers/loopback-server.ts'
import { type Briefing, type ClientDriver, ClientTrouble } from './client.ts'
import { GOALS } from './scenario.ts'

interface Open {
  id: number
  briefing: Briefing
  answer(end: 'done' | 'refused', words: string): void
}

/**
 * Asks a person, on a page of this machine, to pursue each goal with the client and to report how it ended.
 *
 * @param tell is called with the address of the page.
 */
export async function askClient(options: {
  /** Time limit for one goal, in milliseconds. */
  patience: number
  signal?: AbortSignal
  tell(url: string): void
}): Promise<ClientDriver> {
  const { patience, signal } = options
  let open: Open | undefined
  let count = 0
  let unanswered: string | undefined
  const { server, origin } = await openLoopback(0, {
    get: () => ({ status: 200, page: (nonce) => pageOf(open, nonce) }),
    post(_, { id, end, words }) {
      if (id !== open?.id || (end !== 'done' && end !== 'refused')) {
        return refusal(409, 'This is not asked any more.')
      }
      open?.answer(end, typeof words === 'string' ? words.slice(0, 4096) : '')
      return { status: 200, value: { words: 'Received.' } }
    },
  })
  options.tell(`${origin}/`)

  return {
    async pursue(briefing) {
      if (signal?.aborted) throw new ClientTrouble('the certification was interrupted')
      // If the person has gone, the remaining goals are not asked.
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

/** Polls for the next question; shows when the certification has ended. */
const LOOKING = `setTimeout(async () => {
  try {
    await fetch('/', { credentials: 'omit' })
    location.reload()
  } catch {
    document.querySelector('h1').textContent = 'The certification has ended'
    document.getElementById('words').textContent = 'This page may be closed. The terminal says how it ended.'
  }
}, 1000)`

function pageOf(open: Open | undefined, nonce: string): string {
  if (!open) {
    const body = `<h1>Nothing is asked at the moment.</h1>
<p id="words" role="status">This page looks again by itself.</p>`
    return frame('Asked', body, LOOKING, nonce)
  }
  const { id, briefing } = open
  const { scenario, goal, customer, bank } = briefing
  const body = `<p>Scenario <code>${escaped(scenario.id)}</code>: ${escaped(scenario.title)}.</p>
<h1>With your client: ${escaped(GOALS[goal])}</h1>
<p>The bank: <code>${escaped(bank.discovery)}</code>. At its pages log in as <code>${escaped(customer.username)}</code>
with <code>${escaped(customer.password)}</code>, choose every account, and ${customer.decision === 'deny' ? '<b>deny</b>' : 'approve'}.</p>
<p><label>What the client said: <input id="said"></label></p>
<button type="button" value="done">It has what it was asked for</button>
<button type="button" value="refused" class="quiet">It refused, or failed</button>
<p id="words" role="status"></p>`
  const script = `${SEND}
for (const button of document.querySelectorAll('button')) {
  button.addEventListener('click', async () => {
    const words = document.getElementById('said').value
    if (await send('/said', { id: ${id}, end: button.value, words })) location.reload()
  })
}`
  return frame('Asked', body, script, nonce)
}
