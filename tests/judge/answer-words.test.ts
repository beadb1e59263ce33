import { describe, expect, test } from 'vitest'
import { answerWith, notJson } from '../../engine/judge/answer-words.ts'
import { brief } from '../../engine/judge/brief.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'

function answered(status: number, type: string, body: string): Exchange {
  const headers: [string, string][] = [['content-type', type]]
  const response = { status, headers, body, json: undefined, bytes: Buffer.byteLength(body) }
  return { endpoint: 'accounts', about: {}, response } as unknown as Exchange
}

describe('what came back', () => {
  test('a page of a firewall is quoted, without its markup', () => {
    const page = `<html><head><style>p { color: red }</style><title>Request Rejected</title></head>
      <body>The requested URL was rejected. Your support ID is: <b>4711</b><script>track()</script></body></html>`
    expect(answerWith(answered(403, 'text/html; charset=utf-8', page))).toBe(
      '403 (Request Rejected The requested URL was rejected. Your support ID is: 4711)',
    )
  })

  test('what is no text is not quoted', () => {
    expect(answerWith(answered(403, 'application/octet-stream', 'PK\u0003'))).toBe('403')
    expect(answerWith(answered(403, 'text/html', ''))).toBe('403')
  })

  test('a byte order mark is named', () => {
    expect(notJson(answered(200, 'application/json', '\ufeff{}'))).toContain('byte order mark')
    expect(notJson(answered(200, 'application/json', ''))).toBe('no body')
    expect(notJson(answered(200, 'application/json', '<>'))).toBe('2 bytes that are not JSON')
  })

  test('a number that is too great is not null', () => {
    expect(brief(JSON.parse('1e400'))).toBe('Infinity')
    expect(brief(null)).toBe('null')
  })
})
