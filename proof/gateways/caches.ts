import { chmodSync, mkdirSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Place, Program } from './gateway.ts'

/** Caches between a gateway and the bank's API; both speak plain HTTP. */

/** A cache, and the port on which it serves the bank's API. */
export interface Cache {
  port: number
  program: Program
}

/** Squid in front of the API; it follows RFC 9111 unless refresh patterns change that. */
export function squid(place: Place, inside: number, lines = ''): Cache {
  const { folder } = place
  const port = place.freePort()
  const file = join(folder, 'squid.conf')
  writeFileSync(
    file,
    `http_port 127.0.0.1:${port} accel vhost
cache_peer 127.0.0.1 parent ${inside} 0 no-query originserver login=PASSTHRU name=bank
never_direct allow all
http_access allow all
cache_mem 32 MB
pid_filename ${join(folder, 'squid.pid')}
cache_log ${join(folder, 'squid.log')}
access_log none
coredump_dir ${folder}
shutdown_lifetime 0 seconds
${lines}
`,
  )
  return { port, program: { command: 'squid', words: ['-N', '-f', file], ports: [port] } }
}

/** Varnish in front of the API; its default rules pass on every request with an Authorization header. */
export function varnish(place: Place, inside: number, rules = ''): Cache {
  const { folder } = place
  const port = place.freePort()
  const file = join(folder, 'bank.vcl')
  const state = join(folder, 'varnish')
  mkdirSync(state)
  // It reads its rules as another user.
  chmodSync(folder, 0o755)
  writeFileSync(
    file,
    `vcl 4.1;
backend bank { .host = "127.0.0.1"; .port = "${inside}"; }
${rules}
`,
  )
  const words = ['-F', '-a', `127.0.0.1:${port}`, '-f', file, '-n', state, '-s', 'malloc,32m']
  return { port, program: { command: 'varnishd', words, ports: [port] } }
}
