import { apache } from './apache.ts'
import { squid, varnish } from './caches.ts'
import { apiOf, type Gateway, type Place, right } from './gateway.ts'
import { haproxy } from './haproxy.ts'
import { type NginxOptions, nginx } from './nginx.ts'

/** Real gateways that are right, each in its own way. */

const ofNginx = (id: string, story: string, options: NginxOptions = {}): Gateway => ({
  ...{ id, story, needs: ['nginx'], expects: right },
  write: (place) => [nginx(place, options)],
})

export const RIGHT: readonly Gateway[] = [
  ofNginx('nginx', 'TLS 1.2 and 1.3; clients without a valid certificate get status 400.'),
  ofNginx('nginx-tls-1.3', 'TLS 1.3 only.', { protocols: 'TLSv1.3' }),
  ofNginx(
    'nginx-optional-certificates',
    'Accepts connections with any certificate or none, and passes the result of its verification to the bank.',
    { verify: 'optional_no_ca' },
  ),
  ofNginx('nginx-no-keep-alive', 'Closes every connection after one response.', {
    server: 'keepalive_timeout 0;',
  }),
  ofNginx('nginx-gzip', 'Compresses every response if the client accepts that.', {
    http: 'gzip on; gzip_types *; gzip_min_length 1; gzip_proxied any;',
  }),
  ofNginx('nginx-http-2', 'HTTP/2 and HTTP/1.1.', { http2: true }),
  ofNginx('nginx-503-throttling', 'Answers 503 to more than 100 requests a second.', {
    http: 'limit_req_zone $server_port zone=all:1m rate=100r/s;',
    server: 'limit_req zone=all burst=100 nodelay;',
  }),
  {
    id: 'haproxy',
    story: 'Ends the TLS handshake of clients without a valid certificate.',
    needs: ['haproxy'],
    expects: right,
    write: (place) => [haproxy(place)],
  },
  {
    id: 'haproxy-optional-certificates-http-2',
    story:
      'HTTP/2; accepts any certificate or none, and passes the result of its verification to the bank.',
    needs: ['haproxy'],
    expects: right,
    write: (place) => [haproxy(place, { verify: 'optional', bind: 'alpn h2,http/1.1' })],
  },
  {
    id: 'apache',
    story: 'Apache httpd, which requires certificates.',
    needs: ['apache2'],
    expects: right,
    write: (place) => [apache(place)],
  },
  {
    id: 'apache-deflate',
    story: 'Apache httpd that compresses, and leaves the check of certificates to the bank.',
    needs: ['apache2'],
    expects: right,
    write: (place) => [
      apache(place, {
        verify: 'optional',
        modules: ['filter', 'deflate'],
        host: 'SetOutputFilter DEFLATE',
      }),
    ],
  },
  {
    id: 'squid-behind-nginx',
    story: 'A cache between the gateway and the API that obeys RFC 9111.',
    needs: ['nginx', 'squid'],
    expects: right,
    write: (place) => cached(place, squid),
  },
  {
    id: 'varnish-behind-nginx',
    story: 'A cache that does not store responses to requests with an Authorization header.',
    needs: ['nginx', 'varnishd'],
    expects: right,
    write: (place) => cached(place, varnish),
  },
]

/** nginx, with a cache in front of the API. */
export function cached(place: Place, make: typeof varnish, rules?: string) {
  const cache = make(place, apiOf(place).inside, rules)
  const upstream = ({ name, inside }: { name: string; inside: number }) =>
    name === 'api' ? cache.port : inside
  return [cache.program, nginx(place, { upstream })]
}
