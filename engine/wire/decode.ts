import { promisify } from 'node:util'
import { brotliDecompress, gunzip, inflate, inflateRaw } from 'node:zlib'
import { tooLarge, WireLimit } from './failure.ts'

/**
 * Undoes the content codings of a body, last applied first (RFC 9110 section 8.4).
 *
 * @throws WireLimit: `garbage` for a coding that is unknown or wrong, `too-large` over the limit.
 */
export async function decoded(body: Buffer, headers: [string, string][], limit: number) {
  const codings = headers
    .filter(([name]) => name.toLowerCase() === 'content-encoding')
    .flatMap(([, value]) => value.toLowerCase().split(','))
    .map((coding) => coding.trim())
    .filter((coding) => coding !== '' && coding !== 'identity')
  // An answer to HEAD, a 204 and a 304 may name a coding without having a body.
  if (body.length === 0) return body
  let result = body
  for (const coding of codings.reverse()) result = await undo(coding, result, limit)
  return result
}

async function undo(coding: string, body: Buffer, limit: number): Promise<Buffer> {
  const options = { maxOutputLength: limit }
  try {
    if (coding === 'gzip' || coding === 'x-gzip') return await promisify(gunzip)(body, options)
    if (coding === 'br') return await promisify(brotliDecompress)(body, options)
    // "deflate" is the zlib format; some servers send raw deflate data.
    const isZlib = (body[0] ?? 0) % 16 === 8
    if (coding === 'deflate' && isZlib) return await promisify(inflate)(body, options)
    if (coding === 'deflate') return await promisify(inflateRaw)(body, options)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    if (code === 'ERR_BUFFER_TOO_LARGE') throw tooLarge(limit)
    throw new WireLimit('garbage', code ?? 'CONTENT_ENCODING', `body is not ${coding}: ${message}`)
  }
  throw new WireLimit('garbage', 'CONTENT_ENCODING', `content-encoding ${coding} is unknown`)
}
