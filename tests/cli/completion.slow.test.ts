import { execFileSync, spawnSync } from 'node:child_process'
import { join } from 'node:path'
import { expect, test } from 'vitest'
import { root } from '../../engine/record/root.ts'

/** `assay completion`, and what its scripts ask for. */

const MAIN = join(root, 'dist', 'cli', 'main.js')
const assay = (...words: string[]) =>
  execFileSync(process.execPath, [MAIN, ...words], { encoding: 'utf8' })
const offered = (...words: string[]) =>
  assay('complete', '--', ...words)
    .split('\n')
    .filter(Boolean)

test.each<[string[], string[]]>([
  [['ru'], ['run']],
  [['run', '--pro'], ['--profile']],
  [
    ['run', '--profile', ''],
    ['core', 'exhaustive', 'full', 'quick'],
  ],
  [['run', 'TXN-17/to'], ['TXN-17/to-alone']],
  [['run', '--only', 'TXN-17', 'TXN-17/to'], ['TXN-17/to-alone']],
  [['explain', 'product-information/e'], ['product-information/errors']],
  [['bank', '--fault', 'any-pass'], ['any-password']],
  [['bank', 'f'], ['faults']],
  [['completion', 'z'], ['zsh']],
  [
    ['init', '--layout', ''],
    ['production', 'sandbox'],
  ],
  // Files are the shell's.
  [['run', '--target', ''], []],
  [['verify', 'rep'], []],
  [['nothing', ''], []],
  [['nothi'], []],
])('after assay %j', (words, found) => {
  expect(offered(...words)).toEqual(found)
})

test('the command that answers is not offered', () => {
  expect(offered('')).not.toContain('complete')
  expect(offered('')).toContain('completion')
})

test('bash takes the script and completes', () => {
  const script = `assay() { "${process.execPath}" "${MAIN}" "$@"; }
eval "$(assay completion bash)"
COMP_WORDS=(assay run TXN-17/to); COMP_CWORD=2; _assay; printf '%s\\n' "\${COMPREPLY[@]}"`
  expect(execFileSync('bash', ['-c', script], { encoding: 'utf8' })).toBe('TXN-17/to-alone\n')
})

test.each([
  ['zhs', 'no shell is called zhs, did you mean zsh?\n'],
  ['powershell', 'no shell is called powershell. There are bash, zsh, fish\n'],
])('another shell is none: %s', (shell, words) => {
  const { status, stderr } = spawnSync(process.execPath, [MAIN, 'completion', shell])
  expect([status, `${stderr}`]).toEqual([2, words])
})
