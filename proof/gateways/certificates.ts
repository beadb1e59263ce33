import { execFileSync } from 'node:child_process'
import { mkdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'

/** Certificates that a gateway serves, made by openssl: PEM files. */
export interface Served {
  certificate: string
  key: string
  both: string
  /** PEM of the authority that a client must trust. */
  authority: string
}

const HOST = 'subjectAltName=IP:127.0.0.1,DNS:localhost'
/** The address of its issuer's certificate, which is missing in the chain. */
const ISSUER_ELSEWHERE = 'authorityInfoAccess=caIssuers;URI:http://127.0.0.1:1/intermediate.cer'
const AUTHORITY = 'basicConstraints=critical,CA:TRUE'

/** A self-signed certificate, which nobody trusts. */
export function selfSigned(folder: string): Served {
  return madeIn(folder, 'self', (make) => {
    make('server', { subject: '/CN=127.0.0.1', extensions: [HOST] })
    return 'server'
  })
}

/** A certificate of the trusted root for another host. */
export function ofAnotherHost(folder: string): Served {
  return madeIn(folder, 'host', (make) => {
    make('root', { subject: '/CN=Root', extensions: [AUTHORITY] })
    const extensions = ['subjectAltName=DNS:old-bank.example']
    make('server', { subject: '/CN=old-bank.example', extensions, by: 'root' })
    return 'root'
  })
}

/** A certificate of an intermediate authority, served without the intermediate certificate. */
export function withoutIntermediate(folder: string): Served {
  return madeIn(folder, 'chain', (make) => {
    make('root', { subject: '/CN=Root', extensions: [AUTHORITY] })
    make('intermediate', { subject: '/CN=Issuing CA', extensions: [AUTHORITY], by: 'root' })
    const extensions = [HOST, ISSUER_ELSEWHERE]
    make('server', { subject: '/CN=127.0.0.1', extensions, by: 'intermediate' })
    return 'root'
  })
}

type Make = (
  name: string,
  certificate: { subject: string; extensions: readonly string[]; by?: string },
) => void

function madeIn(parent: string, name: string, build: (make: Make) => string): Served {
  const folder = join(parent, name)
  mkdirSync(folder)
  const at = (file: string) => join(folder, file)
  const authority = build((called, { subject, extensions, by }) => {
    const signer = by ? ['-CA', at(`${by}.pem`), '-CAkey', at(`${by}.key`)] : []
    execFileSync(
      'openssl',
      [
        ...['req', '-x509', '-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:P-256', '-nodes'],
        ...['-days', '30', '-subj', subject, '-keyout', at(`${called}.key`)],
        ...['-out', at(`${called}.pem`), ...signer],
        ...extensions.flatMap((each) => ['-addext', each]),
      ],
      { stdio: 'pipe' },
    )
  })
  const certificate = at('server.pem')
  const key = at('server.key')
  const both = at('both.pem')
  writeFileSync(both, readFileSync(certificate, 'utf8') + readFileSync(key, 'utf8'))
  return { certificate, key, both, authority: readFileSync(at(`${authority}.pem`), 'utf8') }
}
