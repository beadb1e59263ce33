import { readFileSync } from 'node:fs'
import { join } from 'node:path'
import { root } from '../engine/record/root.ts'
import { complain, shown } from '../engine/report/terminal.ts'

const { engines } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))

/** The ranges that `engines` of package.json lists, each `^20.19.0` or `>=24.0.0`. */
const ranges = (engines.node as string).split(' || ').map((range) => {
  const [major = 0, minor = 0] = range.replace(/^\D+/, '').split('.').map(Number)
  return { major, minor, andLater: range.startsWith('>=') }
})

/**
 * Why this version of Node is refused: `engines` of package.json does not allow it. Some module would fail there with
 * an error of its own. Undefined if it is allowed.
 */
export function refusalOf(version: string): string | undefined {
  const [own = 0, ownMinor = 0] = version.split('.').map(Number)
  const isAllowed = ranges.some(
    ({ major, minor, andLater }) =>
      (own === major && ownMinor >= minor) || (andLater && own > major),
  )
  if (isAllowed) return undefined
  const needed = ranges.map(({ major, minor, andLater }) => {
    const least = minor === 0 ? `${major}` : `${major}.${minor}`
    return andLater ? `${least} and later` : `${least} or newer ${major}`
  })
  const list = new Intl.ListFormat('en', { type: 'disjunction' }).format(needed)
  return `Assay needs Node ${list}. This is Node ${version}.`
}

const refusal = refusalOf(process.versions.node)
if (refusal !== undefined) {
  complain(shown`${refusal}`)
  process.exit(2)
}
