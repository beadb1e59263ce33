import { existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { makeFolder } from '../engine/record/make-folder.ts'
import { ASSAY, word } from '../engine/record/program.ts'
import { root } from '../engine/record/root.ts'
import { say, shown } from '../engine/report/terminal.ts'
import { UsageError, written } from './usage.ts'

const tppFile = (name: string, schema: string) => `# yaml-language-server: $schema=${schema}
# The client that assay tpp judges. docs/tpp.md says what each member means.
name: ${name}
client:
  driver: command
  # Started once for each goal. It reads the file that ASSAY_BRIEFING names; exit code 0 says "I have
  # what I was asked for", exit code 10 "I refused", with the reason on its last line.
  command: [node, my-client.mjs]
  timeout: 30
# What it can do; take out what it cannot.
goals: [connect, connect-another, read, reconfirm, disconnect, confirm-funds, products]
# Its own redirect URIs and public keys, where it has them:
# redirectUris: [https://tpp.example/callback]
# jwks: my-jwks.json
# transport: my-transport.pem
`

/** `assay init --tpp`: writes the file that describes a client. */
export async function initTpp(path: string): Promise<void> {
  if (existsSync(path)) throw new UsageError(`${path} is there already. Name another file.`)
  const name = basename(path)
    .replace(/\.ya?ml$/, '')
    .replace(/[^A-Za-z0-9._-]+/g, '-')
    .slice(0, 64)
  const schema = join(root, 'schemas', 'assay', 'tpp.schema.json')
  const place = relative(dirname(resolve(path)), schema)
  const text = tppFile(/^[A-Za-z0-9]/.test(name) ? name : 'my-tpp', place)
  await written('--tpp', path, () => {
    makeFolder(dirname(resolve(path)))
    writeFileSync(path, text)
  })
  const example = relative(process.cwd(), join(root, 'docs', 'example-client.mjs'))
  say(shown`${path} is written. Name your program in it; ${example} is an example.`)
  say(shown`then  ${ASSAY} doctor --tpp ${word(path)}`)
  say(shown`and   ${ASSAY} tpp --tpp ${word(path)}`)
}
