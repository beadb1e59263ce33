import { readPage } from '../authorisation-drivers/forms.ts'
import { textIn, withoutStatus } from '../judge/answer-words.ts'
import { once } from '../record/page-words.ts'
import type { Exchange } from '../wire/exchange.ts'

const LONGEST = 160

/** A refusal in the bank's own words, on one line: `401 invalid_client (unknown client)`. */
export function answerWords(exchange: Exchange): string {
  const { response, failure } = exchange
  if (!response) return `no response: ${failure?.message ?? 'unknown'}`
  const { status, body } = response
  const error = textIn(exchange, 'error', 'Code', 'code', 'title')
  const words = textIn(exchange, 'error_description', 'Message', 'message', 'description')
  if (error ?? words) {
    const code = error && withoutStatus(oneLine(error), exchange)
    return [status, code, words && `(${oneLine(words)})`].filter(Boolean).join(' ')
  }
  const text = once(/^\s*</.test(body) ? readPage(body).text : body)
  return text === '' ? String(status) : `${status} (${oneLine(text)})`
}

/** Text of a bank on one line of limited length. */
export function oneLine(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain
}
