import { existsSync, statSync } from 'node:fs'
import { dirname, resolve } from 'node:path'
import { isScalar, visit } from 'yaml'
import { readPlain } from '../record/read-plain.ts'
import { sourceOf } from '../yaml/source.ts'

/** Members whose files contain secrets. */
const SECRET = /^(key|pkcs12|passphrase|password|pin|softwareStatement)$/

/** Mode bit: others than the owner and their group may read the file. */
const BY_OTHERS = 0o004

/**
 * Files with secrets that everybody on the machine can read: those that a target file names, and the target file itself
 * where it contains a private key.
 */
export function exposedFiles(targetFile: string): string[] {
  const text = readPlain(targetFile).toString('utf8')
  const found = new Set<string>()
  if (text.includes('PRIVATE KEY-----')) found.add(targetFile)
  visit(sourceOf(targetFile, text).document, {
    Pair(_, { key, value }) {
      if (!isScalar(key) || !SECRET.test(String(key.value)) || !isScalar(value)) return
      const name = /^file:([^$]+)$/.exec(String(value.value))?.[1]
      if (name !== undefined) found.add(resolve(dirname(targetFile), name))
    },
  })
  return [...found].filter((file) => existsSync(file) && (statSync(file).mode & BY_OTHERS) !== 0)
}
