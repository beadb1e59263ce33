/**
 * The command line as it is shipped: what tests start as a process of its own begins there, in half the
 * time that the sources need. It is built before the first test where a source is younger.
 */
import { execFileSync } from 'node:child_process'
import { existsSync, readdirSync, statSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { forgetAll, ownTemporaries } from './once.ts'

const root = resolve(import.meta.dirname, '..')

export const main = join(root, 'dist', 'cli', 'main.js')

/** What the build writes last. */
const BUILT = join(root, 'dist', 'validators', 'product-information.products.cjs')

const SOURCES = ['engine', 'suites', 'bank', 'proof', 'authoring', 'cli', 'build']

function stale(): boolean {
  if (!existsSync(BUILT)) return true
  const { mtimeMs: built } = statSync(BUILT)
  return SOURCES.some((folder) =>
    readdirSync(join(root, folder), { recursive: true, encoding: 'utf8' }).some(
      (name) => statSync(join(root, folder, name)).mtimeMs > built,
    ),
  )
}

/** Before the tests, once; and after them. */
export default function setup(): () => void {
  if (stale()) execFileSync('npm', ['run', '-s', 'build'], { cwd: root, stdio: 'inherit' })
  ownTemporaries()
  return forgetAll
}
