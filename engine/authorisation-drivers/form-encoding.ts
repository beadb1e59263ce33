import { charsetOf, singleBytes } from '../wire/charsets.ts'

/**
 * The encoding in which a form is sent (HTML 4.10.21.5, "pick an encoding"). UTF-8 replaces multi-byte encodings: pages
 * in them are rare, and Node can't encode them.
 *
 * @param accepted its accept-charset: labels, of which the first known one counts
 * @param page the encoding of its page
 */
export function formCharset(accepted: string | undefined, page: string): string {
  const labels = accepted?.split(/\s+/) ?? [page]
  const [charset = 'utf-8'] = labels.map(charsetOf).filter((known) => known !== undefined)
  return singleBytes(charset) ? charset : 'utf-8'
}

/** The name of an encoding as a form sends it; TextDecoder gives it in lower case. */
export function nameOf(charset: string): string {
  return /^(utf|iso|koi|ibm)/.test(charset) ? charset.toUpperCase() : charset
}

/** A form as the body of a POST, in the one of the two ways that it requests. */
export async function encoded(
  form: URLSearchParams,
  enctype: string,
  charset: string,
): Promise<{ body: string; type: string }> {
  if (enctype !== 'multipart/form-data') {
    return { body: inQuery(form, charset), type: 'application/x-www-form-urlencoded' }
  }
  // The text is sent as UTF-8.
  const data = new FormData()
  for (const [name, value] of form) data.append(name, value)
  const sent = new Response(data)
  return { body: await sent.text(), type: sent.headers.get('content-type') ?? enctype }
}

/** A form as a query, with its characters as bytes of an encoding. */
export function inQuery(form: URLSearchParams, charset: string): string {
  const table = singleBytes(charset)
  if (!table) return form.toString()
  const spelt = (text: string) => [...text].map((one) => inBytes(one, table)).join('')
  return [...form].map(([name, value]) => `${spelt(name)}=${spelt(value)}`).join('&')
}

/** A character that the encoding lacks becomes an HTML character reference. */
function inBytes(character: string, table: Map<string, number>): string {
  if (character <= '\x7f') return new URLSearchParams([['', character]]).toString().slice(1)
  const byte = table.get(character)
  if (byte === undefined) return `%26%23${character.codePointAt(0)}%3B`
  return `%${byte.toString(16).toUpperCase()}`
}
