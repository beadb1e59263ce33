import { HOST_PARTS } from './redirect-uri-host.ts'
import { differing, ELSEWHERE } from './redirect-uri-rows.ts'
import { isLoopback, joinUri, type Uri } from './uri-components.ts'

/** Redirect URIs with another scheme or authority: RFC 3986 sections 3.1 and 3.2. */
export const AUTHORITY_PARTS = [
  differing('scheme', 'RFC 3986 3.1', [
    [
      'other-scheme',
      'with http for https, or https for http',
      ({ scheme }) => ({ scheme: scheme === 'https' ? 'http' : 'https' }),
    ],
    ['longer-scheme', 'with a longer scheme', ({ scheme }) => ({ scheme: `${scheme}x` })],
    [
      'private-scheme',
      'with a scheme as an app would claim',
      () => ({ scheme: 'com.example.app' }),
    ],
    ['script-scheme', 'with the scheme javascript', () => ({ scheme: 'javascript' })],
  ]),
  differing('authority, after a double slash', 'RFC 3986 3.2', [
    [
      'one-slash',
      'with one slash before its host',
      (uri) => uri.host && joinUri(uri).replace('://', ':/'),
    ],
    [
      'three-slashes',
      'with three slashes before its host',
      (uri) => uri.host && joinUri(uri).replace('://', ':///'),
    ],
    [
      'backslashes-before-host',
      'with backslashes before its host',
      (uri) => uri.host && joinUri(uri).replace('://', ':\\\\'),
    ],
  ]),
  differing('userinfo', 'RFC 3986 3.2.1 and 7.6', [
    ['user', 'with a user before its host', ({ host }) => host && { userinfo: 'more' }],
    [
      'user-and-password',
      'with a user and a password before its host',
      ({ host }) => host && { userinfo: 'more:more' },
    ],
    ['empty-user', 'with an empty user before its host', ({ host }) => host && { userinfo: '' }],
    [
      'host-as-user',
      'with its host as the user of another one',
      ({ host }) => host && { userinfo: host, host: ELSEWHERE, port: undefined },
    ],
    [
      'host-as-user-with-password',
      'with its host and a port as user and password of another one',
      ({ host }) => host && { userinfo: `${host}:443`, host: ELSEWHERE, port: undefined },
    ],
    [
      'backslash-and-at',
      'with another host, a backslash and an @ before its host',
      ({ host }) => host && { userinfo: `${ELSEWHERE}\\` },
    ],
    [
      'at-in-path',
      'of another host, whose path is an @ and the rest of it',
      ({ scheme, host, path }) => host && `${scheme}://${ELSEWHERE}/@${host}${path}`,
    ],
  ]),
  ...HOST_PARTS,
  differing('port', 'RFC 3986 3.2.3', [
    [
      'other-port',
      'with another port',
      (uri) => ported(uri, uri.port === '8443' ? '8444' : '8443'),
    ],
    [
      'without-port',
      'without its port',
      (uri) =>
        uri.port === undefined || isLoopback(uri) || uri.port === DEFAULT_PORTS[uri.scheme ?? '']
          ? undefined
          : { port: undefined },
    ],
    [
      'port-with-zero',
      'with a zero before its port',
      (uri) => (uri.port ? ported(uri, `0${uri.port}`) : undefined),
    ],
    [
      'longer-port',
      'with a digit after its port',
      (uri) => (uri.port ? ported(uri, `${uri.port}0`) : undefined),
    ],
  ]),
]

/** Default ports, which a URI may omit. */
export const DEFAULT_PORTS: Record<string, string | undefined> = { https: '443', http: '80' }

/** Not for loopback hosts, where any port may be accepted: RFC 8252 section 7.3. */
function ported(uri: Uri, port: string) {
  return !uri.host || isLoopback(uri) ? undefined : { port }
}
