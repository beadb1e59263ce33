import { type Exchange, header } from '../engine/suite-api/responses.ts'
import type { Finding } from '../engine/suite-api/rule.ts'

/** The charset that a Content-Type names; undefined where it names none. */
export const charsetIn = (contentType: string): string | undefined =>
  /;\s*charset\s*=\s*"?([^";\s]*)/i.exec(contentType)?.[1]

/** The charset that Content-Type names, where it is neither UTF-8 nor US-ASCII, as a finding. */
export function otherCharset(exchange: Exchange): Finding[] {
  const contentType = header(exchange, 'content-type') ?? ''
  const charset = charsetIn(contentType)
  if (charset === undefined || /^(?:utf-?8|us-ascii)?$/i.test(charset)) return []
  const message = `JSON is UTF-8, and the Content-Type says ${charset}`
  return [{ message, expected: 'UTF-8', actual: contentType }]
}
