import { readPage } from '../authorisation-drivers/forms.ts'
import { member } from '../judge/data-rows.ts'
import type { Exchange } from '../wire/exchange.ts'

const LONGEST = 160

/** A refusal in the bank's own words, in one line: `401 invalid_client (unknown client)`. */
export function answerWords({ response, failure }: Exchange): string {
  if (!response) return `no response: ${failure?.message ?? 'unknown'}`
  const { status, json, body } = response
  const said = (...names: string[]) => {
    const values = names.map((name) => member(json, name))
    const value = values.find((each) => typeof each === 'string' && each !== '')
    return value === undefined ? undefined : oneLine(value as string)
  }
  const error = said('error', 'Code', 'code', 'title')
  const words = said('error_description', 'Message', 'message', 'description')
  if (error ?? words) {
    // Open banking bodies repeat the status in their Code.
    const code = error?.replace(new RegExp(`^${status} `), '')
    return [status, code, words && `(${words})`].filter(Boolean).join(' ')
  }
  const text = /^\s*</.test(body) ? readPage(body).text : body
  return text === '' ? String(status) : `${status} (${oneLine(text)})`
}

/** Text of a bank on one bounded line. */
export function oneLine(text: string): string {
  const plain = text.replace(/\s+/g, ' ').trim()
  return plain.length > LONGEST ? `${plain.slice(0, LONGEST)}…` : plain
}
