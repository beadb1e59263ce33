/** Texts that are similar to an id, or that a lax reader takes for it; not yet encoded. */

/** A text that differs from the id; undefined where it does not exist for an id. */
export type Near = (id: string) => string | undefined

export type NearRow = readonly [id: string, words: string, near: Near]

/** Only for longer ids: a changed short id may be another one, since banks count. */
const ofLength =
  (least: number, near: (id: string) => string): Near =>
  (id) =>
    id.length < least ? undefined : near(id)

/** The same. Not for a number, even after a prefix: other digits are another id. */
const ofRandom =
  (near: Near): Near =>
  (id) =>
    id.length < 16 || /^([a-z]+[-_.:]?)?\d+$/i.test(id) ? undefined : near(id)

const isUuid = (id: string) => /^[\da-f]{8}(-[\da-f]{4}){3}-[\da-f]{12}$/i.test(id)

const ofUuid =
  (near: (id: string) => string): Near =>
  (id) =>
    isUuid(id) ? near(id) : undefined

const ofNumber =
  (near: (id: string) => string): Near =>
  (id) =>
    /^\d+$/.test(id) ? near(id) : undefined

/**
 * The id with upper and lower case swapped. Undefined unless the part after a prefix has letters
 * of both cases above f: otherwise it may be hexadecimal, which means the same in both cases.
 */
function inOtherCase(id: string): string | undefined {
  const behind = id.replace(/^[a-z]+[-_.:]/i, '')
  if (!/[g-z]/.test(behind) || !/[G-Z]/.test(behind)) return undefined
  const swap = (one: string) => (one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase())
  return id.replace(/[a-z]/gi, swap)
}

/**
 * Replaces a character by one that is no digit in any base up to 32. The new one is neither the same
 * letter in the other case, nor different only in the unused bits at the end of base64url (RFC 4648 3.5).
 */
function changedAt(id: string, place: number): string {
  const other = /[w-z]/i.test(id.charAt(place)) ? 'u' : 'z'
  return `${id.slice(0, place)}${other}${id.slice(place + 1)}`
}

/** A number without its first digit is another number, in any base. */
const withoutFirst = ofRandom((id) => id.replace(/^0*./, '') || undefined)

/** An underscore as the last character. Undefined where only unused bits of base64url may differ (RFC 4648 3.5). */
function lowLineBehind(id: string): string | undefined {
  const idle = [undefined, undefined, /[w-z\d_-]$/, /[89_-]$/][id.length % 4]
  return idle?.test(id) ? undefined : `${id.slice(0, -1)}_`
}

/** The same to a reader that compares letters without case, as the columns of some databases do. */
export const LETTERS: readonly NearRow[] = [
  ['other-case', 'with its letters in the other case', inOtherCase],
]

export const WHOLE: readonly NearRow[] = [
  ['letter-before', 'with a letter before it', ofLength(6, (id) => `x${id}`)],
  ['letter-behind', 'with a letter after it', ofLength(6, (id) => `${id}x`)],
  ['twice', 'that stands twice, one after the other', ofRandom((id) => `${id}${id}`)],
  ['first-cut', 'without its first character that is no zero', withoutFirst],
  ['last-cut', 'without its last character', ofRandom((id) => id.slice(0, -1))],
  ['first-half', 'that is cut in its middle', ofRandom((id) => id.slice(0, id.length >> 1))],
  ['second-half', 'without its first half', ofRandom((id) => id.slice(id.length >> 1))],
  ['first-changed', 'with another first character', ofLength(16, (id) => changedAt(id, 0))],
  [
    'last-changed',
    'with another last character',
    ofLength(16, (id) => changedAt(id, id.length - 1)),
  ],
  [
    'middle-changed',
    'with another character in its middle',
    ofLength(16, (id) => changedAt(id, id.length >> 1)),
  ],
  [
    'cut-at-hyphen',
    'of what stands before its last hyphen',
    ofRandom((id) => /^(.{6,})-[^-]+$/.exec(id)?.[1]),
  ],
]

/** The same id after trimming. */
export const SPACES: readonly NearRow[] = [
  ['leading-space', 'with a space before it', (id) => ` ${id}`],
  ['trailing-space', 'with a space after it', (id) => `${id} `],
  ['trailing-tab', 'with a tab after it', (id) => `${id}\t`],
  ['trailing-newline', 'with a line feed after it', (id) => `${id}\n`],
  ['no-break-space', 'with a no-break space after it', (id) => `${id}\u00a0`],
  ['zero-width-space', 'with a zero-width space after it', (id) => `${id}\u200b`],
]

export const CONTROLS: readonly NearRow[] = [
  ['trailing-nul', 'with a NUL after it', (id) => `${id}\0`],
  ['nul-and-more', 'with a NUL and more after it', (id) => `${id}\0.json`],
  ['line-and-more', 'with a line feed and more after it', (id) => `${id}\nx`],
]

export const PATTERNS: readonly NearRow[] = [
  ['star', 'that is *', () => '*'],
  ['percent', 'that is %', () => '%'],
  ['low-lines', 'of as many underscores as it has characters', (id) => '_'.repeat(id.length)],
  ['any-characters', 'that is .*', () => '.*'],
  ['star-behind', 'with * for its last character', (id) => `${id.slice(0, -1)}*`],
  ['percent-behind', 'with % for its last character', (id) => `${id.slice(0, -1)}%`],
  ['low-line-behind', 'with an underscore for its last character', lowLineBehind],
  ['question-mark', 'with a question mark for its last character', (id) => `${id.slice(0, -1)}?`],
  ['star-behind-it', 'with * after it', (id) => `${id}*`],
  ['brackets', 'with its last character in square brackets', (id) => id.replace(/.$/, '[$&]')],
]

/** Texts that end a string of a query language and continue the query. */
export const INJECTIONS: readonly NearRow[] = [
  ['sql-or', 'with a condition of SQL after it', (id) => `${id}' OR '1'='1`],
  ['sql-true', 'that is a condition of SQL', () => "' OR 1=1"],
  ['sql-comment', 'with an apostrophe and a comment of SQL after it', (id) => `${id}'--`],
  ['ldap', 'with a condition of LDAP after it', (id) => `${id})(objectClass=*`],
  ['json-operator', 'that is an operator of a JSON query', () => '{"$ne":null}'],
  ['apostrophe', 'with an apostrophe after it', (id) => `${id}'`],
  ['template', 'with a placeholder of templates after it', (id) => `${id}\${1}`],
]

export const LISTS: readonly NearRow[] = [
  ['comma-and-itself', 'that stands twice, with a comma between', (id) => `${id},${id}`],
  ['comma-behind', 'with a comma after it', (id) => `${id},`],
  ['comma-and-nothing', 'with a comma and an id of nothing after it', (id) => `${id},x`],
  ['space-and-itself', 'that stands twice, with a space between', (id) => `${id} ${id}`],
  ['bar-and-itself', 'that stands twice, with a vertical bar between', (id) => `${id}|${id}`],
  ['in-brackets', 'in square brackets', (id) => `[${id}]`],
  ['json-array', 'that is a JSON array', (id) => JSON.stringify([id])],
]

export const QUOTED: readonly NearRow[] = [
  ['in-double-quotes', 'in quotation marks', (id) => `"${id}"`],
  ['in-single-quotes', 'in apostrophes', (id) => `'${id}'`],
  ['in-angle-brackets', 'in angle brackets', (id) => `<${id}>`],
  ['equals-before', 'with its name before it', (id) => `id=${id}`],
  ['urn', 'that is a URN', (id) => `urn:x:${id}`],
  ['base64', 'in Base64', (id) => Buffer.from(id).toString('base64url')],
  ['hexadecimal', 'in hexadecimal', ofRandom((id) => Buffer.from(id).toString('hex'))],
]

/** Words that programs write for a missing id, or for all ids. */
export const WORDS: readonly NearRow[] = [
  ['word-null', 'that is the word null', () => 'null'],
  ['word-undefined', 'that is the word undefined', () => 'undefined'],
  ['word-nan', 'that is NaN', () => 'NaN'],
  ['word-true', 'that is the word true', () => 'true'],
  ['word-me', 'that is the word me', () => 'me'],
  ['word-self', 'that is the word self', () => 'self'],
  ['word-all', 'that is the word all', () => 'all'],
  ['word-latest', 'that is the word latest', () => 'latest'],
  ['placeholder', 'that is a placeholder', () => '{id}'],
  ['object', 'that is [object Object]', () => '[object Object]'],
  ['hyphen', 'that is a hyphen', () => '-'],
  ['minus-one', 'that is -1', () => '-1'],
  ['nil-uuid', 'that is the nil UUID', () => '00000000-0000-0000-0000-000000000000'],
  ['max-uuid', 'that is the max UUID', () => 'ffffffff-ffff-ffff-ffff-ffffffffffff'],
]

/** A number that does not exist where ids are long and no numbers. Where a bank counts, in any base, it may exist. */
const uncounted =
  (number: string): Near =>
  (id) =>
    id.length < 6 || /^\d+$/.test(id) ? undefined : number

export const COUNTED: readonly NearRow[] = [
  ['zero', 'that is 0', uncounted('0')],
  ['one', 'that is 1', uncounted('1')],
]

export const LONG: readonly NearRow[] = [
  ['length-200', 'of 200 characters', () => 'x'.repeat(200)],
  ['length-2000', 'of 2,000 characters', () => 'x'.repeat(2000)],
  ['long-behind', 'with 200 characters after it', (id) => `${id}${'x'.repeat(200)}`],
]

export const OTHER_LETTERS: readonly NearRow[] = [
  ['combining-accent', 'with a combining accent after it', (id) => `${id}\u0301`],
  [
    'full-width',
    'with its first letter or digit in full width',
    (id) => id.replace(/[a-z\d]/i, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
  ],
  [
    'cyrillic',
    'with a Cyrillic letter',
    (id) =>
      id.replace(/[aceop]/, (one) => '\u0430\u0441\u0435\u043e\u0440'['aceop'.indexOf(one)] ?? one),
  ],
  ['hyphens-other', 'with other hyphens', (id) => id.replaceAll('-', '\u2010')],
]

/** Other spellings of one UUID or number, which are the same after decoding. */
export const SAME_NUMBER: readonly NearRow[] = [
  [
    'uuid-without-hyphens',
    'that is its UUID without hyphens',
    ofUuid((id) => id.replaceAll('-', '')),
  ],
  ['uuid-in-braces', 'that is its UUID in braces', ofUuid((id) => `{${id}}`)],
  ['uuid-urn', 'that is its UUID as a URN', ofUuid((id) => `urn:uuid:${id}`)],
  ['leading-zeros', 'with zeros before its number', ofNumber((id) => `000${id}`)],
  ['plus-sign', 'with a plus sign before its number', ofNumber((id) => `+${id}`)],
  ['decimals', 'with .0 after its number', ofNumber((id) => `${id}.0`)],
  ['exponent', 'with an exponent after its number', ofNumber((id) => `${id}e0`)],
]
