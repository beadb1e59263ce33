import { existsSync, mkdirSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { plainPem } from '../engine/configuration/material.ts'
import type {
  ClientDocument,
  TargetDocument,
  TransportDocument,
} from '../engine/configuration/target.ts'
import { DEFAULT_TARGET } from './folders.ts'
import { openTarget } from './open-target.ts'
import { UsageError } from './usage.ts'

/** Only whoever runs this may read them. */
const PRIVATE = 0o600

/**
 * `assay credentials`: the certificates and keys that the curl lines of a report name, and what a TPP
 * signs with, as files that nobody else reads and no repository takes; and a script that sets the
 * variables.
 *
 * @throws UsageError where the folder holds some already
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
    mkdirSync(out, { recursive: true, mode: 0o700 })
    const write = (name: string, text: string) => {
      writeFileSync(join(out, name), text, { mode: PRIVATE })
      return join(out, name)
    }
    writeFileSync(join(out, '.gitignore'), '*\n')
    const lines = variables(opened.document).map(({ name, file, text }) => {
      const value = file === undefined ? text : write(file, text)
      return `export ${name}='${value.replaceAll("'", "'\\''")}'`
    })
    writeFileSync(script, `${[...lines, ...NOTES].join('\n')}\n`, { mode: PRIVATE })
    const what = `${lines.length} variables for the curl lines of a report`
    console.log(`. ${options.out}/variables.sh   sets ${what}`)
  } finally {
    await opened.close()
  }
}

const NOTES = [
  '# ACCESS_TOKEN, CODE and REFRESH_TOKEN: a report keeps none. Get them at the token endpoint.',
  '# CLIENT_ASSERTION, REQUEST_OBJECT and REGISTRATION_JWT are signed for one request each:',
  '# assay reproduce makes them anew.',
]

interface Variable {
  name: string
  /** Absent where the text itself is the value. */
  file?: string
  text: string
}

/** Of each certificate that a run offers its PEM and its key, and the authorities of the bank. */
function variables({ clients, refusedCertificates, trust }: TargetDocument): Variable[] {
  const offered: [name: string, transport: TransportDocument | undefined][] = [
    ['first', clients.first.transport],
    ['second', clients.second?.transport],
    ...Object.entries(refusedCertificates ?? {}),
  ]
  const pairs = offered.flatMap(([name, transport]): Variable[] => {
    const { certificate, key, passphrase } = transport ?? {}
    if (certificate === undefined || key === undefined) return []
    const pem = plainPem({ key, passphrase })
    const upper = name.toUpperCase().replace(/[^A-Z0-9]/g, '_')
    return [
      { name: `${upper}_CERT`, file: `${name}.cert.pem`, text: certificate },
      { name: `${upper}_KEY`, file: `${name}.key.pem`, text: pem },
    ]
  })
  const signed = Object.entries(clients).flatMap(([name, client]) => signing(name, client))
  const authority = { name: 'BANK_CA', file: 'bank-ca.pem', text: (trust ?? []).join('\n') }
  return [...pairs, ...signed, ...(authority.text === '' ? [] : [authority])]
}

/** What a client signs with, and what it shows when it registers. */
function signing(name: string, client: ClientDocument): Variable[] {
  const upper = name.toUpperCase()
  const { signing: own, softwareStatement, redirectUris } = client
  const variables: Variable[] = [
    { name: `${upper}_KID`, text: own.kid },
    { name: `${upper}_REDIRECT_URI`, text: redirectUris[0] ?? '' },
    { name: `${upper}_SIGNING_KEY`, file: `${name}.signing.pem`, text: plainPem(own) },
  ]
  if (softwareStatement === undefined) return variables
  const file = `${name}.statement.jwt`
  return [...variables, { name: `${upper}_STATEMENT`, file, text: softwareStatement }]
}
