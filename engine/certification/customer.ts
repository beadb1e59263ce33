import { randomBytes } from 'node:crypto'
import { createServer } from 'node:http'
import { httpDriver } from '../authorisation-drivers/http.ts'
import { listenHere, shut } from '../authorisation-drivers/loopback-server.ts'
import { targetFrom } from '../configuration/resolve.ts'
import type { TargetDocument } from '../configuration/target.ts'
import { createWire } from '../wire/wire.ts'

export type Customers = Awaited<ReturnType<typeof openCustomers>>

/**
 * Customers with a browser, whom a client sends to the bank. They wait on loopback: GET {visit}{link, percent-encoded}
 * makes one log in at the bank's pages, select every account and decide; the answer is the final redirect as text.
 */
export async function openCustomers() {
  const waiting = new Map<string, (link: string) => Promise<[status: number, text: string]>>()
  const server = createServer(async (request, response) => {
    const { pathname, searchParams } = new URL(request.url ?? '/', 'http://customer')
    const customer = waiting.get(pathname.slice(1))
    const link = searchParams.get('link')
    const [status, text] =
      customer && link
        ? await customer(link).catch((error: Error): [number, string] => [500, error.message])
        : [404, 'nobody waits here: append the authorisation link, percent-encoded']
    response.writeHead(status, { 'content-type': 'text/plain; charset=utf-8' })
    response.end(text)
  })
  const origin = await listenHere(server)

  return {
    /**
     * Adds a customer of one bank: the address at which the customer waits, and a function to remove the customer.
     *
     * @param who which of the two customers of the bank
     */
    admit(
      document: TargetDocument,
      decision: 'approve' | 'deny',
      who: 'first' | 'second' = 'first',
    ) {
      const key = randomBytes(12).toString('hex')
      const target = targetFrom(document)
      const wire = createWire(target)
      const { authorisation } = document
      const forms = authorisation.driver === 'http' ? (authorisation.forms ?? []) : []
      const driver = httpDriver(wire, target, forms)
      waiting.set(key, async (link) => {
        if (!URL.canParse(link)) return [400, `${link.slice(0, 200)} is not an address`]
        const asked = new URL(link).searchParams.get('redirect_uri')
        const end = await driver.visit({
          url: link,
          redirectUris: [...(asked ? [asked] : []), ...document.clients.first.redirectUris],
          decision,
          customer: document.customers[who] ?? document.customers.first,
          customerName: who,
          purpose: 'certification',
          about: {},
        })
        if (end.kind === 'redirected') return [200, end.url]
        const page = end.pages.at(-1)?.text.trim().replace(/\s+/g, ' ').slice(0, 300)
        return [502, `${end.why}${page ? `: ${page}` : ''}`]
      })
      return {
        visit: `${origin}/${key}?link=`,
        async leave() {
          waiting.delete(key)
          await wire.close()
        },
      }
    },
    close: () => shut(server),
  }
}
