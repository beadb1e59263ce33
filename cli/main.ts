#!/usr/bin/env node
import './node-version.ts' // before modules that an older Node cannot run
import { inspect } from 'node:util'
import type { Command } from 'commander'
import { CatalogueError } from '../engine/catalogue/catalogue-error.ts'
import { TargetError } from '../engine/configuration/target-error.ts'
import { InputError } from '../engine/record/input-error.ts'
import { ASSAY } from '../engine/record/program.ts'
import { complain, shown, shownLines } from '../engine/report/terminal.ts'
import { AssayCommand } from './command.ts'
import { actOf, isOfFiles } from './file-errors.ts'
import { DEFAULT_TARGET, version } from './folders.ts'
import { initOptions } from './init-questions.ts'
import { requireOpenFiles } from './open-files.ts'
import { requireValues, UsageError } from './usage.ts'

/** An action whose modules are loaded when it is called, because `assay --version` needs none of them. */
function lazily<Given extends unknown[]>(load: () => Promise<(...given: Given) => unknown>) {
  return async (...given: Given) => {
    await (await load())(...given)
  }
}

const program = new AssayCommand('assay')
  .description('Judges a UK open banking account-information interface against its documents.')
  .version(version)
  .exitOverride((error) => {
    process.exit(error.exitCode === 0 ? 0 : 2)
  })
  .hook('preAction', requireOpenFiles)
  .hook('preAction', (_, judging) => requireValues(judging))

const command = (name: string, description: string) =>
  program.command(name).description(description)

/** Collects every value of an option that may be given more than once. */
const severalTimes = (value: string, before: string[] = []) => [...before, value]

/** The options about what happens with a report. */
const reports = (judging: Command) =>
  judging
    .option('--history <file>', 'add the result to a history, which the report draws as a trend')
    .option('--sign <key>', 'sign the evidence with a private key, PEM or JWK')
    .option('--force', 'write into --out even if a signed run is there')
    .option(
      '--notify <url>',
      'call a webhook at the end: its address, or env:NAME; slack=, teams= or json= may stand before it. May be given more than once',
      severalTimes,
    )
    .option('--open', 'open the page at the end')

/** The options that judging a bank and judging a client have in common. */
const judges = (judging: Command, party: string) =>
  reports(
    judging
      .option('--failed <folder>', 'only what failed, warned or has no verdict in an earlier run')
      .option('--list', 'say what would be judged, and judge nothing')
      .option('--deviations <file>', `known deviations of the ${party}, each with an expiry date`)
      .option('--baseline <folder>', 'an earlier run: what is new, fixed, still failing')
      .option(
        '--fail-on <what>',
        'new: exit with 1 only for what the baseline did not have; should: also for a broken should',
      ),
  )

/** `assay run TXN-17` is `assay run --only TXN-17`. */
function onlyNamed<Given extends { only?: string[] }>(named: string[], given: Given): Given {
  return named.length === 0 ? given : { ...given, only: [...(given.only ?? []), ...named] }
}

const ONLY = 'check, requirement, chapter, level or tag (@visit, @hook, …); * for anything'

const run = command('run', 'judge a bank')
  .argument('[only...]', 'what is judged, as with --only')
  .option(
    '--target <file>',
    'the bank, described by a file; default: the reference bank, with --failed that of the run. ' +
      'Given more than once: each bank in turn, and an overview',
    severalTimes,
  )
  .option('--parallel <number>', 'how many of several targets at once; default 1')
  .option('--out <folder>', 'where the reports go; default reports/<target>/<UTC time>')
  .option(
    '--profile <profile>',
    'core: one approval, nothing destructive; quick: everything, one case of each kind; full; exhaustive: every value at every place',
    'full',
  )
  .option(
    '--seed <number>',
    'a number: which test values a full run draws; night: others each day, so that nights together try all',
  )
  .option('--only <pattern...>', ONLY)
  .option('--cases <path>', 'judge these cases of explore as well: a file, or a folder of them')
  .option('--json', 'with --list: as JSON')
  .option('--fresh', 'start over instead of resuming an interrupted run')
  .option(
    '--deadline <minutes>',
    'when nothing more is asked of the bank; waiting for a person does not count',
    '240',
  )
judges(run, 'bank').action(async (named: string[], { target, ...given }) => {
  const options = onlyNamed(named, given)
  if (options.parallel !== undefined && !(target?.length > 1)) {
    throw new UsageError('--parallel is for several banks: give --target more than once')
  }
  if (target?.length > 1) {
    const { runMany } = await import('./run-many.ts')
    return runMany({ target, ...options }, process.argv.slice(3))
  }
  return (await import('./run.ts')).run({ ...options, target: target?.[0] })
})

const tpp = command(
  'tpp',
  'judge a TPP’s client: it meets the reference bank in one scenario after the other',
)
  .argument('[only...]', 'what is judged, as with --only')
  .option(
    '--tpp <file>',
    `the client and how it is driven; ${ASSAY} init --tpp writes one`,
    'tpp.yaml',
  )
  .option('--out <folder>', 'where the reports go; default reports/<name>/<UTC time>')
  .option('--only <pattern...>', 'scenario, rule, requirement, chapter or level; * for anything')
  .option(
    '--watch [path]',
    'when a file changes, repeat what failed or has no verdict; default: the folder of the client’s program. Ctrl-C ends it',
  )
judges(tpp, 'client').action(async (named: string[], given) =>
  (await import('./tpp.ts')).tpp(onlyNamed(named, given)),
)

const judge = command('judge', 'judge traffic that others recorded: every rule, nothing is sent')
  .argument(
    '<files...>',
    'HAR; NDJSON logs of Kong, nginx, Envoy or AWS API Gateway; exchanges.jsonl; the folder of a run',
  )
  .option(
    '--target <file>',
    'the bank, described by a file: its addresses tell what is an operation',
    DEFAULT_TARGET,
  )
  .option('--tpp <file>', 'judge the client’s requests as well: its file, or a name for its report')
  .option('--out <folder>', 'where the reports go; default reports/<target>-recorded/<UTC time>')
  .option('--deviations <file>', 'known deviations of the bank, each with an expiry date')
  .option('--baseline <folder>', 'an earlier judgement: what is new, fixed, still failing')
  .option(
    '--fail-on <what>',
    'what exits with 1: must, a broken must; should, also a broken should; new, only what the baseline did not have',
    'must',
  )

reports(judge).action(lazily(async () => (await import('./judge.ts')).judge))

command(
  'explore',
  'random sequences of requests: find defects that appear only after certain other requests',
)
  .option('--target <file>', 'the bank, described by a file; default: the reference bank')
  .option('--seed <number>', 'a number: which random sequences are drawn; default 1')
  .option('--steps <number>', 'how many steps; default 500')
  .option('--minutes <number>', 'how long, instead of a number of steps')
  .option(
    '--visits <number>',
    'visits to the authorisation page at most; default: 6 where people make them, else as many as it takes',
  )
  .option('--cases <path>', 'play these kept histories instead: a file, or a folder of them')
  .option(
    '--as-check <id>',
    'write the history of --cases into suites/ and specs/, as a check with this id; in a clone',
  )
  .option(
    '--out <folder>',
    'where histories that find something are kept; default reports/<target>/explored',
  )
  .option(
    '--fail-on <what>',
    'what exits with 1: must, a broken must; should, also a broken should',
    'must',
  )
  .action(lazily(async () => (await import('./explore.ts')).exploreTarget))

command('proxy', 'stand between a TPP and a bank’s sandbox, record and judge both; Ctrl-C ends it')
  .requiredOption('--target <file>', 'the bank, described by a file, with the TPP’s certificate')
  .option('--tpp <file>', 'the client, whose name its report carries')
  .option('--listen <host:port>', 'where clients find the proxy', '127.0.0.1:9080')
  .option('--out <folder>', 'where the reports go; default reports/<target>-proxied/<UTC time>')
  .option('--pass <host...>', 'hosts to which tunnels are passed unread, beside the bank’s')
  .option(
    '--authority <folder>',
    'where the proxy’s authority is kept; default .assay/proxy beside the target file',
  )
  .option(
    '--fail-on <what>',
    'what exits with 1: must, a broken must of either party; should, also a broken should',
    'must',
  )
  .action(lazily(async () => (await import('./proxy.ts')).proxy))

command(
  'monitor',
  'watch a bank between runs: a few requests a round, nothing created, rules alone judge',
)
  .requiredOption('--target <file>', 'the bank, described by a file')
  .option('--every <duration>', 'a round each 30s, 5m, 1h; without it one round')
  .option('--until <when>', 'with --every: 8h, or an instant such as 2027-01-31T06:00:00Z')
  .option('--data-every <duration>', 'how often customers’ data are read, at most', '6h')
  .option('--approve', 'once, before: a customer approves, and the monitor keeps the tokens')
  .option('--out <folder>', 'where the reports of the last round go')
  .option('--history <file>', 'add each round to a history')
  .option('--deviations <file>', 'known deviations of the bank, each with an expiry date')
  .option(
    '--notify <url>',
    'call a webhook at each change: outages, rules, keys, certificates. As with run',
    severalTimes,
  )
  .action(lazily(async () => (await import('./monitor.ts')).monitor))

command('plan', 'what a run will ask for, before anything is sent')
  .option('--target <file>', 'the bank, described by a file', DEFAULT_TARGET)
  .option('--profile <profile>', 'core, quick, full or exhaustive', 'full')
  .option('--only <pattern...>', ONLY)
  .option('--list', 'say what would be judged')
  .option('--visits', 'each visit, and each check that spends or registers something, by name')
  .option('--tpp <file>', 'instead: what a certification of this client will do')
  .action(async (options) =>
    options.tpp
      ? (await import('./tpp.ts')).planTpp(options)
      : (await import('./plan.ts')).plan(options),
  )

initOptions(command('init', 'write a target file: asks on a terminal, or takes flags'))
  .option('--tpp <file>', 'instead: write a file that describes a TPP’s client')
  .action(async (options) =>
    options.tpp
      ? (await import('./init-tpp.ts')).initTpp(options.tpp)
      : (await import('./init.ts')).init(options),
  )

command('doctor', 'look for common mistakes of a first run, in seconds, and say how to fix each')
  .option('--target <file>', 'the bank, described by a file', DEFAULT_TARGET)
  .option('--tpp <file>', 'instead: the client of this file, at the correct bank')
  .action(async (options) =>
    options.tpp
      ? (await import('./tpp.ts')).doctorTpp(options.tpp)
      : (await import('./doctor.ts')).doctor(options),
  )

command('explain', 'say what an id or an exit code stands for, and what to do about it')
  .argument('<id>', 'a requirement, check, rule or scenario (TXN-17), or an exit code')
  .action(lazily(async () => (await import('./explain.ts')).explain))

command('reproduce', 'repeat one check alone: its steps, its deviation, every message in full')
  .argument('[check]', 'a check, or with --run a rule; default: everything that failed in the run')
  .option(
    '--target <file>',
    'the bank, described by a file; default: that of the run, else the reference bank',
  )
  .option(
    '--run <folder>',
    'an earlier run; its target file is read again, and needs the same environment variables',
  )
  .option('--cell <name>', 'of a table, one value at one place: "other-case at accounts"')
  .option('--short', 'of the messages, what was judged and its control alone')
  .option(
    '--export <format>',
    'what the run recorded of it, for another program: curl, har, postman, bruno; nothing is sent',
  )
  .option('--out <path>', 'with --export: the file, or for bruno the folder; default: shown')
  .action(lazily(async () => (await import('./reproduce.ts')).reproduce))

command('bank', 'the reference bank, to develop against')
  .argument('[what]', 'faults or variants: list them instead')
  .option('--fault <id...>', 'what this bank does wrong, from proof/faults')
  .option('--variant <id...>', 'what it does differently and lawfully, from proof/variants')
  .option('--port <number>', 'first of its ports; default: free ones')
  .option('--transactions <number>', 'transactions of the first customer’s first card')
  .option('--info <file>', 'write a ready target file with every address and credential')
  .option(
    '--watch',
    'judge every request as it comes, here and on a page; Ctrl-C writes the report',
  )
  .option('--out <folder>', 'where the report of --watch goes; default reports/watched/<UTC time>')
  .option('--log <file>', 'write a line for each request, without secrets')
  .option(
    '--behind-gateway <address>',
    'speak plain HTTP, and be reached through a gateway at this address and the ports after it',
  )
  .option('--state <folder>', 'keep keys, directory, clients and consents over restarts')
  .option('--tpp <file>', 'know the redirect URIs and keys of this TPP, and keep its state')
  .option('--strict <standard>', 'fapi: refuse also what breaks only FAPI 1.0 Advanced')
  .action(lazily(async () => (await import('./bank.ts')).bank))

command('prove', 'prove that every check can fail, and that no lawful bank does')
  .option('--fault <id...>', 'only these faults')
  .option('--variant <id...>', 'only these variants')
  .option(
    '--check <id...>',
    'what concerns these checks alone: at the correct bank, their faults, their chapters’ variants',
  )
  .option('--chapter <name...>', 'only the faults and variants of these chapters')
  .option('--correct', 'only the correct bank; lists every outcome but pass')
  .option(
    '--alone',
    'each fault and variant in a bank of its own, each TPP in a client; else several share one where they can',
  )
  .option('--json <file>', 'write every proof and the matrix')
  .option('--page <folder>', 'write what caught what: banks.md and tpps.md')
  .option('--processes <number>', 'how many at once; default: one more than processors')
  .option('--draws <number>', 'only variants, up to twelve in a bank, in as many draws')
  .option('--mixed <number>', 'only faults with a variant of their chapter, as many, or all')
  .option('--shard <part>', '1/4: one of four parts, for another machine; needs --json')
  .option('--merge <file...>', 'judge what the parts wrote as one')
  .option('--seed <number>', 'draws the same again; default: 1 for the whole proof, else a new one')
  .option('--at <instant>', 'as if it began at this instant of the past: 2026-02-28T23:59:58Z')
  .option('--zone <name>', 'with --at: the time zone of the process; default: UTC')
  .option('--moments <number>', 'at as many instants, drawn by the commit and printed')
  .option('--delay <milliseconds>', 'as if each answer of a bank took as much longer')
  .option('--exhaustive', 'every value at every place of the tables; else those that are drawn')
  .option('--tpp [id...]', 'only what judges TPPs: the right one, wrong ones, lawful ones')
  .option(
    '--situations [id...]',
    'only whose fault it is: mistakes in the target file, network, gateways, Ctrl-C',
  )
  .option('--gateways [id...]', 'only real gateways before the correct bank, those installed here')
  .option(
    '--chaos <number>',
    'as many runs in which a system call fails, or the clock is set, from --seed on',
  )
  .option(
    '--starved <number>',
    'as many runs that have a tenth of the processor, slow answers, 128 MB, or a clock that is set',
  )
  .action(async (options) => {
    if (options.chaos || options.starved)
      return (await import('./prove-chaos.ts')).proveChaosOnly(options)
    if (options.gateways) return (await import('./prove-gateways.ts')).proveGatewaysOnly(options)
    if (options.situations)
      return (await import('./prove-situations.ts')).proveSituationsOnly(options)
    return options.tpp
      ? (await import('./prove-tpp.ts')).proveTppsOnly(options)
      : (await import('./prove.ts')).prove(options)
  })

command('deviations', 'known deviations: what a bank is known to do wrong')
  .command('init')
  .description('write the file to fill in, from what a run found')
  .argument('<folder>', 'the run')
  .option('--out <file>', 'where it goes', 'deviations.yaml')
  .option('--force', 'overwrite it')
  .action(lazily(async () => (await import('./reports.ts')).deviationsInit))

command(
  'credentials',
  'the certificates and keys that the curl lines of a report need, as private files',
)
  .option('--target <file>', 'the bank, described by a file; default: the reference bank')
  .requiredOption('--out <folder>', 'where they go')
  .option('--force', 'overwrite what is there')
  .action(lazily(async () => (await import('./credentials.ts')).credentials))

command('report', 'make every output of a run again')
  .argument('<folder>', 'the run: report.json and exchanges.jsonl')
  .option('--baseline <folder>', 'an earlier run to compare with')
  .option('--history <file>', 'a history to add it to')
  .action(lazily(async () => (await import('./reports.ts')).report))

command('diff', 'what changed between the last two of these runs, and which checks are flaky')
  .argument('<runs...>', 'folders of two runs or more, the oldest first')
  .option('--format <format>', 'text, markdown or json', 'text')
  .option(
    '--fail-on <what>',
    'what exits with 1: new, new failures; any, every failure of the later run; observations, new failures and changed observations',
    'new',
  )
  .action(lazily(async () => (await import('./reports.ts')).diff))

command(
  'overview',
  'one page of many runs: each bank or TPP by chapter, what changed, what ends soon',
)
  .argument('<folders...>', 'folders of runs, or folders in which runs are')
  .option('--out <folder>', 'where overview.html and overview.json go; default: the first folder')
  .action(lazily(async () => (await import('./reports.ts')).overview))

command('sign', 'write a signed statement over a run')
  .argument('<folder>', 'the run')
  .requiredOption('--key <file>', 'private key, PEM or JWK')
  .option('--kid <kid>', 'names the key')
  .option('--x5c <file>', 'PEM of the certificate of the key')
  .action(lazily(async () => (await import('./reports.ts')).sign))

command('verify', 'check that a run was not changed since it was signed')
  .argument(
    '<paths...>',
    'folder of a run, its statement.jws, or an archive; with --policy several',
  )
  .option('--key <file>', 'public key or certificate of the signer')
  .option('--policy <file>', 'what a run must be to count: says eligible, or why not (docs/ci.md)')
  .option('--judge', 'judge it again by its exchanges: what of the report differs from them')
  .option('--target <file>', 'with --judge: the bank that was judged, for what its file alone says')
  .action(lazily(async () => (await import('./reports.ts')).verify))

command('certificate', 'a printable page of a signed and conformant run (A4)')
  .argument('<run>', 'folder of the run, its statement.jws, or an archive; it is verified first')
  .option('--key <file>', 'public key or certificate of the signer')
  .option('--policy <file>', 'instead of --key: what a run must be to count, and who may sign')
  .option('--out <file>', 'the page; default RUN-certificate.html, beside the run')
  .action(lazily(async () => (await import('./certificate.ts')).certificate))

command('pack', 'an archive of a run for an auditor')
  .argument('<folder>', 'the run')
  .option('--out <file>', 'the archive; default FOLDER.zip')
  .action(lazily(async () => (await import('./reports.ts')).packed))

command('lint', 'mistakes in specs, suites and proof, seen without a bank').action(
  lazily(async () => (await import('./lint.ts')).lint),
)

command('generate', 'the pages of docs/requirements, made from specs/')
  .option('--check', 'write nothing; exit with 1 when one is out of date')
  .action(lazily(async () => (await import('./generate.ts')).generate))

command('completion', 'a script by which a shell completes commands, options and ids')
  .argument('<shell>', 'bash, zsh or fish')
  .action(lazily(async () => (await import('./completion.ts')).completion))

program
  .command('complete', { hidden: true })
  .description('what may stand next, for the script of completion')
  .argument('[words...]')
  .action(async (words: string[]) => {
    await (await import('./completion.ts')).complete(words, program)
  })

// The reader of our output may stop reading (`assay run | head`), or the terminal may close. The reports are written
// anyway, also where what is printed goes to a full disk.
let isCut = false
for (const stream of [process.stdout, process.stderr]) {
  stream.on('error', (error: NodeJS.ErrnoException) => {
    if (isCut || error.code === 'EPIPE' || error.code === 'EIO') return
    isCut = true
    complain(shown`Not everything could be printed: ${error.message}`)
    process.on('exit', () => {
      process.exitCode ||= 5
    })
  })
}

// Node itself would end with 1, which says that the bank is nonconformant. A run reports such an error itself.
process.on('uncaughtException', (error) => {
  if (process.listenerCount('uncaughtException') === 1) process.exit(reported(error))
})

try {
  await program.parseAsync()
} catch (error) {
  const code = reported(error)
  process.exitCode = code
  // vitest may still be running and sets an exit code of its own when it ends.
  process.on('exit', () => {
    process.exitCode = code
  })
}

/** Prints what went wrong, without a stack trace when the user can fix it. Returns the exit code. */
function reported(error: unknown): number {
  if ([UsageError, TargetError, InputError].some((kind) => error instanceof kind)) {
    // The message may quote a file, and a terminal interprets control characters.
    complain(shownLines((error as Error).message))
    return 2
  }
  const { code, port, address } = error as NodeJS.ErrnoException & Record<string, unknown>
  if (code === 'EADDRINUSE') {
    complain(
      shown`Port ${String(port)} on ${String(address)} is in use. Name another one with --port.`,
    )
    return 2
  }
  if (code === 'EMFILE' || code === 'ENFILE') {
    complain(shown`No more files can be opened at once: raise the limit, ulimit -n 1024. (${code})`)
    return 2
  }
  if (isOfFiles(error)) {
    complain(shown`Not everything could be ${actOf(error)}: ${error.message}`)
    return 5
  }
  // A bug in Assay: print where it is.
  const words = error instanceof CatalogueError ? error.message : inspect(error)
  complain(shownLines(words))
  return 5
}
