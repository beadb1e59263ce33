import { formsOf, SHORTEST } from './secret-forms.ts'

/** Many texts looked for at once: one pass over a text, whatever their number. */
export interface SecretIndex {
  /** Registers every spelling of a value; what stands in its place is asked for when found. */
  add(value: string, pseudonym: string): void
  replace(text: string): string
}

interface Form {
  text: string
  pseudonym: string
  /** A short word is not looked for inside of a longer one. */
  word: boolean
}

const WORD = /[A-Za-z0-9]/

/** An escape of a URL or of JSON: its last sign looks like part of a word and is none. */
const ESCAPE = /(?:%[0-9A-Fa-f]{2}|\\u[0-9A-Fa-f]{4}|\\[bfnrt])$/

export function createSecretIndex(): SecretIndex {
  /** Forms by their first four characters, longest first. */
  const byStart = new Map<string, Form[]>()
  /** Whether any form begins with a pair of characters: one look that settles most places. */
  const pairs = new Uint8Array(65_536)

  const formAt = (text: string, at: number): Form | undefined =>
    byStart.get(text.slice(at, at + SHORTEST))?.find((form) => matches(form, text, at))

  return {
    add(value, pseudonym) {
      const short = value.length < 8 && /^[A-Za-z0-9]+$/.test(value)
      for (const text of formsOf(value)) {
        const word = short && text === value
        const start = text.slice(0, SHORTEST)
        const known = byStart.get(start) ?? []
        if (known.some((form) => form.text === text)) continue
        known.push({ text, pseudonym, word })
        known.sort((a, b) => b.text.length - a.text.length)
        byStart.set(start, known)
        pairs[pairOf(text, 0)] = 1
      }
    },
    replace(text) {
      let result = ''
      let copied = 0
      for (let at = 0; at + SHORTEST <= text.length; at += 1) {
        if (pairs[pairOf(text, at)] === 0) continue
        const form = formAt(text, at)
        if (!form) continue
        result += text.slice(copied, at) + form.pseudonym
        copied = at + form.text.length
        at = copied - 1
      }
      return copied === 0 ? text : result + text.slice(copied)
    },
  }
}

function pairOf(text: string, at: number): number {
  return ((text.charCodeAt(at) & 0xff) << 8) | (text.charCodeAt(at + 1) & 0xff)
}

function matches({ text: form, word }: Form, text: string, at: number): boolean {
  if (!text.startsWith(form, at)) return false
  if (!word) return true
  if (WORD.test(text.charAt(at + form.length))) return false
  return !WORD.test(text.charAt(at - 1)) || ESCAPE.test(text.slice(Math.max(0, at - 6), at))
}
