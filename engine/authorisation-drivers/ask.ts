import { randomBytes } from 'node:crypto'
import { setTimeout as sleep } from 'node:timers/promises'
import type { TransportDocument } from '../configuration/target.ts'
import { createApprovalQueue, type Desk } from './approval-queue.ts'
import { approvalsPage, catcherPage } from './ask-pages.ts'
import { type Announced, type Driver, ourStop, type VisitEnd } from './driver.ts'
import { type Handler, openLoopback, type Reply, refusal, shut } from './loopback-server.ts'
import { run } from './program.ts'

/**
 * Asks a person. One page on loopback lists every approval that the run needs and says, for the open one, who must log
 * in and what to choose. It also serves redirect URIs on loopback, where answers arrive without help; for any other
 * redirect URI, the person pastes the final address. The same page asks for what only somebody at the bank can do.
 */
export function askDriver(options: {
  /** Every redirect URI of the target's clients. */
  redirectUris: string[]
  announced: Announced[]
  /** Maximum milliseconds for one visit. */
  patience: number
  /** Port of the page of approvals; 0: that of a loopback redirect URI, or any free port. */
  port: number
  /** Command that opens an address, which is added as the last argument. */
  open?: string[]
  base: string
  say: (line: string) => void
  /** Sends a wrong request first: if the bank refuses it outright, nobody is needed. */
  probe: Driver
  /** Server certificate for an https: redirect URI on loopback. */
  catcher?: TransportDocument
}): Driver & Required<Pick<Driver, 'question'>> {
  const { announced, patience, open, base, say, probe } = options
  const queue = createApprovalQueue(announced)
  // Another user of the machine does not know this key, and so can't see or answer anything.
  const key = randomBytes(16).toString('hex')
  const home = `/${key}/`
  let catchers = catchersOf(options.redirectUris, options.catcher !== undefined)
  let servers: Loopback[] | undefined
  let over = false
  /** Number of pages that wait for the end of the run. */
  let listening = 0
  const listened = () => {
    listening += 1
    return ended
  }

  const catches = (uri: string) => catchers.some((each) => each.uri === uri.split(/[?#]/, 1)[0])

  /** The answers at these redirect URIs are pasted. */
  const lose = (port: number, why: string) => {
    for (const { uri } of catchers.filter((each) => each.port === port)) {
      say(`${uri} cannot be served here (${why}): copy the final address to the page of approvals.`)
    }
    catchers = catchers.filter((each) => each.port !== port)
  }

  const start = async (): Promise<void> => {
    if (servers) return
    servers = await openServers(options.port, catchers, {
      lose,
      handler: (paths) => handlerOn(paths, { queue, home, catches, ended: listened }),
      identity: options.catcher,
    })
    const page = `${servers[0]?.origin}${home}`
    say(`Approvals are asked for at ${page}`)
    if (!open) return
    void run({ command: [...open, page], base, patience: 60_000, env: {} }).then((ran) => {
      if (ran.code !== 0) say(`${open[0]} did not open it. Open it yourself.`)
    })
  }

  /** Why nobody can be asked; undefined if the page is served. */
  const unserved = async (): Promise<string | undefined> => {
    try {
      if (!over) await start()
    } catch (error) {
      return `the page of approvals cannot be served: ${(error as Error).message}`
    }
    return over ? 'the run was interrupted' : undefined
  }

  /** Tells every open page that the run has ended. */
  let tell: (words: string) => void = () => {}
  const ended = new Promise<string>((resolve) => {
    tell = resolve
  })
  const end = (why: string) => {
    over = true
    queue.give(ourStop(why))
    queue.reply(why)
  }

  return {
    async visit(request) {
      if (!over && request.about.deviation !== undefined) {
        const tried = await probe.visit(request)
        if (tried.kind === 'redirected') return tried
        const { response, failure } = tried.exchange ?? {}
        if (failure || (response?.status ?? 0) >= 400) return tried
      }
      const why = queue.deserted ?? (await unserved())
      if (why !== undefined) return ourStop(why)
      const who = `${request.customerName} customer, ${request.decision}`
      say(`Waiting for a person: ${request.purpose} (${who})`)
      return queue.ask(request, patience)
    },
    done: queue.done,
    async question(name, text) {
      const why = queue.deserted ?? (await unserved())
      if (why !== undefined) return why
      say(`Waiting for somebody at the bank: ${name}`)
      return queue.inquire(text, patience)
    },
    interrupt: () => end('the run was interrupted'),
    async close(words = 'The run has ended.') {
      end('the run ended')
      tell(words)
      // The servers stop only after the last words are sent, so that an open page shows them.
      if (listening > 0) await sleep(SENT)
      await Promise.all((servers ?? []).map(({ server }) => shut(server)))
      servers = undefined
    },
  }
}

type Loopback = Awaited<ReturnType<typeof openLoopback>>

/**
 * Serves the page of approvals, first, and every redirect URI whose port is free: another program may have it, or it is
 * reserved.
 *
 * @param named port of the page; 0: that of a redirect URI, or any free port.
 */
async function openServers(
  named: number,
  catchers: readonly Catcher[],
  how: {
    handler(paths: string[]): Handler
    /** Certificate for redirect URIs with https:. */
    identity?: TransportDocument | undefined
    lose(port: number, why: string): void
  },
): Promise<Loopback[]> {
  const serve = (port: number, secure = false) => {
    const paths = catchers.filter((each) => each.port === port).map(({ path }) => path)
    return openLoopback(port, how.handler(paths), secure ? how.identity : undefined)
  }
  const serveAll = async (secure: boolean) => {
    const wanted = catchers.filter((each) => each.secure === secure && each.port !== named)
    const ports = [...new Set(wanted.map(({ port }) => port))]
    const serving = ports.map((port) =>
      serve(port, secure).catch((error: NodeJS.ErrnoException) => {
        how.lose(port, error.code ?? error.message)
        return undefined
      }),
    )
    return (await Promise.all(serving)).filter((each) => each !== undefined)
  }
  const own = named === 0 ? [] : [await serve(named)]
  const plain = [...own, ...(await serveAll(false))]
  const pages = plain.length > 0 ? plain : [await serve(0)]
  return [...pages, ...(await serveAll(true))]
}

/** Serves the page of approvals and the given paths of redirect URIs. */
function handlerOn(
  paths: string[],
  desk: {
    queue: Desk
    home: string
    catches: (uri: string) => boolean
    ended: () => Promise<string>
  },
): Handler {
  const { queue, home, catches, ended } = desk
  return {
    get(path) {
      if (paths.includes(path)) return { status: 200, page: catcherPage }
      if (path === home) {
        queue.attend()
        return { status: 200, page: (nonce) => approvalsPage(queue, nonce, catches) }
      }
      if (path === `${home}ended`) {
        return ended().then((words) => ({ status: 200, value: { words } }))
      }
      if (path === `${home}open`) {
        const { url } = queue.open?.request ?? {}
        return url === undefined
          ? refusal(404, 'No approval is open now.')
          : { status: 302, location: url }
      }
      if (path === `${home}version`) {
        return { status: 200, value: { version: queue.version } }
      }
      return refusal(404, 'There is no such page.')
    },
    post(path, body) {
      queue.attend()
      if (paths.includes(path)) return arrival(body.address, queue.arrive)
      if (path !== `${home}answer`) return refusal(404, 'There is no such page.')
      return answer(queue, body)
    },
  }
}

function arrival(address: unknown, take: Desk['arrive']): Reply {
  if (typeof address !== 'string') return refusal(400, 'The address is missing.')
  const { taken, words } = take(address.trim())
  return { status: taken ? 200 : 409, value: { words } }
}

/** Takes the answer of the person at the page of approvals. */
function answer(queue: Desk, body: Record<string, unknown>): Reply {
  if (body.visit !== (queue.question ?? queue.open)?.number) {
    return refusal(409, 'Another approval is open now. The page is out of date.')
  }
  if (queue.question) {
    if (body.do === 'done') queue.reply(undefined)
    else if (body.do === 'cannot') queue.reply('the person who was asked cannot do it')
    else return refusal(400, 'Unknown answer.')
    return RECEIVED
  }
  if (body.do === 'paste') return arrival(body.address, (address) => queue.paste(address))
  if (body.do === 'judge' || body.do === 'drop') queue.settle(body.do === 'judge')
  else if (body.do === 'stopped') queue.give(stoppedBy(body.why))
  else if (body.do === 'skip') queue.give(ourStop('the person at the approvals skipped it'))
  else return refusal(400, 'Unknown answer.')
  return RECEIVED
}

type Catcher = ReturnType<typeof catchersOf>[number]

/** Redirect URIs that can be served here: on loopback; https: only with a certificate. */
function catchersOf(uris: string[], certified: boolean) {
  return uris.flatMap((uri) => {
    if (!URL.canParse(uri)) return []
    const { protocol, hostname, port, pathname } = new URL(uri)
    const secure = protocol === 'https:'
    const ours = (protocol === 'http:' || (secure && certified)) && LOOPBACK.includes(hostname)
    if (!ours) return []
    const address = uri.split(/[?#]/, 1)[0] ?? uri
    return [{ uri: address, secure, port: Number(port || (secure ? 443 : 80)), path: pathname }]
  })
}

/** Milliseconds in which an answer reaches a page on this machine. */
const SENT = 250

const RECEIVED: Reply = { status: 200, value: { words: 'Received.' } }

const LOOPBACK = ['127.0.0.1', 'localhost']

function stoppedBy(why: unknown): VisitEnd {
  const words = typeof why === 'string' ? why.trim().slice(0, 300) : ''
  return { kind: 'stopped', why: `the bank's page: ${words || 'no way on'}`, pages: [] }
}
