import { existsSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Passage, Place, Program } from './gateway.ts'

/** How an Apache differs from the right one. */
export interface ApacheOptions {
  verify?: 'require' | 'optional'
  /** Additional lines of each virtual host. */
  host?: string
  /** Additional modules. */
  modules?: readonly string[]
}

const MODULES = [
  'mpm_event',
  'authz_core',
  'ssl',
  'proxy',
  'proxy_http',
  'headers',
  'socache_shmcb',
]
const FOLDERS = ['/usr/lib/apache2/modules', '/usr/lib64/httpd/modules', '/usr/lib/httpd/modules']

/** Apache httpd, right except for these options. */
export function apache(place: Place, options: ApacheOptions = {}): Program {
  const { folder, passages } = place
  const modules = FOLDERS.find((each) => existsSync(each)) ?? FOLDERS[0]
  const file = join(folder, 'apache.conf')
  writeFileSync(
    file,
    `ServerRoot ${folder}
ServerName localhost
PidFile ${join(folder, 'apache.pid')}
ErrorLog ${join(folder, 'apache.log')}
${[...MODULES, ...(options.modules ?? [])]
  .map((name) => `LoadModule ${name}_module ${modules}/mod_${name}.so`)
  .join('\n')}
Mutex file:${folder} default
SSLSessionCache none
KeepAliveTimeout 120
MaxKeepAliveRequests 0
${passages.map((passage) => hostOf(place, passage, options)).join('\n')}
`,
  )
  return {
    command: 'apache2',
    words: ['-f', file, '-DFOREGROUND'],
    ports: passages.map(({ outside }) => outside),
  }
}

function hostOf(place: Place, passage: Passage, { verify = 'require', host = '' }: ApacheOptions) {
  const asking = passage.mutual
    ? `SSLCACertificateFile ${place.clients}
  SSLVerifyClient ${verify}
  SSLOptions +ExportCertData
  RequestHeader set Client-Cert "%{SSL_CLIENT_CERT}s"
  RequestHeader set Client-Verify "%{SSL_CLIENT_VERIFY}s"`
    : 'RequestHeader unset Client-Cert\n  RequestHeader unset Client-Verify'
  return `Listen 127.0.0.1:${passage.outside}
<VirtualHost 127.0.0.1:${passage.outside}>
  SSLEngine on
  SSLCertificateFile ${place.server.certificate}
  SSLCertificateKeyFile ${place.server.key}
  SSLProtocol TLSv1.2 +TLSv1.3
  ${asking}
  ${host}
  ProxyPreserveHost On
  AllowEncodedSlashes NoDecode
  ProxyPass / http://127.0.0.1:${passage.inside}/ nocanon
</VirtualHost>`
}
