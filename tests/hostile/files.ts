import { type ChildProcess, execFileSync, spawn } from 'node:child_process'
import {
  existsSync,
  mkdirSync,
  mkdtempSync,
  readdirSync,
  readFileSync,
  rmSync,
  symlinkSync,
  writeFileSync,
} from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { unzipSync, zipSync } from 'fflate'
import { expect } from 'vitest'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { root } from '../../engine/record/root.ts'
import type { Report } from '../../engine/report/report.ts'
import { openBank } from '../directory.ts'
import { targetFile } from '../evidence/cli.ts'
import type { Situation } from './situation.ts'

/** Files, folders, signals and clocks that a run meets on the machine where it runs. */

interface Ended {
  code: number | null
  stdout: string
  stderr: string
}

interface Started {
  child: ChildProcess
  ended: Promise<Ended>
}

/** The built command line in a process group of its own, which needs `npm run build`. */
function assay(
  words: string[],
  options: { cwd?: string; limit?: string; env?: object } = {},
): Started {
  const command = [process.execPath, join(root, 'dist', 'cli', 'main.js'), ...words]
  const [file = '', ...args] = options.limit
    ? ['/bin/sh', '-c', `${options.limit}; exec "$@"`, 'sh', ...command]
    : command
  const env = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$|GITHUB_)/.test(name)),
  )
  const child = spawn(file, args, {
    cwd: options.cwd ?? root,
    env: { ...env, ...options.env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  let stdout = ''
  let stderr = ''
  child.stdout?.on('data', (chunk) => {
    stdout += chunk
  })
  child.stderr?.on('data', (chunk) => {
    stderr += chunk
  })
  const ended = new Promise<Ended>((done) =>
    child.on('close', (code) => done({ code, stdout, stderr })),
  )
  return { child, ended }
}

const NO_CODE = /\n\s+at .+:\d+:\d+\)?/

function expectOneLine({ code, stdout, stderr }: Ended, exit: number, words: RegExp): void {
  expect(`${stderr}${stdout}`).toMatch(words)
  expect(stderr + stdout).not.toMatch(NO_CODE)
  expect(stderr.trim().split('\n').length, stderr).toBeLessThan(12)
  expect(code).toBe(exit)
}

async function inFolder<T>(run: (folder: string) => Promise<T>): Promise<T> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-hostile-'))
  try {
    return await run(folder)
  } finally {
    rmSync(folder, { recursive: true, force: true })
  }
}

/** A run of the reference bank into a folder; `ready` once it has judged something. */
function running(out: string, words: string[] = []): Started {
  return assay(['run', '--out', out, ...words])
}

async function until(holds: () => boolean, { child }: Started, seconds = 200): Promise<void> {
  const end = Date.now() + seconds * 1000
  while (!holds() && child.exitCode === null && child.signalCode === null) {
    if (Date.now() > end) throw new Error(`waited ${seconds} s`)
    await new Promise((done) => setTimeout(done, 10))
  }
}

const judgedIn = (out: string) => () =>
  existsSync(join(out, 'judged.jsonl')) &&
  readFileSync(join(out, 'judged.jsonl'), 'utf8').split('\n').length > 20

const reportIn = (out: string) =>
  JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as Report

function situation(
  id: string,
  what: string,
  expected: string,
  run: (folder: string) => Promise<void>,
  seconds = 240,
): Situation {
  return {
    id,
    what,
    expected,
    seconds,
    megabytes: 300,
    async run() {
      await inFolder(run)
      return undefined
    },
  }
}

const target = (folder: string, content: string) => {
  const file = join(folder, 'target.yaml')
  writeFileSync(file, content)
  return file
}

const REFUSED = 'One line for each mistake, exit code 2, at once.'

function refused(id: string, what: string, make: (folder: string) => string): Situation {
  return refusedWords(id, what, (folder) => ['plan', '--target', make(folder)])
}

function refusedWords(id: string, what: string, make: (folder: string) => string[]): Situation {
  return situation(
    `target/${id}`,
    what,
    REFUSED,
    async (folder) => {
      const { child, ended } = assay(make(folder))
      const killer = setTimeout(() => process.kill(-(child.pid ?? 0), 'SIGKILL'), 100_000)
      const end = await ended
      expectOneLine(end, 2, /./)
      // biome-ignore lint/suspicious/noControlCharactersInRegex: what a terminal would obey
      expect(end.stderr).not.toMatch(/[\u001b\u0007\u202e]/)
      clearTimeout(killer)
    },
    120,
  )
}

const fifo = (folder: string) => {
  const file = join(folder, 'fifo')
  execFileSync('mkfifo', [file])
  return file
}

const bomb = () => {
  const levels = Array.from({ length: 12 }, (_, n) =>
    n === 0
      ? 'l0: &l0 [x,x,x,x,x,x,x,x,x,x]'
      : `l${n}: &l${n} [${Array(10)
          .fill(`*l${n - 1}`)
          .join()}]`,
  )
  return `name: bomb\n${levels.join('\n')}\n`
}

const mergeBomb = () =>
  Array.from({ length: 12 }, (_, n) =>
    n === 0
      ? 'l0: &l0 {a: 1}'
      : `l${n}: &l${n} {${Array.from({ length: 10 }, (_, m) => `k${m}: {<<: *l${n - 1}}`).join(', ')}}`,
  ).join('\n')

/** What else a command line names. */
const OTHER_FILES: [option: string, words: string[]][] = [
  ['--deviations', ['run', '--only', 'DISC-01', '--deviations']],
  ['--baseline', ['run', '--only', 'DISC-01', '--baseline']],
  ['--failed', ['run', '--failed']],
  ['--sign', ['run', '--only', 'DISC-01', '--sign']],
  ['report', ['report']],
  ['verify', ['verify']],
  ['tpp', ['tpp', '--tpp']],
]

const PEM = (path: string) => `name: a\ntrust:\n  - file:${path}\n`

const targets: Situation[] = [
  refused(
    'alias-bomb',
    'A target file has aliases of aliases, ten to the power of twelve values.',
    (folder) => target(folder, bomb()),
  ),
  refused('many-members', 'A target file has 400,000 members.', (folder) =>
    target(folder, Array.from({ length: 400_000 }, (_, n) => `m${n}: ${n}`).join('\n')),
  ),
  refused('deep', 'A target file is nested 20,000 levels deep.', (folder) =>
    target(folder, `name: ${'['.repeat(20_000)}${']'.repeat(20_000)}`),
  ),
  refused('fifo', 'The target file is a FIFO that nobody writes to.', fifo),
  refused('device', 'The target file is /dev/zero.', () => '/dev/zero'),
  refused('folder', 'The target file is a folder.', (folder) => folder),
  refused('binary', 'The target file is a megabyte of NUL.', (folder) =>
    target(folder, '\0'.repeat(1_000_000)),
  ),
  refused('empty', 'The target file is empty.', (folder) => target(folder, '')),
  refused('file-fifo', 'A value is file: of a FIFO.', (folder) =>
    target(folder, PEM(fifo(folder))),
  ),
  refused('file-device', 'A value is file:/dev/zero.', (folder) =>
    target(folder, PEM('/dev/zero')),
  ),
  refused('file-folder', 'A value is file: of a folder.', (folder) => target(folder, PEM('/tmp'))),
  refused('file-terminal', 'A value is file:/dev/tty.', (folder) =>
    target(folder, PEM('/dev/tty')),
  ),
  refused('link-to-a-device', 'The target file is a link to /dev/zero.', (folder) => {
    const file = join(folder, 'target.yaml')
    symlinkSync('/dev/zero', file)
    return file
  }),
  refused('merge-bomb', 'A target file merges mappings into each other, ten by ten.', (folder) =>
    target(folder, mergeBomb()),
  ),
  refused('names-of-objects', 'Members are named __proto__, constructor and toString.', (folder) =>
    target(folder, 'name: a\n__proto__: {a: 1}\nconstructor: {prototype: {a: 1}}\ntoString: 1\n'),
  ),
  refused(
    'tags',
    'Values have tags that some parsers run: !!js/function, !!python/object.',
    (folder) =>
      target(
        folder,
        "name: !!js/function 'function () { process.exit(7) }'\nb: !!python/object:os.x []\n",
      ),
  ),
  refused('utf-16', 'The target file is UTF-16.', (folder) => {
    const file = join(folder, 'target.yaml')
    writeFileSync(file, Buffer.from('\ufeffname: a\n', 'utf16le'))
    return file
  }),
  refused('many-documents', 'The target file has 50,000 documents.', (folder) =>
    target(folder, '---\na: 1\n'.repeat(50_000)),
  ),
  refused('controls', 'Names in the target file are sequences for the terminal.', (folder) =>
    target(folder, '"\\e[2J\\e]0;x\\a\\u202e": 1\n'),
  ),
  ...OTHER_FILES.flatMap(([option, words]) => [
    refusedWords(`${option}-fifo`, `${option} is a FIFO that nobody writes to.`, (folder) => [
      ...words,
      fifo(folder),
    ]),
    refusedWords(`${option}-device`, `${option} is /dev/zero.`, () => [...words, '/dev/zero']),
  ]),
  refused('file-large', 'A value is file: of 50 MB.', (folder) => {
    writeFileSync(join(folder, 'large.pem'), 'x'.repeat(50_000_000))
    return target(folder, PEM('large.pem'))
  }),
]

const folders: Situation[] = [
  situation('files/out-is-a-file', '--out is a file.', 'One line, exit code 2.', async (folder) => {
    const out = join(folder, 'out')
    writeFileSync(out, 'mine')
    expectOneLine(await running(out).ended, 2, /out/)
    expect(readFileSync(out, 'utf8')).toBe('mine')
  }),
  situation(
    'files/out-below-a-file',
    '--out is below a file, so that it cannot be made.',
    'One line, exit code 2.',
    async (folder) => {
      writeFileSync(join(folder, 'file'), '')
      expectOneLine(await running(join(folder, 'file', 'out')).ended, 2, /cannot be written/)
    },
  ),
  situation(
    'files/out-in-proc',
    '--out is in a file system that takes no files.',
    'One line, exit code 2.',
    async () => expectOneLine(await running('/proc/assay-out').ended, 2, /cannot be written/),
  ),
  situation(
    'files/disk-full',
    'The disk is full in the midst of the run: no file grows beyond 100 kB.',
    'It ends with 5 and a line; nothing is half written; no consent is left.',
    async (folder) => {
      const out = join(folder, 'out')
      const { code, stderr, stdout } = await assay(['run', '--out', out], {
        limit: 'ulimit -f 200',
      }).ended
      expect(code, stdout).toBe(5)
      expect(stderr + stdout).not.toMatch(NO_CODE)
      expect(stderr + stdout).toMatch(/written/)
      expect(readdirSync(out).filter((name) => name.endsWith('.tmp'))).toEqual([])
      if (existsSync(join(out, 'report.json'))) reportIn(out)
    },
  ),
  situation(
    'files/two-runs-one-out',
    'Two runs write into the same --out.',
    'The second says so and ends with 2; the first is unharmed.',
    async (folder) => {
      const out = join(folder, 'out')
      const first = running(out)
      await until(judgedIn(out), first)
      expectOneLine(await running(out).ended, 2, /Another run, process \d+, uses/)
      expect((await first.ended).code).toBe(0)
      expect(readdirSync(out)).not.toContain('.assay.lock')
    },
  ),
  situation(
    'files/two-runs-one-bank',
    'Two runs judge the same bank from the same target file.',
    'The second says so and ends with 2; the first is unharmed.',
    async (folder) => {
      const bank = await openBank()
      try {
        const file = targetFile(folder, structuredClone(bank.target) as TargetDocument)
        const first = assay(['run', '--target', file, '--out', join(folder, 'a')])
        await until(judgedIn(join(folder, 'a')), first)
        const second = assay(['run', '--target', file, '--out', join(folder, 'b')])
        expectOneLine(await second.ended, 2, /Another run, process \d+, uses/)
        expect((await first.ended).code).toBe(0)
      } finally {
        await bank.close()
      }
    },
  ),
  situation(
    'files/many-runs-one-stale-lock',
    'Five runs begin at once in a folder with the lock of a run that is gone.',
    'One of them runs; the others say so and end with 2.',
    async (folder) => {
      const out = join(folder, 'out')
      mkdirSync(out)
      writeFileSync(join(out, '.assay.lock'), '999999999')
      const runs = Array.from({ length: 5 }, () => running(out))
      const codes = (await Promise.all(runs.map(({ ended }) => ended))).map(({ code }) => code)
      expect(codes.filter((code) => code === 0).length, codes.join()).toBeGreaterThan(0)
      expect(
        codes.filter((code) => code !== 0 && code !== 2),
        codes.join(),
      ).toEqual([])
      expect(reportIn(out).problems).toEqual([])
      expect(readdirSync(out).filter((name) => name.startsWith('.assay.lock'))).toEqual([])
    },
  ),
  situation(
    'files/names-are-folders',
    'Names of files that a run writes are folders.',
    'One line, exit code 2 or 5; nothing of them is removed.',
    async (folder) => {
      for (const name of [
        'report.json',
        'exchanges.jsonl',
        'judged.jsonl',
        'report.html',
        'junit.xml',
      ]) {
        const out = join(folder, name.replace('.', '-'))
        mkdirSync(join(out, name), { recursive: true })
        writeFileSync(join(out, name, 'mine'), '')
        const { code, stdout, stderr } = await running(out, ['--only', 'DISC-01']).ended
        expect(stdout + stderr, name).not.toMatch(NO_CODE)
        expect([2, 5], `${name}: ${stdout}${stderr}`).toContain(code)
        expect(existsSync(join(out, name, 'mine')), name).toBe(true)
      }
    },
  ),
  situation(
    'files/disk-of-a-page',
    'The disk is full from the beginning: no file grows beyond 4 kB.',
    'One line, exit code 2 or 5; nobody reads our code.',
    async (folder) => {
      const { code, stderr, stdout } = await assay(['run', '--out', join(folder, 'out')], {
        limit: 'ulimit -f 8',
      }).ended
      expect([2, 5], stdout + stderr).toContain(code)
      expect(stderr + stdout).not.toMatch(NO_CODE)
    },
  ),
  situation(
    'files/stale-lock',
    'A lock was left by a run that is gone.',
    'It counts for nothing.',
    async (folder) => {
      const out = join(folder, 'out')
      mkdirSync(out)
      writeFileSync(join(out, '.assay.lock'), '999999999')
      expect((await assay(['run', '--out', out, '--only', 'DISC-*']).ended).code).toBe(0)
    },
  ),
  situation(
    'files/all-killed',
    'Every process of a run is killed (SIGKILL); assay report is called with its folder.',
    'All outputs are made of what was judged.',
    async (folder) => {
      const out = join(folder, 'out')
      const run = running(out)
      await until(judgedIn(out), run)
      process.kill(-(run.child.pid ?? 0), 'SIGKILL')
      await run.ended
      const { code, stderr } = await assay(['report', out]).ended
      expect(code, stderr).toBe(0)
      const { verdict, summary, problems } = reportIn(out)
      expect({ verdict, problems }).toEqual({ verdict: 'error', problems: ['the run was killed'] })
      expect(summary.pass).toBeGreaterThan(5)
      expect(summary.notRun).toBeGreaterThan(50)
      for (const name of ['report.html', 'junit.xml']) {
        expect(existsSync(join(out, name)), name).toBe(true)
      }
    },
  ),
  situation(
    'files/nothing-to-report',
    'assay report is called with a folder that holds no run.',
    'One line, exit code 2.',
    async (folder) =>
      expectOneLine(await assay(['report', folder]).ended, 2, /is not the folder of a run/),
  ),
]

/** Archives as somebody makes them who means harm; nothing is unpacked but in memory. */
const ARCHIVES: Record<string, { what: string; make(): Uint8Array }> = {
  'leads-out': {
    what: 'has names that lead out of any folder',
    make: () =>
      zipSync({ '../../../evil': HARMLESS, '/tmp/assay-evil': HARMLESS, 'C:\\evil': HARMLESS }),
  },
  bomb: {
    what: 'is a gigabyte of zeros and more',
    make: () =>
      zipSync({
        'report.json': new Uint8Array(300_000_000),
        b: new Uint8Array(300_000_000),
        c: new Uint8Array(300_000_000),
        d: new Uint8Array(300_000_000),
      }),
  },
  'lies-of-its-size': {
    what: 'says of 100 MB that they are 10 bytes',
    make() {
      const archive = Buffer.from(zipSync({ 'report.json': new Uint8Array(100_000_000) }))
      const directory = archive.indexOf(Buffer.from([0x50, 0x4b, 1, 2]))
      archive.writeUInt32LE(10, 22)
      archive.writeUInt32LE(10, directory + 24)
      return archive
    },
  },
  cut: {
    what: 'was cut in the middle',
    make: () => zipSync({ 'report.json': HARMLESS, b: new Uint8Array(1000) }).subarray(0, 90),
  },
  'no-archive': { what: 'is no archive', make: () => Buffer.from('PK is not enough') },
}

const HARMLESS = Buffer.from('{}')

const archives: Situation[] = [
  ...Object.entries(ARCHIVES).map(([id, { what, make }]) =>
    situation(
      `archive/${id}`,
      `assay verify is called with an archive that ${what}.`,
      'One line, exit code 1 or 2; no file is written anywhere.',
      async (folder) => {
        const inside = join(folder, 'a', 'b')
        mkdirSync(inside, { recursive: true })
        const file = join(inside, 'run.zip')
        writeFileSync(file, make())
        const { code, stdout, stderr } = await assay(['verify', file], { cwd: inside }).ended
        expect(stdout + stderr).not.toMatch(NO_CODE)
        expect([1, 2], stdout + stderr).toContain(code)
        expect(readdirSync(inside)).toEqual(['run.zip'])
        expect([...readdirSync(folder), ...readdirSync(join(folder, 'a'))]).toEqual(['a', 'b'])
        expect(existsSync('/tmp/assay-evil')).toBe(false)
      },
    ),
  ),
  situation(
    'archive/links-in-a-run',
    'assay pack is called with a folder whose files are links to others of the machine.',
    'What is no part of the run is not packed.',
    async (folder) => {
      const out = join(folder, 'out')
      expect((await running(out, ['--only', 'DISC-01']).ended).code).toBe(0)
      for (const name of ['observations.json', 'diff.md']) {
        rmSync(join(out, name), { force: true })
        symlinkSync('/etc/passwd', join(out, name))
      }
      const file = join(folder, 'run.zip')
      const { stdout, stderr } = await assay(['pack', out, '--out', file]).ended
      expect(stdout + stderr).not.toMatch(NO_CODE)
      if (!existsSync(file)) return
      const packed = Object.values(unzipSync(readFileSync(file)))
      expect(packed.some((each) => Buffer.from(each).includes('root:'))).toBe(false)
    },
  ),
]

/** Kills a run at random moments of its life, and looks at what it leaves. */
function killedAtRandom(signal: NodeJS.Signals, words: string, whom: 'all' | 'first'): Situation {
  return situation(
    `signals/${signal.toLowerCase()}-${whom}`,
    `${words} at ten random moments of a run.`,
    'It ends with 130, or as it would have ended; reports are whole; nobody reads our code.',
    async (folder) => {
      for (let time = 0; time < 10; time += 1) {
        const out = join(folder, `out${time}`)
        const run = running(out, [
          '--only',
          'account-information/transactions',
          'account-information/accounts',
        ])
        const moment = Math.random() * 3000
        await new Promise((done) => setTimeout(done, moment))
        const pid = run.child.pid ?? 0
        try {
          process.kill(whom === 'all' ? -pid : pid, signal)
        } catch {
          // It had ended.
        }
        const { code, stdout, stderr } = await run.ended
        const told = `${Math.round(moment)} ms: ${code} ${stderr} ${stdout}`
        expect(stderr + stdout, told).not.toMatch(NO_CODE)
        expect(stderr + stdout, told).not.toMatch(/ran out of memory/)
        expect([0, 130, null], told).toContain(code)
        if (code === null || !existsSync(join(out, 'report.json'))) continue
        expect(reportIn(out).exitCode, told).toBe(code)
        expect(
          readdirSync(out).filter((name) => name.endsWith('.tmp')),
          told,
        ).toEqual([])
      }
    },
    550,
  )
}

const KILLED: Situation = situation(
  'signals/sigkill-all',
  'Every process of a run is killed (SIGKILL) at ten random moments of it.',
  'assay report makes what can be made; consents that were left are told.',
  async (folder) => {
    // The embedded bank goes with its run, and nothing is left at it.
    const bank = await openBank()
    const file = targetFile(folder, structuredClone(bank.target) as TargetDocument)
    for (let time = 0; time < 10; time += 1) {
      const out = join(folder, `out${time}`)
      const run = running(out, ['--target', file])
      const lines = Math.floor(Math.random() * 500)
      await until(() => linesOf(out).length > lines, run)
      await new Promise((done) => setTimeout(done, Math.random() * 200))
      try {
        process.kill(-(run.child.pid ?? 0), 'SIGKILL')
      } catch {
        // It had ended.
      }
      if ((await run.ended).code === 0) continue
      const { code, stdout, stderr } = await assay(['report', out]).ended
      const told = `after ${lines} exchanges: ${code} ${stdout} ${stderr}`
      expect(stdout + stderr, told).not.toMatch(NO_CODE)
      expect([0, 2], told).toContain(code)
      if (code !== 0) continue
      const { verdict, leftBehind } = reportIn(out)
      expect(verdict, told).toBe('error')
      const left = leftBehind.filter(({ kind }) => kind === 'consent').map(({ id }) => id)
      expect(left.sort(), told).toEqual(consentsLeftIn(out).sort())
    }
    await bank.close()
  },
  900,
)

const linesOf = (out: string) =>
  existsSync(join(out, 'exchanges.jsonl'))
    ? readFileSync(join(out, 'exchanges.jsonl'), 'utf8').split('\n').slice(0, -1)
    : []

/** Consents that were created and not deleted, as the lines of a run say. */
function consentsLeftIn(out: string): string[] {
  const left = new Set<string>()
  for (const line of linesOf(out)) {
    const { endpoint, request, response } = JSON.parse(line)
    const created = /^create-/.test(endpoint) && response?.status === 201
    if (created) left.add(JSON.parse(response.body).Data.ConsentId)
    if (/^delete-/.test(endpoint) && response?.status === 204) {
      left.delete(decodeURIComponent(request.url.split('/').at(-1)))
    }
  }
  return [...left]
}

const signals: Situation[] = [
  KILLED,
  situation(
    'signals/reader-gone',
    'Whoever reads what the run prints goes away: assay run | head -1.',
    'The run ends as it would have, with its report; no consent is left at the bank.',
    async (folder) => {
      const out = join(folder, 'out')
      const run = running(out)
      await until(judgedIn(out), run)
      run.child.stdout?.destroy()
      run.child.stderr?.destroy()
      const { code } = await run.ended
      expect(reportIn(out).exitCode).toBe(0)
      expect(code).toBe(0)
      expect(reportIn(out).leftBehind.filter(({ kind }) => kind === 'consent')).toEqual([])
    },
  ),
  situation(
    'signals/before-anything',
    'Ctrl-C and SIGTERM come together while the run begins.',
    'It ends with 130, or by the signal; nobody reads our code.',
    async (folder) => {
      for (let time = 0; time < 3; time += 1) {
        const run = running(join(folder, `out${time}`))
        await new Promise((done) => setTimeout(done, 150 + time * 250))
        process.kill(-(run.child.pid ?? 0), 'SIGINT')
        process.kill(-(run.child.pid ?? 0), 'SIGTERM')
        const { code, stdout, stderr } = await run.ended
        expect(stderr + stdout).not.toMatch(NO_CODE)
        expect([130, null], stderr + stdout).toContain(code)
      }
    },
  ),
  killedAtRandom('SIGINT', 'Ctrl-C', 'all'),
  killedAtRandom('SIGTERM', 'SIGTERM', 'first'),
  killedAtRandom('SIGHUP', 'The line of the terminal is lost (SIGHUP)', 'all'),
  situation(
    'signals/sighup-midway',
    'The line of the terminal is lost (SIGHUP) in the midst of a run.',
    'It ends with 130 and a report; no consent is left at the bank.',
    async (folder) => {
      const out = join(folder, 'out')
      const run = running(out)
      await until(judgedIn(out), run)
      run.child.stdout?.destroy()
      run.child.stderr?.destroy()
      process.kill(-(run.child.pid ?? 0), 'SIGHUP')
      expect((await run.ended).code).toBe(130)
      const { leftBehind, partial } = reportIn(out)
      expect(partial).toBe('the run was interrupted')
      expect(leftBehind.filter(({ kind }) => kind === 'consent')).toEqual([])
    },
  ),
  situation(
    'signals/twice',
    'Ctrl-C twice, at once.',
    'It ends with 130, as the user’s wish: nothing is said of memory or of an error.',
    async (folder) => {
      const out = join(folder, 'out')
      const run = running(out)
      await until(judgedIn(out), run)
      process.kill(-(run.child.pid ?? 0), 'SIGINT')
      await new Promise((done) => setTimeout(done, 30))
      process.kill(-(run.child.pid ?? 0), 'SIGINT')
      const { code, stdout, stderr } = await run.ended
      expect(code).toBe(130)
      expect(stdout + stderr).not.toMatch(/memory|killed/)
      expect(reportIn(out).problems).toEqual([])
    },
  ),
]

const JUMP = `
const now = Date.now, D = Date
let shift = 0
setTimeout(() => { shift = Number(process.env.JUMP) }, 2500).unref()
globalThis.Date = class extends D { constructor(...a) { a.length ? super(...a) : super(now() + shift) } static now() { return now() + shift } }
`

const clocks: Situation[] = [
  ['forwards', 7_200_000],
  ['backwards', -7_200_000],
].map(([way, jump]) =>
  situation(
    `clock/${way}`,
    `The clock of the machine jumps two hours ${way} in the midst of a run.`,
    'The run ends, and no check crashes.',
    async (folder) => {
      const out = join(folder, 'out')
      const NODE_OPTIONS = `--import=data:text/javascript,${encodeURIComponent(JUMP)}`
      await assay(['run', '--out', out], { env: { NODE_OPTIONS, JUMP: String(jump) } }).ended
      expect(reportIn(out).summary.error).toBe(0)
    },
    240,
  ),
)

export const situations: Situation[] = [...targets, ...folders, ...archives, ...signals, ...clocks]
