import type { Readable } from 'node:stream'
import type { Context } from 'koa'
import { jsonOf } from './rewriting.ts'

/** The JSON of an answer as bytes, without changing the content type; undefined for other bodies. */
export function takeBytes(ctx: Context): Buffer | undefined {
  const body = jsonOf(ctx)
  return body && Buffer.from(JSON.stringify(body))
}

/** Replaces the body and keeps the content type, which koa would otherwise set to application/octet-stream. */
export function giveBytes(ctx: Context, body: Buffer | Readable) {
  const { status } = ctx
  const type = ctx.response.get('content-type')
  ctx.body = body
  ctx.set('content-type', type || 'application/json')
  ctx.status = status
}

/** Changes the JSON text of an answer. Returns whether it changed. */
export function giveChanged(ctx: Context, change: (text: string) => string): boolean {
  const bytes = takeBytes(ctx)
  if (!bytes) return false
  const changed = Buffer.from(change(bytes.toString()))
  if (changed.equals(bytes)) return false
  giveBytes(ctx, changed)
  return true
}

/** Sends an answer in ISO 8859-1 if it has a character that UTF-8 encodes differently. Returns whether it did. */
export function giveLatin1(ctx: Context): boolean {
  const text = takeBytes(ctx)?.toString() ?? ''
  if (!/[\u0080-\u00ff]/.test(text)) return false
  giveBytes(ctx, Buffer.from(text, 'latin1'))
  return true
}

/** Adds a line to the headers when they are sent, after koa has read and changed them. */
export function addLine({ res }: Context, name: string, value: string): void {
  const write = res.writeHead as (...given: unknown[]) => typeof res
  res.writeHead = (...given: unknown[]) => {
    res.appendHeader(name, value)
    return write.apply(res, given)
  }
}
