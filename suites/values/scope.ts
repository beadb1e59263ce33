import type { Level } from '../../engine/suite-api/check.ts'
import type { Value, ValueType } from './value-type.ts'

/** Scopes from which parameters are made. */
export interface Scopes {
  /**
   * Scopes that this client registered: openid, if the request needs it;
   * then the one that the subject of the request needs; then the others.
   */
  registered: readonly string[]
  /** Scopes that the bank advertises, or common ones, that this client did not register. */
  beyond: readonly string[]
}

const SUBSET = '“Must be a subset of the scopes registered for the client.”'
const SENSITIVE = `${SUBSET}; RFC 6749 3.3: “space-delimited, case-sensitive strings”`
const ORDER = 'RFC 6749 3.3: “their order does not matter”'
const DUPLICATES = 'RFC 6749 3.3: scope = scope-token *( SP scope-token ), no word of a token twice'
const SPACES =
  'RFC 6749 A.4: scope = scope-token *( SP scope-token ), one SP between two; no clause says what becomes of others'

/**
 * A scope parameter at the authorisation endpoint and the token endpoint. A bank accepts a wrong one
 * if it grants access by it. A scope beyond the registration is accepted if the token response's
 * scope has a token that is not registered (a bank may refuse or ignore it, AMB-28); a similar
 * spelling of a registered scope, if the bank grants the registered one, or a token in that spelling.
 */
export const scope: ValueType<Scopes, string> = {
  name: 'scope',
  grammar:
    'RFC 6749 sections 3.3 and A.4: scope = scope-token *( SP scope-token ), scope-token = 1*( %x21 / %x23-5B / %x5D-7E )',
  parts: [
    {
      part: 'the list: which tokens it has',
      rows: [
        lawful('needed', 'of the tokens that the request needs', 'must', SUBSET, needed),
        lawful('all', 'of every registered token', 'should', SUBSET, ({ registered }) =>
          registered.length > needed({ registered }).length ? registered : undefined,
        ),
        beyond('beyond-behind', 'with an unregistered one at its end', (asked, one) => [
          ...asked,
          one,
        ]),
        beyond('beyond-before', 'with an unregistered one at its beginning', (asked, one) => [
          one,
          ...asked,
        ]),
        beyond('beyond-between', 'with an unregistered one in its middle', (asked, one) =>
          asked.length > 1 ? asked.toSpliced(1, 0, one) : undefined,
        ),
        beyond('beyond-instead', 'with an unregistered one for the one needed', (asked, one) =>
          asked.length > 1 ? asked.with(-1, one) : undefined,
        ),
        beyond('beyond-alone', 'of an unregistered one alone', (_, one) => [one]),
        beyond('beyond-twice', 'with an unregistered one twice', (asked, one) => [
          ...asked,
          one,
          one,
        ]),
        beyond('beyond-each', 'with each unregistered one', (asked, _, all) =>
          all.length > 1 ? [...asked, ...all] : undefined,
        ),
        beyond('beyond-another', 'with another unregistered one', (asked, _, [, ...others]) => {
          const other = others.at(-1)
          return other === undefined ? undefined : [...asked, other]
        }),
      ],
    },
    {
      part: 'the list: order',
      rows: [
        lawful('needed-reversed', 'in the other order', 'must', ORDER, (scopes) =>
          needed(scopes).length > 1 ? needed(scopes).toReversed() : undefined,
        ),
        lawful(
          'all-reversed',
          'of every registered token, in the other order',
          'should',
          ORDER,
          ({ registered }) =>
            registered.length > needed({ registered }).length ? registered.toReversed() : undefined,
        ),
      ],
    },
    {
      part: 'the list: the same token again',
      rows: [
        lawful('duplicate', 'with a token twice', 'observe', DUPLICATES, (scopes) => [
          ...needed(scopes),
          ...needed(scopes).slice(-1),
        ]),
      ],
    },
    {
      part: 'SP, and no other delimiter: an unregistered one after it',
      rows: [
        joinedBeyond('beyond-behind-comma', 'a comma', ','),
        joinedBeyond('beyond-behind-comma-and-space', 'a comma and a space', ', '),
        joinedBeyond('beyond-behind-plus', 'a plus sign', '+'),
        joinedBeyond('beyond-behind-encoded-space', '%20', '%20'),
        joinedBeyond('beyond-behind-semicolon', 'a semicolon', ';'),
        joinedBeyond('beyond-behind-bar', 'a vertical bar', '|'),
        joinedBeyond('beyond-behind-tab', 'a tab', '\t'),
        joinedBeyond('beyond-behind-newline', 'a line feed', '\n'),
        joinedBeyond('beyond-behind-no-break-space', 'a no-break space', '\u00a0'),
        joinedBeyond('beyond-behind-nul', 'a NUL', '\0'),
        joinedBeyond('beyond-behind-ampersand', '&scope=', '&scope='),
      ],
    },
    {
      part: 'SP, and no other delimiter: between registered ones',
      rows: [
        delimited('comma-delimited', 'with commas for spaces', ','),
        delimited('plus-delimited', 'with plus signs for spaces', '+'),
        delimited('encoded-space-delimited', 'with %20 for spaces', '%20'),
        delimited('tab-delimited', 'with tabs for spaces', '\t'),
        delimited('newline-delimited', 'with line feeds for spaces', '\n'),
        delimited('no-break-space-delimited', 'with no-break spaces for spaces', '\u00a0'),
        near('json-array', 'in a JSON array', (asked) => JSON.stringify(asked)),
      ],
    },
    {
      part: 'SP, one between two tokens and none elsewhere',
      rows: [
        spaced('leading-space', 'with a space before it', (text) => ` ${text}`),
        spaced('trailing-space', 'with a space after it', (text) => `${text} `),
        spaced('doubled-space', 'with two spaces for one', (text) =>
          text.includes(' ') ? text.replace(' ', '  ') : undefined,
        ),
      ],
    },
    {
      part: 'scope-token: case-sensitive',
      rows: [
        spelled('in-capitals', 'in upper case', (token) => token.toUpperCase()),
        spelled('in-small-letters', 'in lower case', (token) => token.toLowerCase()),
        spelled('with-capital', 'with a capital at its beginning', (token) =>
          token.replace(/^./u, (first) => first.toUpperCase()),
        ),
      ],
    },
    {
      part: 'scope-token: a whole string',
      rows: [
        spelled('beginning-of-token', 'without its last character', (token) => token.slice(0, -1)),
        spelled('end-of-token', 'without its first character', (token) => token.slice(1)),
        spelled('longer-token', 'with a letter after it', (token) => `${token}x`),
        spelled('token-with-prefix', 'with a letter before it', (token) => `x${token}`),
        spelled('token-with-action', 'with :write after it', (token) => `${token}:write`),
        spelled('token-with-branch', 'with .more after it', (token) => `${token}.more`),
        spelled('token-with-wildcard', 'with * after it', (token) => `${token}*`),
        spelled('wildcard', 'replaced by *', () => '*'),
        spelled('any-characters', 'replaced by .*', () => '.*'),
      ],
    },
    {
      part: 'scope-token: %x21 / %x23-5B / %x5D-7E',
      rows: [
        spelled('token-in-quotes', 'in quotation marks', (token) => `"${token}"`),
        spelled('token-with-backslash', 'with a backslash after it', (token) => `${token}\\`),
        spelled('token-with-nul', 'with a NUL after it', (token) => `${token}\0`),
        spelled('token-in-full-width', 'with a full-width letter at its beginning', (token) =>
          token.replace(/^[a-z]/i, (one) => String.fromCharCode(one.charCodeAt(0) + 0xfee0)),
        ),
        spelled('token-encoded', 'with its first character percent-encoded', (token) =>
          token.replace(/^[!-~]/, (one) => `%${one.charCodeAt(0).toString(16).toUpperCase()}`),
        ),
      ],
    },
    {
      part: 'openid, spelled otherwise',
      none: 'What becomes of a request without openid is unspecified (OIDC Core 3.1.2.1), so each row keeps it.',
    },
    {
      part: 'no token',
      none: 'An empty parameter is as good as none (RFC 6749 3.1), and a missing one is asked for by itself.',
    },
  ],
}

/** openid, if it is registered, and the scope that the subject of the request needs. */
function needed({ registered }: Pick<Scopes, 'registered'>): readonly string[] {
  return registered.slice(0, registered[0] === 'openid' ? 2 : 1)
}

function lawful(
  id: string,
  words: string,
  level: Level,
  because: string,
  tokens: (scopes: Scopes) => readonly string[] | undefined,
): Value<Scopes, string> {
  const make = (scopes: Scopes) => tokens(scopes)?.join(' ') || undefined
  return { id, words, lawful: true, level, because, make }
}

/** A row that has an unregistered token after splitting at spaces. */
function wrong(
  id: string,
  words: string,
  level: Level,
  because: string,
  text: (scopes: Scopes) => string | undefined,
): Value<Scopes, string> {
  const make = (scopes: Scopes) => {
    const made = text(scopes)
    const registered = made?.split(' ').every((token) => scopes.registered.includes(token))
    return registered ? undefined : made
  }
  return { id, words, level, because, make }
}

function beyond(
  id: string,
  words: string,
  tokens: (
    asked: readonly string[],
    one: string,
    all: readonly string[],
  ) => readonly string[] | undefined,
) {
  return wrong(id, words, 'must', SUBSET, (scopes) => {
    const all = scopes.beyond.filter((token) => !scopes.registered.includes(token))
    const [one] = all
    return one === undefined ? undefined : tokens(needed(scopes), one, all)?.join(' ')
  })
}

/** A token that ends in an unregistered scope after a character that is no delimiter. */
function joinedBeyond(id: string, what: string, delimiter: string) {
  const words = `with ${what} and an unregistered one at its end`
  return beyond(id, words, (asked, one) => [`${asked.join(' ')}${delimiter}${one}`])
}

function near(id: string, words: string, text: (asked: readonly string[]) => string | undefined) {
  return wrong(id, words, 'should', SENSITIVE, (scopes) => {
    const asked = needed(scopes)
    return asked.length > 0 ? text(asked) : undefined
  })
}

function delimited(id: string, words: string, delimiter: string) {
  return near(id, words, (asked) => (asked.length > 1 ? asked.join(delimiter) : undefined))
}

/** The token that the request needs, in another spelling; openid stays. */
function spelled(id: string, how: string, spell: (token: string) => string) {
  return near(id, `with a token ${how}`, (asked) => {
    const token = asked.at(-1)
    if (token === undefined || token === 'openid') return undefined
    const other = spell(token)
    return other === '' || other === token ? undefined : asked.with(-1, other).join(' ')
  })
}

function spaced(id: string, words: string, text: (asked: string) => string | undefined) {
  return wrong(id, words, 'observe', SPACES, (scopes) => text(needed(scopes).join(' ')))
}
