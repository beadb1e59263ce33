import { Agent, ProxyAgent, request } from 'undici'
import { isObject, parsedJson } from '../engine/record/json.ts'
import type { Answers } from './init-questions.ts'

/** Milliseconds for an answer: whoever pressed return waits for it. */
const PATIENCE = 10_000

/** Bytes that are read: a large discovery document has some 10 KiB. */
const MOST = 512 * 1024

type Document = Record<string, unknown>

type TextAt = (answer: string) => string | undefined

/**
 * The JSON object that an address serves; in words why there is none.
 *
 * @param answers of trust and proxy
 * @param textAt the text of a file that an answer names
 */
export async function fetched(
  url: string,
  answers: Answers,
  textAt: TextAt,
): Promise<Document | string> {
  try {
    return await documentAt(url, answers, textAt)
  } catch (error) {
    const { code, message } = error as NodeJS.ErrnoException
    return `${url} cannot be read: ${reasonOf(code, message)}`
  }
}

/** @throws Error of the network, or one whose message says what is wrong with the answer */
async function documentAt(
  url: string,
  { trust, proxy }: Answers,
  textAt: TextAt,
): Promise<Document> {
  const ca = trust ? textAt(trust) : undefined
  if (trust && ca === undefined) throw new Error(`${trust}, which --trust names, cannot be read`)
  const connect = ca === undefined ? {} : { ca }
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
      throw new Error(`the answer is ${statusCode}${to}`)
    }
    const document = parsedJson(text)
    if (isObject(document)) return document
    throw new Error('the answer is no JSON object')
  } finally {
    await dispatcher.destroy()
  }
}

async function limited(body: AsyncIterable<Buffer>): Promise<string> {
  const parts: Buffer[] = []
  let bytes = 0
  for await (const part of body) {
    bytes += part.length
    if (bytes > MOST) throw new Error(`the answer has more than ${MOST / 1024} KiB`)
    parts.push(part)
  }
  return Buffer.concat(parts).toString('utf8')
}

const UNKNOWN_AUTHORITY = [
  'UNABLE_TO_VERIFY_LEAF_SIGNATURE',
  'UNABLE_TO_GET_ISSUER_CERT_LOCALLY',
  'SELF_SIGNED_CERT_IN_CHAIN',
  'DEPTH_ZERO_SELF_SIGNED_CERT',
]

function reasonOf(code: string | undefined, message: string): string {
  if (code && UNKNOWN_AUTHORITY.includes(code)) {
    return `nobody known signed the certificate of its server (${code}). Name the PEM file of its authority with --trust.`
  }
  if (code === 'ENOTFOUND') return 'its host is unknown (ENOTFOUND). Look at the spelling.'
  if (code === 'ECONNREFUSED') return 'nobody listens there (ECONNREFUSED).'
  if (message.includes('aborted due to timeout')) return `no answer within ${PATIENCE / 1000} s.`
  return `${message}${code && !message.includes(code) ? ` (${code})` : ''}.`
}
