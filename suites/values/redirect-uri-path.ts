import { differing, ELSEWHERE, otherCase } from './redirect-uri-rows.ts'
import { joinUri } from './uri-components.ts'

/** Redirect URIs with another path, query or fragment: RFC 3986 sections 3.3 to 3.5. */
export const PATH_PARTS = [
  differing('path', 'RFC 3986 3.3', [
    [
      'below',
      'with a path below its own',
      ({ path }) => ({ path: `${path.replace(/\/$/, '')}/more` }),
    ],
    ['above', 'with a path above its own', ({ path }) => above(path)],
    [
      'no-path',
      'with the path / alone',
      ({ path }) => (/[^/]/.test(path) ? { path: '/' } : undefined),
    ],
    [
      'segment-before',
      'with a segment before its path',
      ({ path }) => (path ? { path: `/more${path}` } : undefined),
    ],
    [
      'double-slash',
      'with a double slash before its path',
      ({ path }) => (path ? { path: `/${path}` } : undefined),
    ],
    [
      'inside-another',
      'that is the path of another host',
      (uri) => `https://${ELSEWHERE}/${joinUri(uri)}`,
    ],
  ]),
  differing('segment', 'RFC 3986 3.3', [
    [
      'other-segment',
      'with another last segment',
      ({ path }) => ({ path: `${parent(path)}/more` }),
    ],
    ['longer-segment', 'with a longer last segment', ({ path }) => segment(path, `${path}more`)],
    [
      'shorter-segment',
      'with a shorter last segment',
      ({ path }) => (/[^/]{2}$/.test(path) ? { path: path.slice(0, -1) } : undefined),
    ],
    [
      'path-in-other-case',
      'with its path in other letters',
      ({ path }) => ({
        path: path.replace(/%[\da-f]{2}|[a-z]+/gi, (one) =>
          one.startsWith('%') ? one : otherCase(one),
        ),
      }),
    ],
    [
      'matrix-parameter',
      'with a parameter after a semicolon in its path',
      ({ path }) => segment(path, `${path};more=1`),
    ],
    [
      'wildcard-segment',
      'with * for its last segment',
      ({ path }) => ({ path: `${parent(path)}/*` }),
    ],
    [
      'backslash',
      'with a backslash and a segment after its path',
      ({ path }) => ({ path: `${path}\\more` }),
    ],
  ]),
  differing('reserved characters, which an encoding changes', 'RFC 3986 2.2', [
    [
      'below-by-encoded-slash',
      'with an encoded slash and a segment after its path',
      ({ path }) => ({ path: `${path}%2Fmore` }),
    ],
    [
      'slash-encoded',
      'with an encoded slash for one of its path',
      ({ path }) =>
        path.lastIndexOf('/') > 0 ? { path: path.replace(/\/([^/]*)$/, '%2F$1') } : undefined,
    ],
    [
      'question-mark-encoded',
      'with an encoded question mark and a parameter after its path',
      ({ path }) => ({ path: `${path}%3Fmore=1` }),
    ],
    [
      'number-sign-encoded',
      'with an encoded number sign after its path',
      ({ path }) => ({ path: `${path}%23more` }),
    ],
  ]),
  differing('segments . and .. that lead elsewhere', 'RFC 3986 3.3 and 5.2.4', [
    [
      'dots-behind',
      'with /../ and another segment after its path',
      ({ path }) => ({ path: `${path}/../more` }),
    ],
    [
      'encoded-dots-behind',
      'with /%2e%2e/ and another segment after its path',
      ({ path }) => ({ path: `${path}/%2e%2e/more` }),
    ],
    [
      'dots-with-encoded-slash-behind',
      'with /..%2f and another segment after its path',
      ({ path }) => ({ path: `${path}/..%2fmore` }),
    ],
    [
      'dots-with-backslash-behind',
      'with /..\\ and another segment after its path',
      ({ path }) => ({ path: `${path}/..\\more` }),
    ],
  ]),
  differing('query', 'RFC 3986 3.4', [
    [
      'query',
      'with a parameter more in its query',
      ({ query }) => ({ query: and(query, 'more=1') }),
    ],
    [
      'redirect-uri-in-query',
      'with another redirect_uri in its query',
      ({ query }) => ({ query: and(query, `redirect_uri=https://${ELSEWHERE}/`) }),
    ],
    [
      'code-in-query',
      'with a code in its query',
      ({ query }) => ({ query: and(query, 'code=more') }),
    ],
    [
      'redirect-uri-behind',
      'with &redirect_uri= and another one after it',
      (uri) => `${joinUri(uri)}&redirect_uri=https://${ELSEWHERE}/`,
    ],
    [
      'without-query',
      'without its query',
      ({ query }) => (query ? { query: undefined } : undefined),
    ],
    [
      'other-query',
      'with a longer value in its query',
      ({ query }) => (query ? { query: `${query}more` } : undefined),
    ],
    [
      'query-reordered',
      'with the parameters of its query in another order',
      ({ query }) => query && { query: query.split('&').reverse().join('&') },
    ],
    [
      'in-a-query',
      'that is the query of another host',
      (uri) => `https://${ELSEWHERE}/?${joinUri(uri)}`,
    ],
  ]),
  differing('fragment', 'RFC 6749 3.1.2: “MUST NOT include a fragment component”', [
    ['fragment', 'with a fragment', () => ({ fragment: 'more' })],
    [
      'in-a-fragment',
      'that is the fragment of another host',
      (uri) => `https://${ELSEWHERE}/#${joinUri(uri)}`,
    ],
    [
      'fragment-before-at',
      'with another host and a number sign before its host',
      ({ scheme, host, path }) => host && `${scheme}://${ELSEWHERE}#@${host}${path}`,
    ],
  ]),
]

/** `segment`: changes the path, if it ends in a segment. */
/** A path without its last segment. */
function parent(path: string): string {
  return path.slice(0, Math.max(0, path.lastIndexOf('/')))
}

function segment(path: string, changed: string) {
  return /[^/]$/.test(path) && changed !== path ? { path: changed } : undefined
}

/** The path without its last segment; undefined where only / would be left. */
function above(path: string) {
  const cut = path.replace(/\/[^/]*\/?$/, '')
  return cut ? { path: cut } : undefined
}

const and = (query: string | undefined, more: string) => (query ? `${query}&${more}` : more)
