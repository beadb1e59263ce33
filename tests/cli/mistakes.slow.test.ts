import { execFile } from 'node:child_process'
import { mkdtempSync, rmSync, symlinkSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, describe, expect, test } from 'vitest'
import { mistakeIn } from '../../cli/command.ts'
import { main } from '../built.ts'

/** A folder in which almost nothing of what is named is there. */
const folder = mkdtempSync(join(tmpdir(), 'assay-mistakes-'))
symlinkSync('loopy', join(folder, 'loopy'))
writeFileSync(join(folder, 'a.har'), '')
symlinkSync('a.har', join(folder, 'link.har'))
afterAll(() => rmSync(folder, { recursive: true }))

function assay(line: string): Promise<{ code: unknown; said: string; stdout: string }> {
  const words = line.split(' ').slice(1)
  return new Promise((done) => {
    execFile(process.execPath, [main, ...words], { cwd: folder }, (error, stdout, stderr) =>
      done({ code: error?.code ?? 0, said: stderr.trimEnd(), stdout }),
    )
  })
}

describe('the command line', () => {
  test.each([
    [
      'assay run --targt x',
      'unknown option --targt, did you mean --target?\nSee npx assay run --help',
    ],
    ['assay rnu', 'unknown command rnu, did you mean run?\nSee npx assay --help'],
    ['assay --foo', 'unknown option --foo\nSee npx assay --help'],
    ['assay run --target', '--target <file> needs a value\nSee npx assay run --help'],
    ['assay credentials', '--out <folder> is missing\nSee npx assay credentials --help'],
    ['assay explain', '<id> is missing\nSee npx assay explain --help'],
    ['assay plan extra', 'only options may follow\nSee npx assay plan --help'],
    [
      'assay plan my-bank.yaml',
      'only options may follow, did you mean --target my-bank.yaml?\nSee npx assay plan --help',
    ],
    ['assay explain a b', 'too many words follow\nSee npx assay explain --help'],
    [
      'assay generate --chek',
      'unknown option --chek, did you mean --check?\nSee npx assay generate --help',
    ],
    [
      'assay deviations intt',
      'unknown command intt, did you mean init?\nSee npx assay deviations --help',
    ],
    ['assay deviations init', '<folder> is missing\nSee npx assay deviations init --help'],
  ])('%s', async (line, says) => {
    expect(await assay(line)).toEqual({ code: 2, said: says, stdout: '' })
  })

  test.each([
    ['run', '--sign'],
    ['run', '--baseline'],
    ['run', '--out'],
    ['run', '--target'],
    ['run', '--notify'],
    ['judge', 'a.har', '--history'],
    ['tpp', '--watch'],
    ['deviations', 'init', 'folder', '--out'],
  ])('assay %s %s with a variable that is not set', async (...words) => {
    const option = words.at(-1)
    expect(await assay(`assay ${words.join(' ')} `)).toEqual({
      code: 2,
      said: `${option} is empty: its variable may not be set. Leave ${option} out, or give a value.`,
      stdout: '',
    })
  })

  test('several words that may be meant', () => {
    expect(mistakeIn("error: unknown option '--ba'\n(Did you mean one of --bar, --baz?)")).toBe(
      'unknown option --ba, did you mean --bar or --baz?',
    )
  })

  test.each([
    ['assay run --target no.yaml', /no\.yaml:1:1: .* there is no such file\. Correct --target\.$/],
    [
      'assay run --history .',
      /^the history \. can't be read: it is a folder\. Name another file\.$/,
    ],
    ['assay run --parallel 2', /^--parallel is for several banks/],
    ['assay run --parallel x --target a --target b', /^--parallel takes a whole number .* not x$/],
    ['assay run --target a --target b', /^--target a: there is no such file$/],
    [
      'assay tpp --tpp no.yaml',
      /there is no such file\. Correct --tpp\. npx assay init --tpp no\.yaml/,
    ],
    ['assay run a.yaml', /^--only a\.yaml selects nothing\. Did you mean --target a\.yaml\?$/],
    ['assay tpp a.yaml', /^--only a\.yaml selects nothing\. Did you mean --tpp a\.yaml\?$/],
    ['assay init --tpp /proc/a.yaml', /^--tpp \/proc\/a\.yaml can't be written to: /],
    ['assay run TXN-17,TXN-18', /^--only TXN-17,TXN-18 selects nothing\. Write spaces between/],
    ['assay tpp XX-1', /selects nothing/],
    ['assay plan --target no.yaml', /there is no such file\. Correct --target\.$/],
    ['assay init --layout x --yes', /^--layout is one of production, sandbox, not "x"$/],
    ['assay reproduce TXN-17/both --export x', /^--export is curl, har, postman, bruno, not x$/],
    ['assay bank fautls', /^unknown word fautls, did you mean faults\?/],
    ['assay bank --info no/bank.yaml', /^--info no\/bank\.yaml: there is no folder no/],
    ['assay prove --tpp x', /^no TPP is called x\. All of them: npx assay prove --tpp$/],
    ['assay prove --at 2026-01-01T00:00:00Z --zone x', /^--zone takes a time zone such as/],
    ['assay report no', /is not the folder of a run$/],
    ['assay diff a b', /^a\/report\.json does not exist/],
    ['assay overview no', /^no run is in no: no report\.json is there/],
    ['assay sign no --key no', /^--key no can't be read: there is no such file$/],
    ['assay verify no', /^no does not exist$/],
    ['assay pack no', /is not the folder of a run$/],
    ['assay deviations init no', /is not the folder of a run$/],
    ['assay credentials --out x --target no', /there is no such file\. Correct --target\.$/],
    ['assay judge loopy', /^loopy can't be read: ELOOP.* Name another file\.$/],
    ['assay judge a.har a.har', /^a\.har is named twice: name it once$/],
    ['assay judge a.har ./a.har', /^\.\/a\.har is the same file as a\.har: name it once$/],
    ['assay judge a.har link.har', /^link\.har is the same file as a\.har: name it once$/],
    ['assay completion bsh', /^no shell is called bsh, did you mean bash\?$/],
  ])('%s: at most two lines, and exit code 2', async (line, says) => {
    const { code, said, stdout } = await assay(line)
    expect(said).toMatch(says)
    expect(said.split('\n').length).toBeLessThan(3)
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })
})
