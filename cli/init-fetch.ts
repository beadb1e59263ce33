import { rootCertificates } from 'node:tls'
import { Agent, ProxyAgent, request } from 'undici'
import { unusedProxy } from '../engine/record/environment.ts'
import { isObject, parsedJson } from '../engine/record/json.ts'
import { failureOf } from '../engine/wire/failure.ts'
import type { Answers } from './init-questions.ts'

/** Timeout in milliseconds; the user is waiting. */
const PATIENCE = 10_000

/** Maximum number of bytes that are read; a large discovery document has about 10 KiB. */
const MOST = 512 * 1024

type Document = Record<string, unknown>

type TextAt = (answer: string) => string | undefined

/**
 * The JSON object at an address, or a text that says why there is none.
 *
 * @param answers about trust and proxy
 * @param textAt the text of a file that an answer names
 * @param isBank false for a server that need not have a certificate of the bank's authorities
 */
export async function fetched(
  url: string,
  answers: Answers,
  textAt: TextAt,
  isBank = true,
): Promise<Document | string> {
  try {
    return await documentAt(url, answers, textAt, isBank)
  } catch (error) {
    const hint = error instanceof Unfit ? '' : proxyHint(url, answers)
    return `${url} cannot be read: ${reasonOf(error as Error)}${hint}`
  }
}

/** An answer, or a file that it needs, is not valid. */
class Unfit extends Error {}

/** @throws Unfit, or a network error */
async function documentAt(
  url: string,
  { trust, proxy }: Answers,
  textAt: TextAt,
  isBank: boolean,
): Promise<Document> {
  const ca = trust ? textAt(trust) : undefined
  if (trust && ca === undefined) throw new Unfit(`${trust}, which --trust names, cannot be read`)
  const connect = ca === undefined ? {} : { ca: isBank ? ca : [ca, ...rootCertificates] }
  const dispatcher = proxy
    ? new ProxyAgent({ uri: proxy, requestTls: connect })
    : new Agent({ connect })
  try {
    const { statusCode, headers, body } = await request(url, {
      dispatcher,
      headers: { accept: 'application/json' },
      headersTimeout: PATIENCE,
      bodyTimeout: PATIENCE,
      signal: AbortSignal.timeout(PATIENCE),
    })
    const text = await limited(body)
    if (statusCode !== 200) {
      const to = statusCode >= 300 && statusCode < 400 ? `, which leads to ${headers.location}` : ''
      throw new Unfit(`the answer is ${statusCode}${to}`)
    }
    const document = parsedJson(text)
    if (isObject(document)) return document
    throw new Unfit('the answer is not a JSON object')
  } finally {
    await dispatcher.destroy()
  }
}

async function limited(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > MOST) throw new Unfit(`the answer has more than ${MOST / 1024} KiB`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

/** OpenSSL error codes for a certificate chain without a trusted authority. */
const UNKNOWN_AUTHORITY = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_)/

function proxyHint(url: string, { proxy }: Answers): string {
  if (proxy || !URL.canParse(url)) return ''
  const unused = unusedProxy(process.env, new URL(url).hostname)
  return unused
    ? ` This machine has ${unused}, which is not used: name its address with --proxy.`
    : ''
}

function reasonOf(error: Error): string {
  if (error instanceof Unfit) return `${error.message}.`
  if (error.name === 'TimeoutError') return `no answer within ${PATIENCE / 1000} s.`
  const { code, message } = failureOf([error])
  const mend = UNKNOWN_AUTHORITY.test(code)
    ? ' Name the PEM file of its authority with --trust.'
    : ''
  return `${message}${message.includes(code) ? '' : ` (${code})`}.${mend}`
}
