import type { Socket } from 'node:net'
import type { Context } from 'koa'
import { ofEachBank } from '../run/each-bank.ts'

/** The first request of each connection. */
const firsts = ofEachBank(() => new WeakMap<Socket, Context['req']>())

/**
 * Is this the first request of its connection? Such a connection may lead to another node.
 * A fault that asks for some requests must ask for all, or it takes a later one for the first.
 */
export function isFirst({ req }: Pick<Context, 'req'>): boolean {
  const first = firsts().get(req.socket) ?? req
  firsts().set(req.socket, first)
  return first === req
}
