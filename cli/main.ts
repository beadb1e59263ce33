#!/usr/bin/env node
import { Command } from 'commander'
import { InputError } from '../engine/report/input-error.ts'
import { TargetError } from '../engine/target/target-error.ts'
import { bank } from './bank.ts'
import { doctor } from './doctor.ts'
import { generate } from './generate.ts'
import { addInit } from './init.ts'
import { DEFAULT_TARGET } from './open-target.ts'
import { plan } from './plan.ts'
import { prove } from './prove.ts'
import { provePairs } from './prove-pairs.ts'
import { diff, packed, report, sign, verify } from './reports.ts'
import { reproduce } from './reproduce.ts'
import { run } from './run.ts'
import { UsageError } from './usage.ts'
import { version } from './version.ts'

const program = new Command('assay')
  .description('Judges a UK open banking account-information interface against its documents.')
  .version(version)
  .showHelpAfterError()
  .exitOverride((error) => {
    process.exit(error.exitCode === 0 ? 0 : 2)
  })

program
  .command('run')
  .description('judge a bank')
  .option('--target <file>', 'the bank, described by a file', DEFAULT_TARGET)
  .option('--out <folder>', 'where the reports go; default reports/<target>/<UTC time>')
  .option(
    '--profile <profile>',
    'core: one approval, nothing destructive; full: everything',
    'full',
  )
  .option(
    '--only <pattern...>',
    'check, requirement, chapter, level or tag (@visit, @hook, …); * for anything',
  )
  .option('--failed <folder>', 'only what was not in order in an earlier run')
  .option('--list', 'say what would be judged, and judge nothing')
  .option('--fresh', 'begin anew, also where an interrupted run could be gone on with')
  .option('--deviations <file>', 'what the bank is known to do wrong, each with its expiry')
  .option('--baseline <folder>', 'an earlier run: what is new, fixed, still failing')
  .option('--fail-on <what>', 'new: exit with 1 only for what the baseline did not have')
  .option('--history <file>', 'add this run to a history, drawn as a trend')
  .option('--sign <key>', 'sign the evidence with a private key, PEM or JWK')
  .action(run)

program
  .command('plan')
  .description('what a run will ask for, before anything is sent')
  .option('--target <file>', 'the bank, described by a file', DEFAULT_TARGET)
  .option('--profile <profile>', 'core or full', 'full')
  .option(
    '--only <pattern...>',
    'check, requirement, chapter, level or tag (@visit, @hook, …); * for anything',
  )
  .option('--list', 'say what would be judged')
  .action(plan)

addInit(program)

program
  .command('doctor')
  .description('what most first runs get wrong, each with its mend, in seconds')
  .option('--target <file>', 'the bank, described by a file', DEFAULT_TARGET)
  .action(doctor)

program
  .command('reproduce')
  .description('one check alone: its steps and its deviation, every message written out')
  .argument('[check]', 'a check, or with --run a rule; default: everything that failed in the run')
  .option('--target <file>', 'the bank, described by a file', DEFAULT_TARGET)
  .option('--run <folder>', 'an earlier run')
  .action(reproduce)

program
  .command('bank')
  .description('the reference bank, to develop against')
  .option('--fault <id...>', 'what this bank does wrong, from proof/faults')
  .option('--variant <id...>', 'what it does differently and lawfully, from proof/variants')
  .option('--port <number>', 'first of its ports; default: free ones')
  .option('--transactions <number>', 'transactions of the first customer’s first card')
  .option('--info <file>', 'write a ready target file with every address and credential')
  .action(bank)

program
  .command('prove')
  .description('every check can fail, no lawful bank does')
  .option('--fault <id...>', 'only these faults')
  .option('--variant <id...>', 'only these variants')
  .option('--correct', 'only the correct bank; lists every outcome but pass')
  .option(
    '--alone',
    'each fault and variant in a bank of its own; else two share one where they can',
  )
  .option('--json <file>', 'write every proof and the matrix')
  .option('--page <file>', 'write the matrix as a page')
  .option('--processes <number>', 'how many at once; default: one for each processor')
  .option('--pairs <number>', 'only pairs of variants, as many, drawn at random')
  .option('--seed <number>', 'draws the same pairs again; default: a new one')
  .action((options) => (options.pairs ? provePairs(options) : prove(options)))

program
  .command('report')
  .description('make every output of a run again')
  .argument('<folder>', 'the run: report.json and exchanges.jsonl')
  .option('--baseline <folder>', 'an earlier run to compare with')
  .option('--history <file>', 'a history to add it to')
  .option('--allure', 'the report of Allure 3 as one file as well; needs allure@3.18.0 beside')
  .option('--allure-history <file>', 'Allure’s own history file, for its trends')
  .action(report)

program
  .command('diff')
  .description('what changed between two runs')
  .argument('<earlier>', 'folder of a run')
  .argument('<later>', 'folder of a run')
  .option('--format <format>', 'text, markdown or json', 'text')
  .option('--fail-on <what>', 'exit with 1 for what is new, or for any failure of the later', 'new')
  .action(diff)

program
  .command('sign')
  .description('write a signed statement over a run')
  .argument('<folder>', 'the run')
  .requiredOption('--key <file>', 'private key, PEM or JWK')
  .option('--kid <kid>', 'names the key')
  .option('--x5c <file>', 'PEM of the certificate of the key')
  .action(sign)

program
  .command('verify')
  .description('was a run changed since it was signed?')
  .argument('<path>', 'folder of a run, its statement.jws, or an archive')
  .option('--key <file>', 'public key or certificate of the signer')
  .action(verify)

program
  .command('pack')
  .description('an archive of a run for an auditor')
  .argument('<folder>', 'the run')
  .option('--out <file>', 'the archive; default FOLDER.zip')
  .action(packed)

program
  .command('generate')
  .description('the pages of docs/requirements, made from specs/')
  .option('--check', 'write nothing; exit with 1 when one is out of date')
  .action(generate)

// Whoever reads our output may stop reading: `assay run --list | head`.
process.stdout.on('error', (error: NodeJS.ErrnoException) => {
  if (error.code === 'EPIPE') process.exit()
  throw error
})

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = reported(error)
}

/** Says what went wrong, without a stack trace where the user can mend it; the exit code. */
function reported(error: unknown): number {
  if ([UsageError, TargetError, InputError].some((kind) => error instanceof kind)) {
    const { message } = error as Error
    console.error(message)
    return 2
  }
  console.error(error)
  return 5
}
