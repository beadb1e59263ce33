#!/usr/bin/env node
import { Command } from 'commander'
import { prove } from './prove.ts'

const program = new Command('assay').description(
  'Judges a UK open banking account-information interface against its documents.',
)

program
  .command('prove')
  .description('every check can fail, no lawful bank does')
  .option('--fault <id...>', 'only these faults')
  .option('--variant <id...>', 'only these variants')
  .option('--correct', 'only the correct bank; lists every outcome but pass')
  .action(prove)

await program.parseAsync()
