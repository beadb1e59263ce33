/**
 * Which test files take long: those that, by themselves or by what they import of tests/, judge a whole
 * bank or TPP, start another process or open a browser. Read off their text, so that nobody keeps a list.
 */
import { readdirSync, readFileSync } from 'node:fs'
import { dirname, join, relative, resolve } from 'node:path'

const SLOW =
  /\b(judgeBank|openProofContext|findBrowser|launch|spawn|spawnSync|execFile|execFileSync|fork|createRun|openJudging|supervise|inProcess|openTppProofs)\(|(?<!function )\bcertified\(|\bexecFile\b|main\.js/

/** Paths of all others, relative to the root. */
export function fastTests(root) {
  const known = new Map()
  const slow = (file) => {
    if (known.has(file)) return known.get(file)
    known.set(file, false)
    const source = readFileSync(file, 'utf8')
    const local = [...source.matchAll(/from '(\.[^']+\.ts)'/g)]
      .map(([, path]) => resolve(dirname(file), path))
      .filter((path) => path.startsWith(join(root, 'tests')))
    known.set(file, SLOW.test(source) || local.some(slow))
    return known.get(file)
  }
  return readdirSync(join(root, 'tests'), { recursive: true })
    .filter((name) => name.endsWith('.test.ts'))
    .map((name) => join(root, 'tests', name))
    .filter((file) => !slow(file))
    .map((file) => relative(root, file))
    .sort()
}
