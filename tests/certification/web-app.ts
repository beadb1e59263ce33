import { mkdtempSync } from 'node:fs'
import type { ServerResponse } from 'node:http'
import { createServer, type Server } from 'node:https'
import type { AddressInfo } from 'node:net'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import type { Identity } from '../../bank/listeners/certificates.ts'
import type { Briefing } from '../../engine/certification/client.ts'
import { type Conduct, conductWith } from '../../proof/tpp/conduct.ts'
import { pursue } from '../../proof/tpp/reference-tpp.ts'

/** A TPP's web application: the reference TPP behind pages, with a real callback script. */
export interface WebApp {
  origin: string
  /** What it is configured with, once. */
  configure(briefing: Omit<Briefing, 'customer' | 'folder' | 'goal'>): void
  close(): Promise<void>
}

const page = (body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>Tally</title>${body}</html>`

/** The answer of the bank is in the fragment: only a script can read it. */
const CALLBACK = page(`<p>One moment…</p><script>
fetch('/landed', { method: 'POST', body: location.href }).then(() => { location.replace('/result') })
</script>`)

export async function openWebApp(
  identity: Identity,
  conduct: Partial<Conduct> = {},
): Promise<WebApp> {
  let configured: Omit<Briefing, 'customer' | 'folder' | 'goal'> | undefined
  let home: ((url: string) => void) | undefined
  let ended: Promise<string> | undefined
  const server: Server = createServer(
    { cert: identity.certificate, key: identity.key },
    async (request, response) => {
      const url = new URL(request.url ?? '/', origin())
      if (url.pathname === '/')
        return html(response, '<a id="bank" href="/connect">Connect my bank</a>')
      if (url.pathname === '/connect') return redirect(response, await begin())
      if (url.pathname === '/callback') {
        response.writeHead(200, { 'content-type': 'text/html' }).end(CALLBACK)
        return
      }
      if (url.pathname === '/landed') {
        let body = ''
        for await (const chunk of request) body += chunk
        home?.(body)
        response.end()
        return
      }
      if (url.pathname === '/result') return html(response, `<h1>${await ended}</h1>`)
      response.writeHead(404).end()
    },
  )
  const origin = () => `https://127.0.0.1:${(server.address() as AddressInfo).port}`
  await new Promise<void>((resolve) => server.listen(0, '127.0.0.1', resolve))

  /** Begins a journey; the address to which the customer is sent, or the result where there is none. */
  async function begin(): Promise<string> {
    if (!configured) throw new Error('the application is not configured')
    let sent: (link: string) => void = () => {}
    const link = new Promise<string>((resolve) => {
      sent = resolve
    })
    const briefing: Briefing = {
      ...configured,
      goal: 'connect',
      folder: mkdtempSync(join(tmpdir(), 'assay-app-')),
      customer: { visit: '', username: '', password: '', decision: 'approve', cardEnding: '' },
    }
    const visit = (address: string) => {
      sent(address)
      return new Promise<string>((resolve) => {
        home = resolve
      })
    }
    ended = pursue(briefing, conductWith(conduct), visit).then(
      () => 'Your accounts',
      (error: Error) => `We could not connect: ${error.message}`,
    )
    return Promise.race([link, ended.then(() => '/result')])
  }

  return {
    origin: origin(),
    configure(briefing) {
      configured = briefing
    },
    async close() {
      server.closeAllConnections()
      await new Promise((resolve) => server.close(resolve))
    },
  }
}

function html(response: ServerResponse, body: string): void {
  response.writeHead(200, { 'content-type': 'text/html; charset=utf-8' }).end(page(body))
}

function redirect(response: ServerResponse, location: string): void {
  response.writeHead(302, { location }).end()
}
