import { ALIAS_PARTS } from './redirect-uri-aliases.ts'
import { AUTHORITY_PARTS } from './redirect-uri-authority.ts'
import { PATH_PARTS } from './redirect-uri-path.ts'
import { differing, ELSEWHERE, MATCH, type RedirectUris } from './redirect-uri-rows.ts'
import { joinUri } from './uri-components.ts'
import type { Value, ValueType } from './value-type.ts'

/**
 * A redirect URI at registration, at the authorisation endpoint and at the token
 * endpoint. Every text that is not exactly one of `registered` is wrong. The encoding
 * of the parameter belongs to the place that sends it and is not part of the value.
 */
export const redirectUri: ValueType<RedirectUris, string> = {
  name: 'redirect URI',
  grammar:
    'RFC 3986 section 3, and the normalisations of its section 6.2, which simple string comparison (6.2.1; RFC 6749 3.1.2.3; OIDC Core 3.1.2.1) tells apart; RFC 6749 A.6',
  parts: [
    {
      part: 'simple string comparison',
      rows: [
        asRegistered('first', 'that was registered first', ([first]) => first),
        asRegistered('second', 'that was registered second', ([, second]) => second),
        asRegistered('last', 'that was registered last, after two others or more', (all) =>
          all.length > 2 ? all.at(-1) : undefined,
        ),
      ],
    },
    ...AUTHORITY_PARTS,
    ...PATH_PARTS,
    ...ALIAS_PARTS,
    differing('relative reference', 'RFC 6749 3.1.2: “MUST be an absolute URI”; RFC 3986 4.2', [
      [
        'without-scheme',
        'without its scheme',
        (uri) => (uri.scheme ? { scheme: undefined } : undefined),
      ],
      [
        'host-and-path-alone',
        'without its scheme and the double slash',
        (uri) => uri.host && joinUri({ ...uri, scheme: undefined }).slice(2),
      ],
      ['path-alone', 'of its path alone', ({ path }) => path || undefined],
    ]),
    differing('one URI, and no list or pattern', 'RFC 6749 A.6: redirect-uri = URI-reference', [
      [
        'behind-space',
        'followed by a space and another one',
        (uri) => `${joinUri(uri)} https://${ELSEWHERE}/`,
      ],
      [
        'before-space',
        'after another one and a space',
        (uri) => `https://${ELSEWHERE}/ ${joinUri(uri)}`,
      ],
      [
        'behind-comma',
        'followed by a comma and another one',
        (uri) => `${joinUri(uri)},https://${ELSEWHERE}/`,
      ],
      [
        'before-comma',
        'after another one and a comma',
        (uri) => `https://${ELSEWHERE}/,${joinUri(uri)}`,
      ],
      [
        'both-registered',
        'followed by a space and another registered one',
        (_, { registered: [first, second] }) => second && `${first} ${second}`,
      ],
      ['json-array', 'in a JSON array', (uri) => JSON.stringify([joinUri(uri)])],
      ['any', 'that is * alone', () => '*'],
    ]),
    differing('no wrapper, white space or control character', 'RFC 3986 2 and appendix C', [
      ['leading-space', 'with a space before it', (uri) => ` ${joinUri(uri)}`],
      ['trailing-space', 'with a space after it', (uri) => `${joinUri(uri)} `],
      ['leading-tab', 'with a tab before it', (uri) => `\t${joinUri(uri)}`],
      ['trailing-newline', 'with a line feed after it', (uri) => `${joinUri(uri)}\n`],
      [
        'second-line',
        'with a line feed and another one after it',
        (uri) => `${joinUri(uri)}\nhttps://${ELSEWHERE}/`,
      ],
      [
        'header-behind',
        'with a line break and a header after it',
        (uri) => `${joinUri(uri)}\r\nx-more: 1`,
      ],
      ['tab-inside', 'with a tab in its host', (uri) => inside(uri.host, (host) => ({ host }))],
      ['trailing-nul', 'with a NUL after it', (uri) => `${joinUri(uri)}\0`],
      [
        'nul-and-more',
        'with a NUL and another path after it',
        (uri) => `${joinUri(uri)}\0.${ELSEWHERE}/`,
      ],
      [
        'trailing-no-break-space',
        'with a no-break space after it',
        (uri) => `${joinUri(uri)}\u00a0`,
      ],
      ['leading-bom', 'with a byte order mark before it', (uri) => `\ufeff${joinUri(uri)}`],
      ['in-quotes', 'in quotation marks', (uri) => `"${joinUri(uri)}"`],
      ['in-angle-brackets', 'in angle brackets', (uri) => `<${joinUri(uri)}>`],
      ['behind-prefix', 'with URL: before it', (uri) => `URL:${joinUri(uri)}`],
    ]),
    differing(
      'encoded once',
      'RFC 3986 2.4: “must not percent-encode or decode the same string more than once”',
      [
        [
          'encoded-twice',
          'that is percent-encoded once too often',
          (uri) => encodeURIComponent(joinUri(uri)),
        ],
      ],
    ),
    differing(
      'the client’s own',
      '“each later request that needs a redirect URI is validated against this list”',
      [
        [
          'of-another-client',
          'that another client registered',
          (_, { registered, ofOthers }) => ofOthers.find((uri) => !registered.includes(uri)),
        ],
      ],
    ),
    {
      part: 'no value',
      none: 'An empty parameter is as good as none (RFC 6749 3.1), and a missing one is asked for by itself.',
    },
    {
      part: 'encoding of the parameter',
      none: 'It is undone before values are compared (RFC 6749 appendix B), so each place may send any value in any encoding.',
    },
  ],
}

function asRegistered(
  id: string,
  words: string,
  make: (registered: readonly string[]) => string | undefined,
): Value<RedirectUris, string> {
  return {
    id,
    words,
    lawful: true,
    level: 'must',
    because: MATCH,
    make: ({ registered }) => make(registered),
  }
}

function inside<Made>(text: string | undefined, make: (changed: string) => Made): Made | undefined {
  return text ? make(`${text.slice(0, 1)}\t${text.slice(1)}`) : undefined
}
