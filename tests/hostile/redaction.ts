import fc from 'fast-check'
import { expect } from 'vitest'
import { createRedactor } from '../../engine/wire/redaction.ts'
import { SEED, type Situation } from './situation.ts'

/** Secrets in every spelling that servers and logs give them. */

type Spelling = (secret: string) => string

const utf16 = (text: string) => Array.from({ length: text.length }, (_, at) => text.charCodeAt(at))
const hex4 = (code: number) => code.toString(16).padStart(4, '0')
const bytes = (text: string) => [...Buffer.from(text)]
const base64 = (text: string) => Buffer.from(text).toString('base64')
const isPlain = (character: string) => /[A-Za-z0-9]/.test(character)

interface Spelled {
  what: string
  spell: Spelling
  /** Only what people know or are is looked for in it: names, user names, passwords. */
  of?: 'people'
}

export const SPELLINGS: Record<string, Spelled> = {
  'as-it-is': { what: 'as it is', spell: (text) => text },
  'json-of-php': {
    what: 'as JSON of PHP: \\u00e9, \\/',
    spell: (text) =>
      JSON.stringify(text)
        .slice(1, -1)
        .replaceAll('/', '\\/')
        .replace(/[^\x20-\x7e]/g, (each) => `\\u${hex4(each.charCodeAt(0))}`),
  },
  'json-of-dotnet': {
    what: 'as JSON of .NET: \\u002B, \\u0026, \\u00E9',
    spell: (text) =>
      JSON.stringify(text)
        .slice(1, -1)
        .replace(/[^\x20-\x7e]|[+&<>']/g, (each) => `\\u${hex4(each.charCodeAt(0)).toUpperCase()}`),
  },
  'json-all-escaped': {
    what: 'with every character a \\u escape',
    spell: (text) =>
      utf16(text)
        .map((code) => `\\u${hex4(code)}`)
        .join(''),
  },
  'json-in-json': {
    what: 'as JSON within JSON within JSON',
    spell: (text) => [1, 2, 3].reduce((inner) => JSON.stringify(inner).slice(1, -1), text),
  },
  'script-escapes': {
    what: 'as a script has it: \\x2d',
    spell: (text) =>
      text.replace(/[ -~]/g, (each) =>
        isPlain(each) ? each : `\\x${each.charCodeAt(0).toString(16).padStart(2, '0')}`,
      ),
  },
  'decimal-entities': {
    what: 'with entities of HTML: &#39;',
    spell: (text) =>
      [...text].map((each) => (isPlain(each) ? each : `&#${each.codePointAt(0)};`)).join(''),
  },
  'hex-entities': {
    what: 'with entities in hexadecimal: &#x2d;',
    spell: (text) => [...text].map((each) => `&#x${each.codePointAt(0)?.toString(16)};`).join(''),
  },
  'named-entities': {
    what: 'with entities by name: &amp; &quot; &eacute;',
    spell: (text) =>
      text
        .replaceAll('&', '&amp;')
        .replaceAll('<', '&lt;')
        .replaceAll('>', '&gt;')
        .replaceAll('"', '&quot;')
        .replaceAll("'", '&apos;')
        .replaceAll('é', '&eacute;')
        .replaceAll('ü', '&uuml;'),
  },
  'entities-twice': {
    what: 'with entities of entities: &amp;amp;',
    spell: (text) =>
      [1, 2].reduce(
        (inner) =>
          inner.replaceAll('&', '&amp;').replaceAll('"', '&quot;').replaceAll("'", '&#39;'),
        text,
      ),
  },
  percent: { what: 'percent-encoded', spell: encodeURIComponent },
  'percent-lower-case': {
    what: 'percent-encoded in lower case',
    spell: (text) => encodeURIComponent(text).replace(/%../g, (each) => each.toLowerCase()),
  },
  'percent-all': {
    what: 'with every byte percent-encoded: %2D',
    spell: (text) =>
      bytes(text)
        .map((byte) => `%${byte.toString(16).padStart(2, '0')}`)
        .join(''),
  },
  'percent-twice': {
    what: 'percent-encoded twice',
    spell: (text) => encodeURIComponent(encodeURIComponent(text)),
  },
  form: {
    what: 'as a form',
    spell: (text) => new URLSearchParams({ a: text }).toString().slice(2),
  },
  'upper-case': { what: 'in upper case', spell: (text) => text.toUpperCase() },
  'lower-case': { what: 'in lower case', spell: (text) => text.toLowerCase() },
  decomposed: {
    what: 'with accents as marks of their own (NFD)',
    spell: (text) => text.normalize('NFD'),
  },
  'without-accents': {
    what: 'without accents',
    spell: (text) => text.normalize('NFD').replace(/\p{M}/gu, ''),
  },
  latin1: {
    what: 'as UTF-8 that was read as ISO 8859-1',
    spell: (text) => Buffer.from(text).toString('latin1'),
  },
  'windows-1252': {
    what: 'as UTF-8 that was read as Windows-1252',
    spell: (text) => new TextDecoder('windows-1252').decode(Buffer.from(text)),
  },
  hex: { what: 'in hexadecimal', spell: (text) => Buffer.from(text).toString('hex') },
  'hex-upper-case': {
    what: 'in hexadecimal, upper case',
    spell: (text) => Buffer.from(text).toString('hex').toUpperCase(),
  },
  base64: { what: 'in base64', spell: base64 },
  base64url: { what: 'in base64url', spell: (text) => Buffer.from(text).toString('base64url') },
  'base64-twice': { what: 'in base64 of base64', spell: (text) => base64(base64(text)) },
  'base64-lines': {
    what: 'in base64 with line breaks',
    spell: (text) =>
      base64(`${'x'.repeat(50)}${text}${'y'.repeat(50)}`).replace(/.{76}(?=.)/g, '$&\r\n'),
  },
  'base64-of-json': {
    what: 'in base64 of JSON, line breaks escaped',
    spell: (text) =>
      JSON.stringify(base64(JSON.stringify({ a: text })).replace(/.{20}(?=.)/g, '$&\n')),
  },
  'octal-escapes': {
    what: 'with octal escapes, as C and logs of servers have it: \\303\\251',
    spell: (text) =>
      bytes(text)
        .map((byte) =>
          isPlain(String.fromCharCode(byte))
            ? String.fromCharCode(byte)
            : `\\${byte.toString(8).padStart(3, '0')}`,
        )
        .join(''),
  },
  'long-escapes': {
    what: 'with escapes of Python: \\U000000e9',
    spell: (text) =>
      [...text].map((each) => `\\U${each.codePointAt(0)?.toString(16).padStart(8, '0')}`).join(''),
  },
  'percent-of-asp': {
    what: 'percent-encoded as ASP does: %u00e9',
    spell: (text) => text.replace(/[^ -~]/g, (each) => `%u${hex4(each.charCodeAt(0))}`),
  },
  'quotes-of-sql': {
    what: 'with its quotes doubled, as in SQL',
    spell: (text) => text.replaceAll("'", "''"),
  },
  'quotes-of-csv': {
    what: 'with its quotes doubled, as in CSV',
    spell: (text) => text.replaceAll('"', '""'),
  },
  'lines-that-wrap': {
    what: 'in lines that wrap and are indented, as in XML and pages',
    spell: (text) => text.replaceAll(' ', '\r\n      '),
  },
  'two-spaces': {
    what: 'with two spaces for one',
    spell: (text) => text.replaceAll(' ', ' \u00a0'),
  },
  'controls-within': {
    what: 'with control characters within, which a terminal does not show',
    spell: (text) => `${text.slice(0, 3)}\u0007${text.slice(3, 5)}\u0090${text.slice(5)}`,
  },
  colours: {
    what: 'with a part of it in colour, for a terminal',
    spell: (text) => `${text.slice(0, 4)}\u001b[1;31m${text.slice(4)}`,
  },
  'hex-of-dotnet': {
    what: 'in hexadecimal of .NET: 4A-6F-73',
    spell: (text) =>
      Buffer.from(text)
        .toString('hex')
        .toUpperCase()
        .replace(/..(?=.)/g, '$&-'),
    of: 'people',
  },
  'hex-of-a-dump': {
    what: 'in hexadecimal of a dump: 4a 6f 73',
    spell: (text) =>
      Buffer.from(text)
        .toString('hex')
        .replace(/..(?=.)/g, '$& '),
    of: 'people',
  },
  'list-of-bytes': {
    what: 'as a list of bytes: [74,111,115]',
    spell: (text) => JSON.stringify(Buffer.from(text)),
    of: 'people',
  },
  'base64-of-utf16': {
    what: 'in base64 of UTF-16, as Windows makes it',
    spell: (text) => Buffer.from(text, 'utf16le').toString('base64'),
    of: 'people',
  },
  'without-its-accents': {
    what: 'in a character set without accents: Jos?',
    spell: (text) => text.replace(/[^ -~]/gu, '?'),
    of: 'people',
  },
  'base64-in-percent': {
    what: 'in base64, percent-encoded',
    spell: (text) => encodeURIComponent(base64(`user:${text}`)),
  },
}

/** Secrets as people and servers make them. */
const secret = fc.oneof(
  fc.constantFrom(
    'José Ñandú',
    'Zoë O’Brien-Müller',
    'it\'s <mine> & "yours"',
    'p+q/r=s&t%u',
    'correct horse',
  ),
  fc
    .string({ minLength: 8, maxLength: 40 })
    .filter((text) => /^\S.*\S$/.test(text) && !/^[a-z]+$/.test(text)),
  fc.base64String({ minLength: 12, maxLength: 64 }),
  fc.uuid(),
)

const ofPeople = fc.oneof(
  fc.constantFrom('José Ñandú', 'Zoë O’Brien-Müller', 'correct horse', 'anna.smith@example.com'),
  fc.stringMatching(/^[A-Za-z0-9]{6,20}[éüñ!@. -]{1,6}[A-Za-z0-9]{2,6}$/),
)

const around = fc.constantFrom<[string, string]>(
  ['', ''],
  ['{"note":"', '"}'],
  ['<p title="', '">'],
  ['https://bank.example/path?x=', '&y=1'],
  ['error: “', '” is unknown'],
  ['a\\', '\\b'],
  ['\t', '\n'],
)

/** What is left when a redactor has gone over it. */
function leaks(value: string, text: string, redacted: string): boolean {
  return redacted.includes(text) || (value.length >= 8 && redacted.includes(value))
}

function property({ spell, of }: Spelled, runs: number): void {
  fc.assert(
    fc.property(of ? ofPeople : secret, around, (value, [before, after]) => {
      const redactor = createRedactor([value])
      const spelled = spell(value)
      // Nobody can tell where an escape begins then.
      if (before.endsWith('\\') && spelled.includes('\\')) return
      const redacted = redactor.redactText(`${before}${spelled}${after}`)
      expect(leaks(value, spelled, redacted), redacted).toBe(false)
      expect(redacted).toContain('<secret:')
    }),
    { numRuns: runs, seed: SEED },
  )
}

const ids = Object.keys(SPELLINGS)
/** Spellings that replace characters one by one. */
const ESCAPES = /^(json|script|decimal|hex-ent|named|entities|percent|form|octal)/
const expected = 'Nothing of it is written; a pseudonym stands in its place.'

export const situations: Situation[] = [
  ...ids.map((id) => {
    const spelled = SPELLINGS[id] as Spelled
    return {
      id: `redaction/${id}`,
      what: `A secret is repeated ${spelled.what}.`,
      expected,
      seconds: 120,
      megabytes: 200,
      async run() {
        property(spelled, 300)
        return undefined
      },
    }
  }),
  {
    id: 'redaction/two-spellings',
    what: 'A secret is repeated in one spelling within another, such as percent-encoding within JSON.',
    expected,
    seconds: 120,
    megabytes: 200,
    async run() {
      const outer = [
        'json-of-php',
        'json-in-json',
        'hex-entities',
        'percent',
        'form',
        'named-entities',
      ]
      fc.assert(
        fc.property(
          fc.constantFrom(...ids.filter((id) => !SPELLINGS[id]?.of)),
          fc.constantFrom(...outer),
          secret,
          (inside, outside, value) => {
            const redactor = createRedactor([value])
            const inner = SPELLINGS[inside]?.spell(value) ?? value
            const spelled = SPELLINGS[outside]?.spell(inner) ?? inner
            const redacted = redactor.redactText(`"${spelled}"`)
            expect(redacted.includes(spelled), `${inside} in ${outside}: ${redacted}`).toBe(false)
          },
        ),
        { numRuns: 600, seed: SEED },
      )
      return undefined
    },
  },
  {
    id: 'redaction/cut',
    what: 'A text was cut within a secret, at its end or before an ellipsis.',
    expected: 'Six characters of it or more, of a long one a quarter or twelve, are not written.',
    seconds: 120,
    megabytes: 200,
    async run() {
      fc.assert(
        fc.property(
          secret,
          fc.nat(),
          fc.constantFrom('', '…', '...', '… and more'),
          (value, at, end) => {
            const kept = 7 + (at % Math.max(1, value.length - 7))
            const cut = value.slice(0, kept).trimEnd()
            const least = Math.max(6, Math.min(12, value.length / 4))
            if (cut.length < least || (value.length < 8 && /^[A-Za-z0-9]+$/.test(value))) return
            const redacted = createRedactor([value]).redactText(`the value ${cut}${end}`)
            expect(redacted.includes(cut), redacted).toBe(false)
          },
        ),
        { numRuns: 500, seed: SEED },
      )
      return undefined
    },
  },
  {
    id: 'redaction/cut-in-a-spelling',
    what: 'A text was cut within a secret that it spells with escapes, also within an escape.',
    expected: 'Six characters of it or more are not written.',
    seconds: 60,
    megabytes: 200,
    async run() {
      const words = ['José Ñandú', 'p+q/r=s&t%u', 'correct horse battery', 'Zk3uV9-unknown-0042']
      for (const [id, { spell }] of Object.entries(SPELLINGS)) {
        if (!ESCAPES.test(id)) continue
        for (const value of words) {
          const redactor = createRedactor([value])
          const whole = spell(value)
          for (let end = spell(value.slice(0, 6)).length; end < whole.length; end += 1) {
            const cut = whole.slice(0, end)
            const redacted = redactor.redactText(`the value ${cut}`)
            expect(redacted.includes(cut), `${id}: ${redacted}`).toBe(false)
          }
        }
      }
      return undefined
    },
  },
  {
    id: 'redaction/card-numbers',
    what: 'A card number has dots, dashes, slashes, no-break spaces or entities between its groups.',
    expected: 'It is not written.',
    seconds: 120,
    megabytes: 100,
    async run() {
      const marks = [
        '',
        ' ',
        '-',
        '.',
        '\u00a0',
        '\u202f',
        '\u2009',
        '\u2011',
        '&nbsp;',
        '&#160;',
        '%20',
        '\\u00a0',
        '/',
        '\u00ad',
      ]
      for (const mark of marks) {
        for (const number of ['4929123412341232', '5425233430109903', '2223000048410010']) {
          const spelled = number.replace(/(.{4})(?=.)/g, `$1${mark}`)
          for (const text of [`card ${spelled}, thank you`, `{"Id":"${spelled}"}`]) {
            const redacted = createRedactor([]).redactText(text)
            expect(redacted, mark).not.toContain(spelled)
            expect(redacted, mark).toContain('<pan:')
          }
        }
      }
      for (const text of [
        '4 9 2 9 1 2 3 4 1 2 3 4 1 2 3 2',
        'CC5425233430109903',
        'PAN_2223000048410010.',
      ]) {
        expect(createRedactor([]).redactText(text), text).toContain('<pan:')
      }
      return undefined
    },
  },
  {
    id: 'redaction/place-within',
    what: 'An access token that nobody knows stands in JSON within JSON, in a query within a query.',
    expected: 'Its place gives it away on every level.',
    seconds: 120,
    megabytes: 100,
    async run() {
      const token = 'Zk3uV9-unknown-token-0042'
      const inner = JSON.stringify({ access_token: token })
      for (const text of [
        JSON.stringify({ note: inner }),
        JSON.stringify({ note: JSON.stringify({ deep: inner }) }),
        `?next=${encodeURIComponent(`https://a.example/?access_token=${token}`)}`,
        `?next=${encodeURIComponent(encodeURIComponent(`https://a.example/?access_token=${token}`))}`,
        `<p data-x="${inner.replaceAll('"', '&quot;')}">`,
      ]) {
        expect(createRedactor([]).redactText(text), text).not.toContain(token)
      }
      return undefined
    },
  },
  {
    id: 'redaction/much-text',
    what: 'A body of a megabyte, most of it escapes, with a hundred secrets known.',
    expected: 'It is redacted in a time that is linear in its length.',
    seconds: 120,
    megabytes: 600,
    async run() {
      const secrets = Array.from({ length: 100 }, (_, n) => `secret-number-${n}-${'z'.repeat(n)}`)
      const redactor = createRedactor(secrets)
      const row = JSON.stringify({ a: JSON.stringify({ b: 'é&quot;%20', c: secrets[7] }) })
      const redacted = redactor.redactText(`[${Array.from({ length: 12_000 }, () => row).join()}]`)
      expect(redacted.includes('secret-number-7')).toBe(false)
      return undefined
    },
  },
]
