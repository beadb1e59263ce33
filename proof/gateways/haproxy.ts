import { writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Passage, Place, Program } from './gateway.ts'

/** How an HAProxy differs from the right one. */
export interface HaproxyOptions {
  verify?: 'required' | 'optional'
  /** Additional words of each `bind`. */
  bind?: string
  /** Additional lines of each frontend. */
  frontend?: string
  certificate?: string
  /** Port to which every listener is forwarded instead of the bank, and its timeout in seconds. */
  upstream?: number
  serverTimeout?: number
}

/** HAProxy, right except for these options. */
export function haproxy(place: Place, options: HaproxyOptions = {}): Program {
  const file = join(place.folder, 'haproxy.cfg')
  writeFileSync(
    file,
    `global
  maxconn 500
  log stderr local0 emerg
defaults
  mode http
  timeout connect 5s
  timeout client 120s
  timeout server ${options.serverTimeout ?? 60}s
${place.passages.map((passage) => frontendOf(place, passage, options)).join('')}`,
  )
  return {
    command: 'haproxy',
    words: ['-db', '-f', file],
    ports: place.passages.map(({ outside }) => outside),
  }
}

function frontendOf(place: Place, passage: Passage, options: HaproxyOptions): string {
  const { verify = 'required', bind = '', frontend = '' } = options
  const certificate = options.certificate ?? place.server.both
  const asking = passage.mutual
    ? ` ca-file ${place.clients} verify ${verify}${verify === 'optional' ? ' crt-ignore-err all ca-ignore-err all' : ''}`
    : ''
  return `frontend ${passage.name}
  bind 127.0.0.1:${passage.outside} ssl crt ${certificate}${asking} ${bind}
  http-request del-header Client-Cert
  http-request del-header Client-Verify
${
  passage.mutual
    ? `  http-request set-header Client-Cert %[ssl_c_der,base64] if { ssl_c_used }
  http-request set-header Client-Verify %[ssl_c_verify]
`
    : ''
}${frontend}
  default_backend to-${passage.name}
backend to-${passage.name}
  server bank 127.0.0.1:${options.upstream ?? passage.inside}
`
}
