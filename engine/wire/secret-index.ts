import {
  BASE32,
  BASE64,
  createEncodedTexts,
  DUMPS,
  type Insides,
  inBase32,
} from './encoded-text.ts'
import { folded } from './folded-text.ts'
import { type Hit, type Layer, layersOf, placed, withHits } from './layered-text.ts'
import { rareLayersOf } from './rare-spellings.ts'
import { formsOf, isPlainWord, SHORTEST } from './secret-encodings.ts'
import { HASHES, hashed, hashOf } from './start-hashes.ts'

interface Form {
  text: string
  pseudonym: string
  /** A plain word is not searched for inside a longer one. */
  word: boolean
}

const WORD = /[\p{L}\p{N}]/u

/** Minimum length of a truncated secret's beginning; fewer characters reveal nothing. */
const LEAST_OF_A_CUT = 6

/** A quarter of a long secret: among thousands, some begin with six characters that end another text. */
const leastOf = ({ text }: Form) => Math.max(LEAST_OF_A_CUT, Math.min(12, text.length / 4))

/** Searches for many texts at once: one pass over a text, whatever their number. */
export function createSecretIndex() {
  /** Forms by their first four characters, the longest first. */
  const byStart = new Map<string, Form[]>()
  /** 1 where a form begins with characters of this hash: one lookup rules out most positions. */
  const starts = new Uint8Array(HASHES)
  const insidesOf = createEncodedTexts()

  const formAt = (text: string, at: number): Form | undefined =>
    byStart.get(text.slice(at, at + SHORTEST))?.find((form) => matches(form, text, at))

  /** The next position, from this one on, where a form may begin; -1 where there is none. */
  const beginAt = (text: string, from: number): number => {
    let hash = 0
    for (let at = from; at < text.length; at += 1) {
      hash = hashed(hash, text.charCodeAt(at))
      if (starts[hash] === 1 && at + 1 - SHORTEST >= from) return at + 1 - SHORTEST
    }
    return -1
  }

  const inFolded = (view: Layer, cuts: boolean): Hit[] => {
    const { text } = view
    const hits: Hit[] = []
    let cut = -1
    let ends: number[] = []
    for (let at = beginAt(text, 0), from = 0; at >= 0; at = beginAt(text, Math.max(at + 1, from))) {
      const whole = formAt(text, at)
      // Folding turns an ellipsis into three dots.
      while (cut < at) {
        const next = text.indexOf('...', cut + 1)
        cut = next < 0 ? text.length : next
        ends = cuts ? endsOf(text, cut) : []
      }
      const form = whole ?? cutAt(byStart, text, at, ends)
      if (!form) continue
      const length = whole ? whole.text.length : cut - at
      hits.push(placed(view, at, at + length, form.pseudonym))
      from = at + length
    }
    return hits
  }

  const mayHold = ({ views, hashes }: Insides): boolean =>
    hashes ? hashes.some((hash) => starts[hash] === 1) : views.some((view) => beginAt(view, 0) >= 0)

  /** Encoded data that contains a secret, or base64 of one. */
  const inEncoded = (layer: Layer, cuts: boolean): Hit[] => {
    const hits: Hit[] = []
    const look = (run: string, index: number, views: readonly string[]) => {
      const [hit] = views.flatMap((view) => inFolded({ text: view }, cuts))
      if (hit) hits.push(placed(layer, index, index + run.length, hit.pseudonym))
    }
    for (const { 0: run, index } of layer.text.matchAll(BASE64)) {
      const insides = insidesOf(run)
      if (mayHold(insides)) look(run, index, insides.views)
    }
    for (const [pattern, read] of DUMPS) {
      for (const { 0: run, index } of layer.text.matchAll(pattern)) look(run, index, read(run))
    }
    for (const { 0: run, index } of layer.text.matchAll(BASE32)) look(run, index, inBase32(run))
    return hits
  }

  const search = (text: string, cuts: boolean): Hit[] =>
    layersOf(text).flatMap((layer) => [
      ...inFolded(folded(layer), cuts),
      ...inEncoded(layer, cuts),
      ...rareLayersOf(layer).flatMap((rare) => inFolded(folded(rare), cuts)),
    ])

  return {
    /** Registers a value to find in every spelling. */
    add(value: string, pseudonym: string): void {
      const plain = isPlainWord(value)
      for (const text of formsOf(value)) {
        const word = plain && text.length === value.length
        const start = text.slice(0, SHORTEST)
        const known = byStart.get(start) ?? []
        if (known.some((form) => form.text === text)) continue
        known.push({ text, pseudonym, word })
        known.sort((a, b) => b.text.length - a.text.length)
        byStart.set(start, known)
        starts[hashOf(start)] = 1
      }
    },
    replace: (text: string) => (byStart.size === 0 ? text : withHits(text, search(text, true))),
    /** True if the text contains any whole value, in any spelling. */
    holds: (text: string) => byStart.size > 0 && search(text, false).length > 0,
  }
}

function matches({ text: form, word }: Form, text: string, at: number): boolean {
  if (!text.startsWith(form, at)) return false
  return !word || !(WORD.test(text.charAt(at + form.length)) || WORD.test(text.charAt(at - 1)))
}

/** A form whose beginning is the end of the text, or of what comes before an ellipsis. */
function cutAt(byStart: ReadonlyMap<string, Form[]>, text: string, at: number, ends: number[]) {
  for (const end of ends) {
    const length = end - at
    if (length < LEAST_OF_A_CUT || length > LONGEST_CUT) continue
    const known = byStart.get(text.slice(at, at + SHORTEST)) ?? []
    const longer = known.filter(
      (form) => !form.word && form.text.length > length && length >= leastOf(form),
    )
    const form = longer.find((each) => text.startsWith(each.text.slice(0, length), at))
    if (form) return form
  }
  return undefined
}

/** Where a truncated text ends: with and without what may be part of an escape. */
function endsOf(text: string, cut: number): number[] {
  if (!/[\\&%\ufffd]/.test(text.slice(Math.max(0, cut - 32), cut))) return [cut]
  const last = text.slice(Math.max(0, cut - LONGEST_CUT), cut)
  return [cut, cut - (PART_OF_AN_ESCAPE.exec(last)?.[0].length ?? 0)]
}

/** The rest of an escape in which a text was cut. */
const PART_OF_AN_ESCAPE =
  /\ufffd?(?:(?<!\\)\\+(?:u\{?[0-9a-f]{0,7}|x[0-9a-f]?|[0-3][0-7]?)?|&(?:#x?[0-9a-f]{0,6}|[a-z]{0,24})|%(?:u[0-9a-f]{0,3}|[0-9a-f]?))?$/i

const LONGEST_CUT = 4096
