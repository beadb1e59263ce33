import { expect, test } from 'vitest'
import { lacksTls } from '../../engine/doctor/address.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'

const answered = (url: string, body: string) =>
  ({ request: { url }, response: { status: 400, body } }) as unknown as Exchange
const ended = (url: string, kind: string) =>
  ({ request: { url }, failure: { kind } }) as unknown as Exchange

/** What nginx 1.22, Apache httpd 2.4 and Go answer. */
const ANSWERS = [
  '<center>The plain HTTP request was sent to HTTPS port</center>',
  "Reason: You're speaking plain HTTP to an SSL-enabled server port.<br />",
  'Client sent an HTTP request to an HTTPS server.',
]

test.each(ANSWERS)('asked without TLS, a server says “%s”', (body) => {
  expect(lacksTls(answered('http://127.0.0.1:8443/', body))).toBe(true)
  expect(lacksTls(answered('https://127.0.0.1:8443/', body))).toBe(false)
})

test('a connection without TLS that is closed lacks it; an answer or a time-out does not say so', () => {
  expect(lacksTls(ended('http://127.0.0.1:8443/', 'closed'))).toBe(true)
  expect(lacksTls(ended('https://127.0.0.1:8443/', 'closed'))).toBe(false)
  expect(lacksTls(ended('http://127.0.0.1:8443/', 'timeout'))).toBe(false)
  expect(lacksTls(answered('http://127.0.0.1:8443/', 'Bad Request'))).toBe(false)
})
