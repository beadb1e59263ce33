#!/usr/bin/env node
import { Command } from 'commander'
import { TargetError } from '../engine/target/target-error.ts'
import { bank, UsageError } from './bank.ts'
import { DEFAULT_TARGET } from './open-target.ts'
import { prove } from './prove.ts'
import { run } from './run.ts'

const program = new Command('assay').description(
  'Judges a UK open banking account-information interface against its documents.',
)

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
  .option('--only <pattern...>', 'check, requirement, chapter or level; * stands for anything')
  .action(run)

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
  .option('--processes <number>', 'how many at once; default: one for each processor')
  .action(prove)

try {
  await program.parseAsync()
} catch (error) {
  process.exitCode = reported(error)
}

/** Says what went wrong, without a stack trace where the user can mend it; the exit code. */
function reported(error: unknown): number {
  if (error instanceof UsageError || error instanceof TargetError) {
    console.error(error.message)
    return 2
  }
  console.error(error)
  return 5
}
