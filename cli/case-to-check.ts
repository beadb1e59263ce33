import { execFileSync } from 'node:child_process'
import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Catalogue, Requirement } from '../engine/catalogue/catalogue.ts'
import { requirementOfFound } from '../engine/explore/case-file.ts'
import { moveWords } from '../engine/model/moves.ts'
import { ASSAY } from '../engine/record/program.ts'
import { root } from '../engine/record/root.ts'
import { writeWhole } from '../engine/record/write-whole.ts'
import { say, shown } from '../engine/report/terminal.ts'
import type { ReadCase } from './kept-cases.ts'
import { UsageError } from './usage.ts'

/**
 * `assay explore --cases FILE --as-check ID`: writes a kept history as a check of the suites, and its id into specs/.
 *
 * @param folder of the clone
 * @throws UsageError when there is not exactly one case, or the id does not fit its requirement or is taken
 */
export function writeAsCheck(
  id: string,
  cases: readonly ReadCase[] | undefined,
  catalogue: Catalogue,
  folder = root,
): void {
  const [only, another] = cases ?? []
  if (!only || another) {
    throw new UsageError('--as-check takes the case of one file: --cases FILE.yaml')
  }
  const requirement = requirementOfFound(only.read.found, catalogue) as Requirement
  requireFree(id, requirement, catalogue)
  const slug = id.slice(id.indexOf('/') + 1)
  const suite = join('suites', requirement.chapter, `${slug}.check.ts`)
  const file = join(folder, specs(requirement))
  if (![join(folder, 'suites', requirement.chapter), file].every(existsSync)) {
    throw new UsageError(`--as-check works in a clone of Assay: ${folder} has no ${suite}`)
  }
  if (existsSync(join(folder, suite))) throw new UsageError(`${suite} is there already`)
  const texts = [
    [file, withCheck(readFileSync(file, 'utf8'), requirement, id)],
    [join(folder, suite), checkText(id, requirement, only.read)],
  ] as const
  for (const [path, text] of texts) writeWhole(path, text)
  say(
    shown`written  ${suite}\nwritten  ${specs(requirement)}: ${id} is a check of ${requirement.id}`,
  )
  say(shown`Next: a fault that fails ${id}, in proof/faults/${requirement.chapter}.ts, and`)
  say(shown`  npm run build && ${ASSAY} prove --check ${id}`)
}

function requireFree(id: string, requirement: Requirement, { owners }: Catalogue): void {
  if (!new RegExp(`^${requirement.id}/[a-z][a-z0-9-]*$`).test(id)) {
    throw new UsageError(
      `--as-check ${id}: the case breaks ${requirement.id}, so write ${requirement.id}/ and words in small letters`,
    )
  }
  if (owners.has(id)) throw new UsageError(`--as-check ${id}: there is such a check already`)
}

/** The file of a requirement, below the root: `specs/account-information/life-cycle.yaml`. */
const specs = ({ place }: Requirement) => place.replace(/:\d+(?::\d+)?$/, '')

/** The text of a file of specs/ with one more check. */
function withCheck(text: string, { id: requirement }: Requirement, id: string): string {
  const start = text.indexOf(`- id: ${requirement}\n`)
  const list = text.indexOf('\n  checks: [', start)
  const end = text.indexOf(']', list)
  const next = text.indexOf('\n- id: ', start + 1)
  if (start < 0 || list < 0 || end < 0 || (next >= 0 && list > next)) {
    throw new UsageError(
      `${requirement} has no list of checks in brackets. Add ${id} to it by hand.`,
    )
  }
  return `${text.slice(0, end)}, ${id}${text.slice(end)}`
}

function checkText(
  id: string,
  { text, chapter }: Requirement,
  { moves }: ReadCase['read'],
): string {
  const words = id.slice(id.indexOf('/') + 1).replaceAll('-', ' ')
  const title = `${text.replace(/\.$/, '')}: ${words}`
  const up = '../'.repeat(chapter.split('/').length + 1)
  return formatted(
    [
      `import { historyCheck } from '${up}engine/suite-api/history-check.ts'`,
      '',
      `/** A history that \`assay explore\` found. Requirements: specs/${chapter}.yaml */`,
      '',
      `historyCheck(${JSON.stringify(id)}, ${JSON.stringify(title)}, [`,
      ...moves.flatMap((move, at) => [
        `// ${at + 1}. ${moveWords(move)}`,
        `${JSON.stringify(move)},`,
      ]),
      '])',
    ].join('\n'),
  )
}

/** Formats TypeScript with the formatter of the clone. */
function formatted(input: string): string {
  const biome = join(root, 'node_modules', '@biomejs', 'biome', 'bin', 'biome')
  const options = { cwd: root, input, encoding: 'utf8' } as const
  return execFileSync(process.execPath, [biome, 'format', '--stdin-file-path=a.ts'], options)
}
