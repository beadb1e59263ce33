import { misspelt, type Spelling } from './enumeration-rows.ts'
import type { Enumeration, Terms } from './enumeration-terms.ts'
import type { Part } from './value-type.ts'

/** All similar but wrong spellings of a value. */
export function spellingsOf(terms: Terms): Part<Enumeration, unknown>[] {
  const wrong = (part: string, rows: readonly Spelling[], level = terms.level) => ({
    part: `spelling: ${part}`,
    rows: misspelt(terms, rows, level),
  })
  return [
    wrong('case', CASES),
    wrong('letters that fold to those of ASCII', FOLDED),
    wrong('spaces around it', SPACES, terms.spaces),
    wrong('the whole string', PARTS),
    wrong('number of its noun', NUMBERS),
    wrong('what stands between its words', SEPARATORS),
    wrong('wildcards', WILDCARDS),
    wrong('characters of ASCII, and nothing between', CHARACTERS),
    wrong('encodings of it', ENCODINGS),
  ]
}

const CASES: readonly Spelling[] = [
  ['in-capitals', 'in upper case', (value) => value.toUpperCase()],
  ['in-small-letters', 'in lower case', (value) => value.toLowerCase()],
  [
    'other-case',
    'with its letters in the other case',
    (value) => value.replace(/[a-z]/gi, swapped),
  ],
  [
    'first-other-case',
    'with its first letter in the other case',
    (value) => value.replace(/[a-z]/i, swapped),
  ],
  [
    'last-other-case',
    'with its last letter in the other case',
    (value) => value.replace(/[a-z](?=[^a-z]*$)/i, swapped),
  ],
]

function swapped(letter: string): string {
  return letter === letter.toUpperCase() ? letter.toLowerCase() : letter.toUpperCase()
}

/** Characters that case folding turns into ASCII letters: Unicode, CaseFolding. */
const FOLDED: readonly Spelling[] = [
  ['long-s', 'with a long s', (value) => value.replace(/s/i, '\u017f')],
  ['kelvin-sign', 'with a Kelvin sign for its k', (value) => value.replace(/k/i, '\u212a')],
  ['dotless-i', 'with a dotless i', (value) => value.replace(/i/, '\u0131')],
  ['dotted-i', 'with a dotted capital I', (value) => value.replace(/i/i, '\u0130')],
]

const SPACES: readonly Spelling[] = [
  ['leading-space', 'with a space before it', (value) => ` ${value}`],
  ['trailing-space', 'with a space after it', (value) => `${value} `],
  ['spaces-around', 'with spaces around it', (value) => ` ${value} `],
  ['leading-tab', 'with a tab before it', (value) => `\t${value}`],
  ['trailing-newline', 'with a line feed after it', (value) => `${value}\n`],
  ['trailing-return', 'with a carriage return and a line feed after it', (value) => `${value}\r\n`],
  ['no-break-space', 'with a no-break space after it', (value) => `${value}\u00a0`],
]

const PARTS: readonly Spelling[] = [
  ['empty', 'with nothing for a value', () => ''],
  ['first-cut', 'without its first character', (value) => value.slice(1)],
  ['last-cut', 'without its last character', (value) => value.slice(0, -1)],
  ['letter-before', 'with a letter before it', (value) => `x${value}`],
  ['letter-behind', 'with a letter after it', (value) => `${value}x`],
  ['digit-behind', 'with a digit after it', (value) => `${value}2`],
  ['first-word', 'of its first word alone', (value) => wordsIn(value)[0]],
  ['last-word', 'of its last word alone', (value) => wordsIn(value).at(-1)],
  ['twice', 'that stands twice, one after the other', (value) => `${value}${value}`],
  [
    'letter-doubled',
    'with its last letter doubled',
    (value) => value.replace(/([a-z])([^a-z]*)$/i, '$1$1$2'),
  ],
  [
    'letters-exchanged',
    'with its second and third letter exchanged',
    (value) => (value.length < 3 ? undefined : value.replace(/^(.)(.)(.)/u, '$1$3$2')),
  ],
  ['with-namespace', 'with a namespace before it', (value) => `OB.${value}`],
  ['with-suffix', 'with a suffix after it', (value) => `${value}.v1`],
  ['with-fragment', 'with a fragment after it', (value) => `${value}#x`],
]

const NUMBERS: readonly Spelling[] = [
  ['plural', 'in the plural', (value) => (value.endsWith('s') ? undefined : `${value}s`)],
  [
    'singular',
    'in the singular',
    (value) => (value.endsWith('s') ? value.slice(0, -1) : undefined),
  ],
]

/** The words of a value: Read Accounts Basic, private key jwt, UK STD PAN. */
function wordsIn(value: string): string[] {
  const apart = value.replace(/[A-Z](?=[A-Z][a-z])/g, '$& ')
  return apart.match(/[A-Z]?[a-z]+|[A-Z]+|\d+/g) ?? []
}

const joined = (id: string, words: string, join: (parts: string[]) => string): Spelling => [
  id,
  words,
  (value) => {
    const parts = wordsIn(value)
    return parts.length > 1 ? join(parts) : undefined
  },
]

const capital = (word: string) => word.replace(/^./, (first) => first.toUpperCase())

const SEPARATORS: readonly Spelling[] = [
  joined('hyphens', 'with hyphens between its words', (parts) => parts.join('-')),
  joined('low-lines', 'with underscores between its words', (parts) => parts.join('_')),
  joined('spaces', 'with spaces between its words', (parts) => parts.join(' ')),
  joined('dots', 'with dots between its words', (parts) => parts.join('.')),
  joined('colons', 'with colons between its words', (parts) => parts.join(':')),
  joined('slashes', 'with slashes between its words', (parts) => parts.join('/')),
  joined('run-together', 'with nothing between its words', (parts) => parts.join('')),
  joined('pascal-case', 'with a capital at the beginning of each word', (parts) =>
    parts.map(capital).join(''),
  ),
  joined('camel-case', 'with a capital at the beginning of each word but the first', (parts) =>
    parts.map((part, index) => (index === 0 ? part.toLowerCase() : capital(part))).join(''),
  ),
  joined('constant-case', 'in upper case, with underscores between its words', (parts) =>
    parts.join('_').toUpperCase(),
  ),
  joined('words-reversed', 'with its words in reverse order and joined', (parts) =>
    parts.toReversed().join(''),
  ),
]

const WILDCARDS: readonly Spelling[] = [
  ['star', 'with * for a value', () => '*'],
  [
    'star-behind',
    'with * for its last word',
    (value) => {
      const last = wordsIn(value).at(-1)
      return last === undefined ? undefined : `${value.slice(0, value.lastIndexOf(last))}*`
    },
  ],
  ['percent', 'with % for a value', () => '%'],
  ['any-characters', 'with .* for a value', () => '.*'],
  [
    'question-mark',
    'with a question mark for its last letter',
    (value) => `${value.slice(0, -1)}?`,
  ],
  ['all-word', 'with the word all for a value', () => 'all'],
]

const CHARACTERS: readonly Spelling[] = [
  ['trailing-nul', 'with a NUL after it', (value) => `${value}\0`],
  ['nul-and-more', 'with a NUL and more after it', (value) => `${value}\0.x`],
  ['zero-width-space', 'with a zero-width space after it', (value) => `${value}\u200b`],
  [
    'soft-hyphen',
    'with a soft hyphen inside',
    (value) => `${value.slice(0, 2)}\u00ad${value.slice(2)}`,
  ],
  ['byte-order-mark', 'with a byte order mark before it', (value) => `\ufeff${value}`],
  ['combining-accent', 'with a combining accent after it', (value) => `${value}\u0301`],
  ['cyrillic', 'with a Cyrillic letter', (value) => value.replace(/[aeopcx]/i, cyrillic)],
  [
    'full-width',
    'with a full-width letter',
    (value) =>
      value.replace(/[a-z]/i, (letter) => String.fromCharCode(letter.charCodeAt(0) + 0xfee0)),
  ],
  ['in-double-quotes', 'in quotation marks', (value) => `"${value}"`],
  ['in-single-quotes', 'in apostrophes', (value) => `'${value}'`],
  ['in-brackets', 'in square brackets', (value) => `[${value}]`],
  ['comma-behind', 'with a comma after it', (value) => `${value},`],
  ['semicolon-behind', 'with a semicolon after it', (value) => `${value};`],
  ['comment-behind', 'with a comment after it', (value) => `${value}--`],
  ['second-line', 'with a second line', (value) => `${value}\nx`],
]

/** The Cyrillic letter that looks the same. */
function cyrillic(letter: string): string {
  const [latin, alike] = [
    'aeopcxAEOPCX',
    '\u0430\u0435\u043e\u0440\u0441\u0445\u0410\u0415\u041e\u0420\u0421\u0425',
  ]
  return alike[latin.indexOf(letter)] ?? letter
}

const ENCODINGS: readonly Spelling[] = [
  [
    'percent-encoded',
    'with its first letter percent-encoded',
    (value) =>
      value.replace(/[a-z]/i, (letter) => `%${letter.charCodeAt(0).toString(16).toUpperCase()}`),
  ],
  [
    'entity',
    'with its first letter as an entity of HTML',
    (value) => value.replace(/[a-z]/i, (letter) => `&#${letter.charCodeAt(0)};`),
  ],
  [
    'escaped',
    'with its first letter as an escape of JSON, escaped once more',
    (value) => value.replace(/[a-z]/i, (letter) => `\\u00${letter.charCodeAt(0).toString(16)}`),
  ],
  ['base64', 'in Base64', (value) => Buffer.from(value).toString('base64')],
]
