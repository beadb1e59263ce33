import { spawnSync } from 'node:child_process'
import { mkdtempSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { extname, join } from 'node:path'
import { defaultFolder, typed } from './folders.ts'

const SAMPLE = /(?<=^```\n)Judging embedded\n[\s\S]*?(?=^```$)/m

/**
 * README.md with what a run of the reference bank prints, made anew where more than its times differ.
 *
 * @throws where the page has no such sample
 */
export function withRun(page: string): string {
  const [before] = SAMPLE.exec(page) ?? []
  if (before === undefined)
    throw new Error('README.md has no sample that begins “Judging embedded”')
  const now = printed()
  if (now === undefined || timeless(now) === timeless(before)) return page
  return page.replace(SAMPLE, () => now)
}

/** What a run prints where nothing is a terminal; undefined where the bank is not conformant. */
function printed(): string | undefined {
  const scratch = mkdtempSync(join(tmpdir(), 'assay-readme-'))
  const main = join(import.meta.dirname, `main${extname(import.meta.filename)}`)
  const inherited = Object.entries(process.env).filter(([name]) => !/^(GITHUB_|FORCE_)/.test(name))
  try {
    const { status, stdout } = spawnSync(
      process.execPath,
      [...process.execArgv, main, 'run', '--out', scratch],
      { encoding: 'utf8', env: { ...Object.fromEntries(inherited), NO_COLOR: '1' } },
    )
    return status === 0
      ? stdout.replace(/\S+(?=.report\.html)/, typed(defaultFolder('embedded')))
      : undefined
  } finally {
    rmSync(scratch, { recursive: true, force: true })
  }
}

/** Without what differs from run to run and from machine to machine; who waits longer asks more often. */
function timeless(text: string): string {
  return text
    .replace(/( *\d+ min)? *\d+(\.\d)? (ms|s)\b/g, '')
    .replace(/[\d,]+ requests/, '')
    .replace(/\d{4}-\d\d-\d\dT[\d-]+Z/g, '')
}
