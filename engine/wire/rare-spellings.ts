import { type Layer, unescaped } from './layered-text.ts'

/** A spelling that servers use now and then: what tells that a text may have it, its escapes, what they stand for. */
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
    // Not what a query has behind its signs: =2026-01-01, =C3.
    hint: /=\r?\n|=[0-9A-F]{2}[^&=]*=[0-9A-F]{2}|=(?:20(?!\d\d)|2[1-9A-F]|3[A-F]|40|5[B-F]|7[B-E])/,
    escapes: /(?:=[0-9A-F]{2})+|=\r?\n/g,
    meaning: (spelled) => (/^=[\r\n]/.test(spelled) ? '' : undefined),
  },
  // A backslash before a sign, as regular expressions, shells and Markdown have it.
  {
    hint: /\\[^\w\t\r\n"\\/]/,
    escapes: /\\[^\w\t\r\n]/g,
    meaning: (spelled) => spelled.slice(1),
  },
  // \2d of CSS, with one space behind it or not.
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
  // Comments within; a section of CDATA that was split.
  {
    hint: /<!|\]\]>|\/\*/,
    escapes: /<!\[CDATA\[|\]\]>|<!--(?:[^<-]|-(?!->))*-->|\/\*(?:[^*/]|\*(?!\/))*\*\//g,
    meaning: nothing,
  },
  // Markup within. What was masked already is none: without it a beginning of a secret would seem to be cut off there.
  {
    hint: /<[/a-zA-Z]/,
    escapes: /<\/?[a-zA-Z][^<>]*>/g,
    meaning: (spelled) => (PSEUDONYM.test(spelled) ? spelled : ''),
  },
  // UTF-7 (RFC 2152), and that of IMAP (RFC 3501 section 5.1.3).
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

/** What is left of a text after each of the rarer spellings is taken off, where it has any. */
export function rareLayersOf(layer: Layer): Layer[] {
  if (!/[=\\<\]+&]|\/\*/.test(layer.text)) return []
  return SPELLINGS.flatMap(({ hint, escapes, meaning }) => {
    if (!hint.test(layer.text)) return []
    return unescaped(layer, escapes, meaning) ?? []
  })
}
