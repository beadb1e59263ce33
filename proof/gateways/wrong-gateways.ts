import { varnish } from './caches.ts'
import { ofAnotherHost, type Served, selfSigned, withoutIntermediate } from './certificates.ts'
import type { Expected, Gateway, Place, Program } from './gateway.ts'
import { haproxy } from './haproxy.ts'
import { type NginxOptions, nginx } from './nginx.ts'
import { cached } from './right-gateways.ts'

/** Real gateways that are wrong, each in one way that occurs in practice. */

const ofNginx = (
  id: string,
  story: string,
  expects: Expected,
  options: NginxOptions | ((place: Place) => NginxOptions),
): Gateway => ({
  ...{ id, story, needs: ['nginx'], expects },
  write: (place) => [nginx(place, typeof options === 'function' ? options(place) : options)],
})

/** The bank is blamed by these checks. */
const breaks = (...ids: string[]): Expected => ({ exit: [1], whose: ['bank'], ids })

const served = (
  id: string,
  story: string,
  make: (folder: string) => Served,
  words: RegExp,
  trusted: boolean,
): Gateway => {
  // Written once; the target trusts its authority.
  const made = new WeakMap<Place, Served>()
  const of = (place: Place) => {
    const known = made.get(place) ?? make(place.folder)
    made.set(place, known)
    return known
  }
  return {
    ...{ id, story, needs: ['nginx', 'openssl'] },
    expects: { exit: [3], whose: ['bank', 'configuration'], words },
    write: (place) => [nginx(place, { certificate: of(place) })],
    ...(trusted && {
      target: (document, place) => {
        document.trust = [of(place).authority]
      },
    }),
  }
}

/** A service that accepts connections and never answers. */
const silentAt = (port: number): Program => ({
  command: process.execPath,
  words: [
    '-e',
    `require('node:net').createServer((each) => each.on('error', () => {})).listen(${port}, '127.0.0.1')`,
  ],
  ports: [port],
})

export const WRONG: readonly Gateway[] = [
  ofNginx(
    'nginx-trusts-any-authority',
    'Accepts a certificate of any authority: ssl_verify_client is optional_no_ca, and the result is not checked.',
    breaks('SEC-02/untrusted'),
    { verify: 'optional_no_ca', headers: { 'Client-Verify': 'SUCCESS' } },
  ),
  ofNginx(
    'nginx-takes-headers-for-certificates',
    'Passes on a certificate that the client sends in a header, as if another gateway had set it.',
    breaks('SEC-01/forwarded'),
    {
      verify: 'optional_no_ca',
      headers: {
        'Client-Cert': '$told_certificate',
        'Client-Verify': '$told_verify',
      },
      http: `map $http_x_ssl_client_cert $other_certificate {
    "" $http_x_forwarded_client_cert; default $http_x_ssl_client_cert;
  }
  map $ssl_client_verify $told_verify { NONE ""; default $ssl_client_verify; }
  map $ssl_client_escaped_cert $told_certificate {
    "" $other_certificate; default $ssl_client_escaped_cert;
  }`,
    },
  ),
  ofNginx(
    'nginx-caches-without-the-token',
    'Caches data responses by address, without the access token in the key (proxy_cache).',
    breaks(),
    (place) => ({
      http: `proxy_cache_path ${place.folder}/cache keys_zone=data:1m;`,
      location: `proxy_cache data; proxy_cache_key $request_uri; proxy_cache_valid 200 1m;
      proxy_ignore_headers Cache-Control Expires Set-Cookie Vary;`,
    }),
  ),
  {
    id: 'varnish-caches-without-the-token',
    story: 'Varnish caches every GET response, without the access token in the key.',
    needs: ['nginx', 'varnishd'],
    expects: breaks(),
    write: (place) =>
      cached(
        place,
        varnish,
        `sub vcl_recv { if (req.method == "GET") { return (hash); } return (pass); }
sub vcl_backend_response { set beresp.ttl = 60s; set beresp.uncacheable = false; return (deliver); }`,
      ),
  },
  ofNginx(
    'nginx-blocks-delete',
    'The firewall allows only GET and POST, so DELETE is refused.',
    breaks('CLC-01/awaiting'),
    { location: 'limit_except GET POST { deny all; }' },
  ),
  ofNginx(
    'nginx-strips-authorization',
    'Removes the Authorization header (proxy_set_header Authorization "").',
    { exit: [1, 3, 4], whose: ['bank'] },
    { headers: { Authorization: '""' } },
  ),
  {
    id: 'nginx-strips-x-fapi-headers',
    story: 'Removes the x-fapi headers, because the gateway does not know them.',
    needs: ['nginx'],
    // All requests are subject to the limit for absent customers, so only this chapter is judged.
    only: ['account-information/rate-limit'],
    // Limits and windows are not shown: this breaks only a should.
    expects: { exit: [0], whose: ['bank'], words: /429/ },
    write: (place) => [
      nginx(place, {
        headers: { 'x-fapi-customer-ip-address': '""', 'x-fapi-interaction-id': '""' },
      }),
    ],
  },
  ofNginx(
    'nginx-names-the-upstream',
    'Sends the internal host name as Host, so the login page has internal addresses.',
    { exit: [1, 4], whose: ['bank'], words: /lead to/ },
    { headers: { Host: '$proxy_host' } },
  ),
  ofNginx(
    'nginx-short-headers',
    'Refuses request lines above 1 kB; one with a request object is longer.',
    { exit: [1, 3, 4], whose: ['bank', 'gateway'], words: /414/ },
    { http: 'client_header_buffer_size 512; large_client_header_buffers 2 1k;' },
  ),
  ofNginx(
    'nginx-small-bodies',
    'Refuses bodies above 1 kB; a registration is longer.',
    { exit: [1, 3, 4], whose: ['bank', 'gateway'], words: /413/ },
    { http: 'client_max_body_size 1k;' },
  ),
  served(
    'nginx-incomplete-chain',
    'Sends its certificate without the intermediate certificate.',
    withoutIntermediate,
    /incomplete|intermediate/,
    true,
  ),
  served(
    'nginx-wrong-host',
    'Serves the certificate of another host.',
    ofAnotherHost,
    /old-bank\.example/,
    true,
  ),
  served('nginx-self-signed', 'Sends a self-signed certificate.', selfSigned, /trust/, false),
  ofNginx(
    'nginx-tls-1.0',
    'TLS 1.0 only, for an old system.',
    { exit: [3], whose: ['bank'], words: /TLS/ },
    { protocols: 'TLSv1', server: 'ssl_ciphers "ALL:@SECLEVEL=0";' },
  ),
  ofNginx(
    'nginx-upstream-down',
    'The service behind the gateway is not started.',
    { exit: [3], whose: ['gateway'], words: /502/ },
    (place) => {
      const port = place.freePort()
      return { upstream: () => port }
    },
  ),
  {
    id: 'haproxy-upstream-silent',
    story: 'The service behind the gateway accepts connections and never answers.',
    needs: ['haproxy'],
    expects: { exit: [3], whose: ['gateway'], words: /504/ },
    write(place) {
      const upstream = place.freePort()
      return [silentAt(upstream), haproxy(place, { upstream, serverTimeout: 1 })]
    },
  },
  {
    id: 'haproxy-removes-date',
    story: 'Responses have no Date header.',
    needs: ['haproxy'],
    expects: { exit: [0] },
    write: (place) => [haproxy(place, { frontend: '  http-after-response del-header date\n' })],
  },
  {
    id: 'haproxy-blocks-queries',
    story: 'A firewall rule against injection refuses addresses with %3A in their query.',
    needs: ['haproxy'],
    expects: { exit: [1], whose: ['bank'], words: /403/ },
    write: (place) => [
      haproxy(place, {
        frontend: '  http-request deny deny_status 403 if { query -m sub %3A }\n',
      }),
    ],
  },
]
