import { existsSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { plainPem } from '../engine/configuration/material.ts'
import type {
  ClientDocument,
  TargetDocument,
  TransportDocument,
} from '../engine/configuration/target.ts'
import { makeFolder } from '../engine/record/make-folder.ts'
import { ASSAY, word } from '../engine/record/program.ts'
import { say, shown } from '../engine/report/terminal.ts'
import { DEFAULT_TARGET } from './folders.ts'
import { openTarget } from './open-target.ts'
import { UsageError } from './usage.ts'

/** Only the user who runs this may read the files. */
const PRIVATE = 0o600

/**
 * `assay credentials`: writes the certificates and keys that the curl lines of a report name, and a TPP's signing keys,
 * as files that only the user can read and that git ignores. Also writes a script that sets the variables.
 *
 * @throws UsageError when the folder already holds credentials
 */
export async function credentials(options: {
  target?: string
  out: string
  force?: boolean
}): Promise<void> {
  const out = resolve(options.out)
  const script = join(out, 'variables.sh')
  if (existsSync(script) && !options.force) {
    throw new UsageError(`${options.out} holds credentials already; --force overwrites them`)
  }
  const opened = await openTarget(options.target ?? DEFAULT_TARGET)
  try {
    makeFolder(out, 0o700)
    const write = (name: string, text: string) => {
      writeFileSync(join(out, name), text, { mode: PRIVATE })
      return join(out, name)
    }
    writeFileSync(join(out, '.gitignore'), '*\n')
    const lines = variables(opened.document).map(([name, text, file]) => {
      const value = file === undefined ? text : write(file, text)
      return `export ${name}='${value.replaceAll("'", "'\\''")}'`
    })
    writeFileSync(script, `${[...lines, ...NOTES].join('\n')}\n`, { mode: PRIVATE })
    const what = `${lines.length} variables for the curl lines of a report`
    say(shown`. ${word(`${options.out}/variables.sh`)}   sets ${what}`)
  } finally {
    await opened.close()
  }
}

const NOTES = [
  '# ACCESS_TOKEN, CODE and REFRESH_TOKEN: a report keeps none. Get them at the token endpoint.',
  '# CLIENT_ASSERTION, REQUEST_OBJECT and REGISTRATION_JWT are signed for one request each:',
  `# ${ASSAY} reproduce makes them again.`,
]

/** The value of a variable is the text itself, or the path of a file with it. */
type Variable = [name: string, text: string, file?: string]

/** PEM and key of each certificate that a run presents, and the authorities of the bank. */
function variables({ clients, refusedCertificates, trust = [] }: TargetDocument): Variable[] {
  const offered: [name: string, transport: TransportDocument | undefined][] = [
    ['first', clients.first.transport],
    ['second', clients.second?.transport],
    ...Object.entries(refusedCertificates ?? {}),
  ]
  const pairs = offered.flatMap(([name, transport]): Variable[] => {
    const { certificate, key, passphrase } = transport ?? {}
    if (certificate === undefined || key === undefined) return []
    const upper = name.toUpperCase().replace(/[^A-Z0-9]/g, '_')
    return [
      [`${upper}_CERT`, certificate, `${name}.cert.pem`],
      [`${upper}_KEY`, plainPem({ key, passphrase }), `${name}.key.pem`],
    ]
  })
  const signed = Object.entries(clients).flatMap(([name, client]) => signing(name, client))
  const authority: Variable[] = [['BANK_CA', trust.join('\n'), 'bank-ca.pem']]
  return [...pairs, ...signed, ...(trust.length === 0 ? [] : authority)]
}

/** The signing key of a client and what it sends when it registers. */
function signing(name: string, client: ClientDocument): Variable[] {
  const upper = name.toUpperCase()
  const { signing: own, softwareStatement, redirectUris } = client
  const variables: Variable[] = [
    [`${upper}_KID`, own.kid],
    [`${upper}_REDIRECT_URI`, redirectUris[0] ?? ''],
    [`${upper}_SIGNING_KEY`, plainPem(own), `${name}.signing.pem`],
  ]
  if (softwareStatement === undefined) return variables
  return [...variables, [`${upper}_STATEMENT`, softwareStatement, `${name}.statement.jwt`]]
}
