import { execFileSync, spawnSync } from 'node:child_process'
import { copyFileSync, mkdirSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterEach, beforeEach, expect, test } from 'vitest'
import { root } from '../../engine/record/root.ts'

/** `npm run release`, in a repository of its own: nothing is tagged or published without its flag. */

let folder: string
const at = (...parts: string[]) => join(folder, ...parts)
const git = (...words: string[]) =>
  execFileSync('git', words, { cwd: folder, encoding: 'utf8' }).trim()
const release = (...words: string[]) => {
  const { ACTIONS_ID_TOKEN_REQUEST_URL: _, ...env } = process.env
  const script = at('build', 'release.mjs')
  const said = spawnSync(process.execPath, [script, ...words], { encoding: 'utf8', env })
  return { code: said.status, out: said.stdout, err: said.stderr }
}
const read = (file: string) => readFileSync(at(file), 'utf8')

const CHANGELOG = `# Changes

## 0.2.0, not released yet

### Added

- A certificate for $1 and $&.

## 0.1.0, 2026-01-31

- The first.
`

beforeEach(() => {
  folder = mkdtempSync(join(tmpdir(), 'assay-release-'))
  mkdirSync(at('build'))
  copyFileSync(join(root, 'build', 'release.mjs'), at('build', 'release.mjs'))
  const manifest = { name: 'assay-release-test', version: '0.1.0', private: true }
  writeFileSync(at('package.json'), JSON.stringify(manifest))
  const locked = { ...manifest, lockfileVersion: 3, packages: { '': manifest } }
  writeFileSync(at('package-lock.json'), JSON.stringify(locked))
  writeFileSync(at('CHANGELOG.md'), CHANGELOG)
  git('init', '--quiet')
  git('config', 'user.name', 'tester')
  git('config', 'user.email', 'tester@example.com')
  git('add', '.')
  git('commit', '--quiet', '--message', 'first')
})
afterEach(() => rmSync(folder, { recursive: true, force: true }))

test.each([[['0.2.0']], [['0.2.0', '--dry-run']]])(
  '%j says what changed, and changes nothing',
  (words) => {
    const head = git('rev-parse', 'HEAD')
    const { code, out, err } = release(...words)
    expect([code, err]).toEqual([0, ''])
    expect(out).toContain('0.1.0 → 0.2.0')
    expect(out).toContain('- A certificate for $1 and $&.')
    expect(out).not.toContain('The first.')
    expect([git('rev-parse', 'HEAD'), git('status', '--porcelain'), git('tag')]).toEqual([
      head,
      '',
      '',
    ])
  },
)

test('--tag writes version and day, commits, and tags with the changes', () => {
  const { code, err } = release('0.2.0', '--tag')
  expect([code, err]).toEqual([0, ''])
  expect(JSON.parse(read('package.json')).version).toBe('0.2.0')
  expect(JSON.parse(read('package-lock.json')).version).toBe('0.2.0')
  const today = new Date().toISOString().slice(0, 10)
  expect(read('CHANGELOG.md')).toBe(CHANGELOG.replace('not released yet', today))
  expect([git('status', '--porcelain'), git('describe')]).toEqual(['', 'v0.2.0'])
  expect(git('cat-file', 'tag', 'v0.2.0')).toContain('### Added\n\n- A certificate for $1 and $&.')
  // What is tagged is published by a pipeline that can prove where it was built, and by nothing else.
  const { code: refused, err: why } = release('0.2.0', '--publish')
  expect([refused, why.trim().split('\n')]).toEqual([
    2,
    [expect.stringContaining('with the permission id-token: write')],
  ])
  expect(release('0.2.0', '--tag').err).toContain('the tag v0.2.0 is there already')
})

test.each([
  [['0.3.0'], 'CHANGELOG.md has no heading “## 0.3.0, not released yet”'],
  [['v0.2.0'], 'v0.2.0 is no version'],
  [['0.2.0', '--publish'], 'the tag v0.2.0 is not at this commit'],
  [['0.2.0', '--tag', '--publish'], 'npm run release -- VERSION'],
  [[], 'npm run release -- VERSION'],
])('%j is refused in a line, and nothing is changed', (words, says) => {
  const { code, out, err } = release(...words)
  expect([code, out]).toEqual([2, ''])
  expect(err).toContain(says)
  expect(err).not.toMatch(/\n\s+at /)
  expect([git('status', '--porcelain'), git('tag')]).toEqual(['', ''])
})

test('an empty list of changes, a version that is not later, and files that are changed are told together', () => {
  writeFileSync(at('CHANGELOG.md'), '# Changes\n\n## 0.0.9, not released yet\n\n## 0.0.8\n')
  const { code, err } = release('0.0.9', '--tag')
  expect([code, err.trim().split('\n')]).toEqual([
    2,
    [
      'CHANGELOG.md lists nothing under 0.0.9.',
      'files are changed and not committed: CHANGELOG.md',
      '0.0.9 is not later than 0.1.0 of package.json',
    ],
  ])
  expect(git('tag')).toBe('')
})

test('the changelog of the project has a heading for what comes next', () => {
  const { version } = JSON.parse(readFileSync(join(root, 'package.json'), 'utf8'))
  const changelog = readFileSync(join(root, 'CHANGELOG.md'), 'utf8')
  expect(changelog).toMatch(/^## \d+\.\d+\.\d+, (not released yet|\d{4}-\d\d-\d\d)$/m)
  expect(changelog).toContain(`## ${version}, `)
})
