import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Passage, Place, Program } from './gateway.ts'

/** How an nginx differs from the right one. */
export interface NginxOptions {
  /** `ssl_verify_client` of listeners that ask for a certificate. */
  verify?: 'on' | 'optional' | 'optional_no_ca'
  protocols?: string
  http2?: true
  /** Directives of http, of each server and of each location. */
  http?: string
  server?: string
  location?: string
  /** Headers to the bank that replace the right ones. */
  headers?: Readonly<Record<string, string>>
  /** Port to which a listener is forwarded instead of the bank. */
  upstream?(passage: Passage): number
  certificate?: { certificate: string; key: string }
}

const HEADERS = {
  Host: '$http_host',
  Connection: '""',
  'Client-Cert': '$ssl_client_escaped_cert',
  'Client-Verify': '$ssl_client_verify',
}

/** nginx, right except for these options. */
export function nginx(place: Place, options: NginxOptions = {}): Program {
  const { folder, passages } = place
  const file = join(folder, 'nginx.conf')
  const temporary = ['client_body', 'proxy', 'fastcgi', 'uwsgi', 'scgi']
    .map((name) => `  ${name}_temp_path ${join(folder, name)};`)
    .join('\n')
  const asRoot = process.getuid?.() === 0 ? 'user root;\n' : ''
  writeFileSync(
    file,
    `${asRoot}daemon off;
worker_processes 1;
pid ${join(folder, 'nginx.pid')};
error_log ${join(folder, 'nginx.log')};
events {}
http {
  access_log off;
${temporary}
  ${options.http ?? ''}
${passages.map((passage) => serverOf(place, passage, options)).join('\n')}
}
`,
  )
  return {
    command: 'nginx',
    words: ['-p', folder, '-e', join(folder, 'nginx.log'), '-c', file],
    ports: passages.map(({ outside }) => outside),
  }
}

function serverOf(place: Place, passage: Passage, options: NginxOptions): string {
  const { verify = 'on', protocols = 'TLSv1.2 TLSv1.3', certificate = place.server } = options
  const headers = { ...HEADERS, ...options.headers }
  const asking = passage.mutual
    ? `ssl_client_certificate ${place.clients};\n    ssl_verify_client ${verify};`
    : ''
  const inside = options.upstream?.(passage) ?? passage.inside
  return `  server {
    listen 127.0.0.1:${passage.outside} ssl${options.http2 ? ' http2' : ''};
    ssl_certificate ${certificate.certificate};
    ssl_certificate_key ${certificate.key};
    ssl_protocols ${protocols};
    ${asking}
    ${options.server ?? ''}
    location / {
      proxy_pass http://127.0.0.1:${inside};
      proxy_http_version 1.1;
${Object.entries(headers)
  .map(([name, value]) => `      proxy_set_header ${name} ${value};`)
  .join('\n')}
      ${options.location ?? ''}
    }
  }`
}
