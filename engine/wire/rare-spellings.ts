import { type Layer, unescaped } from './layered-text.ts'

/** A spelling that servers sometimes use: a hint that a text may have it, its escapes, and what they represent. */
interface Spelling {
  hint: RegExp
  escapes: RegExp
  meaning: (spelled: string) => string | undefined
}

const nothing = () => ''

/** `<access_token:7cc63d>` */
const PSEUDONYM = /^<[a-z_]{1,40}:[0-9a-f]{6}/

const SPELLINGS: Spelling[] = [
  // Quoted-printable, with soft line breaks (RFC 2045 section 6.7).
  {
    // Not the part of a query after an equals sign: =2026-01-01, =C3.
    hint: /=\r?\n|=[0-9A-F]{2}[^&=]*=[0-9A-F]{2}|=(?:20(?!\d\d)|2[1-9A-F]|3[A-F]|40|5[B-F]|7[B-E])/,
    escapes: /(?:=[0-9A-F]{2})+|=\r?\n/g,
    meaning: (spelled) => (/^=[\r\n]/.test(spelled) ? '' : undefined),
  },
  // A backslash before a character, as in regular expressions, shells and Markdown.
  {
    hint: /\\[^\w\t\r\n"\\/]/,
    escapes: /\\[^\w\t\r\n]/g,
    meaning: (spelled) => spelled.slice(1),
  },
  // \2d of CSS, optionally followed by one space.
  {
    hint: /\\[0-9a-fA-F]{2}/,
    escapes: /\\[0-9a-fA-F]{1,6}[ \t\n]?/g,
    meaning: (spelled) => {
      const code = Number.parseInt(spelled.slice(1), 16)
      return code <= 0x10ffff ? String.fromCodePoint(code) : spelled
    },
  },
  // Bytes as \2d, of LDAP (RFC 4515 section 3).
  {
    hint: /\\[0-9a-fA-F]{2}/,
    escapes: /(?:\\[0-9a-fA-F]{2})+/g,
    meaning: () => undefined,
  },
  // Comments inside a value; a split CDATA section.
  {
    hint: /<!|\]\]>|\/\*/,
    escapes: /<!\[CDATA\[|\]\]>|<!--(?:[^<-]|-(?!->))*-->|\/\*(?:[^*/]|\*(?!\/))*\*\//g,
    meaning: nothing,
  },
  // Markup inside a value. A pseudonym is not markup: without it, the start of a secret would seem to be cut there.
  {
    hint: /<[/a-zA-Z]/,
    escapes: /<\/?[a-zA-Z][^<>]*>/g,
    meaning: (spelled) => (PSEUDONYM.test(spelled) ? spelled : ''),
  },
  // UTF-7 (RFC 2152), and the variant of IMAP (RFC 3501 section 5.1.3).
  {
    hint: /[+&][A-Za-z0-9/,]{0,64}-/,
    escapes: /[+&][A-Za-z0-9+/,]*-?/g,
    meaning: (spelled) => {
      const run = spelled.replace(/^[+&]|-$/g, '')
      if (run === '') return spelled.length === 2 ? spelled.charAt(0) : spelled
      const bytes = Buffer.from(run.replaceAll(',', '/'), 'base64')
      if (bytes.length < 2) return spelled
      return bytes
        .subarray(0, bytes.length & ~1)
        .swap16()
        .toString('utf16le')
    },
  },
]

/** The text after removing each of the rarer spellings that it has. */
export function rareLayersOf(layer: Layer): Layer[] {
  if (!/[=\\<\]+&]|\/\*/.test(layer.text)) return []
  return SPELLINGS.flatMap(({ hint, escapes, meaning }) => {
    if (!hint.test(layer.text)) return []
    return unescaped(layer, escapes, meaning) ?? []
  })
}
