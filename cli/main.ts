#!/usr/bin/env node
import { Command } from 'commander'
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
  .option('--profile <profile>', 'core: one approval, nothing destructive; full: everything', 'full')
  .option('--only <pattern...>', 'check, requirement, chapter or level; * stands for anything')
  .action(run)

program
  .command('prove')
  .description('every check can fail, no lawful bank does')
  .option('--fault <id...>', 'only these faults')
  .option('--variant <id...>', 'only these variants')
  .option('--correct', 'only the correct bank; lists every outcome but pass')
  .action(prove)

await program.parseAsync()
