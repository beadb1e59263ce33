import type { Context, Middleware, Next } from 'koa'
import { startBank } from '../../bank/bank.ts'
import type { Bank } from '../../bank/running-bank.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { openDirectory } from '../directory.ts'

/** What a bank does instead of answering. */
export type Mischief = (ctx: Context, proceed: Next) => Promise<void>

const never = new Promise<void>(() => {})

/** Takes over the socket: koa answers nothing. */
function socketOf(ctx: Context) {
  ctx.respond = false
  return ctx.res.socket
}

const MEGABYTE = 'x'.repeat(1024 * 1024)

export const MISCHIEF = {
  'never answers': () => never,

  async 'says something that is no HTTP'(ctx) {
    socketOf(ctx)?.end('\u0000\u0001 what? \r\n\r\n')
  },

  async 'sends a status and bytes that are no JSON'(ctx, proceed) {
    await proceed()
    ctx.body = Buffer.from([0x7b, 0xff, 0xfe, 0x00, 0x22, 0xc3, 0x28])
    ctx.type = 'application/json'
  },

  async 'cuts the line within the body'(ctx) {
    const socket = socketOf(ctx)
    socket?.write(
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nContent-Length: 900\r\n\r\n',
    )
    socket?.write('{"Data":{"Account":[')
    setTimeout(() => socket?.destroy(), 20)
  },

  async 'answers with 32 MB'(ctx, proceed) {
    await proceed()
    const row = JSON.stringify({ AccountId: '1', Note: MEGABYTE })
    ctx.body = `{"Data":{"Account":[${Array.from({ length: 32 }, () => row).join()}]}}`
    ctx.type = 'application/json'
  },

  async 'sends chunks without end'(ctx) {
    const socket = socketOf(ctx)
    socket?.write(
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    )
    const chunk = `100000\r\n${MEGABYTE}\r\n`
    const more = () => {
      while (socket?.writable && socket.write(chunk));
    }
    socket?.on('drain', more)
    more()
  },

  async 'sends a byte now and then, without end'(ctx) {
    const socket = socketOf(ctx)
    socket?.write(
      'HTTP/1.1 200 OK\r\nContent-Type: application/json\r\nTransfer-Encoding: chunked\r\n\r\n',
    )
    const timer = setInterval(() => socket?.write('1\r\n \r\n'), 100)
    socket?.on('close', () => clearInterval(timer))
  },

  async 'sends headers without end'(ctx) {
    const socket = socketOf(ctx)
    socket?.write('HTTP/1.1 200 OK\r\n')
    const more = () => {
      while (socket?.writable && socket.write(`X-More: ${MEGABYTE.slice(0, 4096)}\r\n`));
    }
    socket?.on('drain', more)
    more()
  },
} satisfies Record<string, Mischief>

/** A correct bank, until it is told to misbehave. */
export interface UnrulyBank {
  bank: Bank
  /** From now on, on paths that match. */
  misbehave(mischief: Mischief, on?: RegExp): void
  /** Requests that it has had. */
  readonly requests: number
  /** Consents that were made, and of these the ones that are still there. */
  consents(): { made: number; left: string[] }
  document(over?: Partial<TargetDocument>): TargetDocument
  close(): Promise<void>
}

export async function unrulyBank(): Promise<UnrulyBank> {
  let mischief: Mischief | undefined
  let where = /./
  let requests = 0
  const made = new Set<string>()
  const middleware: Middleware = async (ctx, proceed) => {
    requests += 1
    if (mischief && where.test(ctx.path)) return mischief(ctx, proceed)
    await proceed()
    const { Data } = (ctx.body ?? {}) as { Data?: { ConsentId?: unknown } }
    if (ctx.method === 'POST' && typeof Data?.ConsentId === 'string') made.add(Data.ConsentId)
  }
  const directory = await openDirectory()
  const bank = await startBank({
    directory,
    alterations: [{ id: 'unruly', story: 'A bank has a bad day.', middleware }],
  })
  return {
    bank,
    async close() {
      await bank.close()
      await directory.close()
    },
    misbehave(what, on = /./) {
      mischief = what
      where = on
    },
    get requests() {
      return requests
    },
    consents: () => ({
      made: made.size,
      left: [...made].filter((id) => bank.services.consents.get(id)?.deleted === undefined),
    }),
    document: (over) => ({ ...(structuredClone(bank.target) as TargetDocument), ...over }),
  }
}
