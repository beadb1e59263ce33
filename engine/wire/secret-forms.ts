/** Values shorter than this are redacted where their place tells them, and not searched for. */
export const SHORTEST = 4

/** From this length on, a value is also looked for inside of other base64. */
const SHORTEST_INSIDE = 6

/**
 * The spellings under which a secret may appear: as it is, in JSON, in a URL or a form, in HTML,
 * and in base64 or base64url, also as a part of something longer that was encoded as a whole (a
 * JWT's payload, Basic credentials), whatever its alignment there.
 */
export function formsOf(value: string): string[] {
  const forms = new Set<string>()
  for (const text of [value, ...partsOf(value)]) {
    if (text.length < SHORTEST) continue
    for (const spelled of spellings(text)) forms.add(spelled)
    if (text.length < SHORTEST_INSIDE) continue
    for (const inside of new Set([text, inJson(text)])) {
      for (const encoded of inBase64(inside)) forms.add(encoded)
    }
  }
  return [...forms]
}

function spellings(text: string): string[] {
  const percent = inUrl(text)
  const form = inForm(text)
  return [
    text,
    inJson(text),
    percent,
    lowerPercent(percent),
    form,
    inUrl(percent),
    inForm(percent),
    inUrl(form),
    inForm(form),
    inHtml(text),
  ]
}

/** A key's text without the lines around it, the members of a private JWK, the signature of a JWT. */
function partsOf(value: string): string[] {
  const pem = /-----BEGIN [^-]+-----([\s\S]*?)-----END/.exec(value)?.[1]
  if (pem !== undefined) {
    const lines = pem.split(/\s+/).filter((line) => line.length >= 32)
    return [lines.join(''), ...lines]
  }
  const signature = /^eyJ[\w-]+\.[\w-]*\.([\w-]{16,})$/.exec(value)?.[1]
  if (signature !== undefined) return [signature]
  if (!value.trimStart().startsWith('{')) return []
  try {
    const jwk: Record<string, unknown> = JSON.parse(value)
    const secret = ['d', 'p', 'q', 'dp', 'dq', 'qi', 'k'].map((name) => jwk[name])
    return secret.filter((member): member is string => typeof member === 'string')
  } catch {
    return []
  }
}

function inJson(text: string): string {
  return JSON.stringify(text).slice(1, -1)
}

/** encodeURIComponent throws on a lone surrogate. */
function inUrl(text: string): string {
  return encodeURIComponent(text.replace(/\p{Surrogate}/gu, '\ufffd'))
}

function lowerPercent(text: string): string {
  return text.replace(/%[0-9A-F]{2}/g, (byte) => byte.toLowerCase())
}

function inForm(text: string): string {
  return new URLSearchParams({ '': text }).toString().slice(1)
}

function inHtml(text: string): string {
  const names: Record<string, string> = { '&': '&amp;', '<': '&lt;', '>': '&gt;', '"': '&quot;' }
  return text.replace(/[&<>"]/g, (character) => names[character] ?? character)
}

/** What stays the same of the encoded text wherever in a longer one it begins: 0, 1 or 2 bytes in. */
function inBase64(text: string): string[] {
  const bytes = Buffer.from(text)
  return [0, 1, 2].flatMap((offset) => {
    const encoded = Buffer.concat([Buffer.alloc(offset), bytes]).toString('base64url')
    const begins = Math.ceil((offset * 8) / 6)
    const ends = Math.floor(((offset + bytes.length) * 8) / 6)
    const url = encoded.slice(begins, ends)
    return [url, url.replaceAll('-', '+').replaceAll('_', '/')]
  })
}
