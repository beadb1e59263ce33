import { Command, type ErrorOptions } from 'commander'
import { ASSAY } from '../engine/record/program.ts'
import { complain, shownLines } from '../engine/report/terminal.ts'

/** How commander ends a message when a word is similar to a known one. */
const MEANT = /\n\(Did you mean (?:one of )?(.+)\?\)$/

/**
 * A command that reports a mistake in two lines: what is wrong and what was probably meant, then which help to read.
 * Its subcommands do the same.
 */
export class AssayCommand extends Command {
  override createCommand(name?: string): AssayCommand {
    return new AssayCommand(name)
  }

  override error(message: string, options?: ErrorOptions): never {
    complain(shownLines(`${mistakeIn(message)}${fileMeant(message, this)}\nSee ${helpOf(this)}`))
    process.exit(options?.exitCode === 0 ? 0 : 2)
  }
}

/**
 * Commander's error message on one line and in the form of our own messages: "unknown option --targt, did you mean
 * --target?".
 */
export function mistakeIn(message: string): string {
  const meant = MEANT.exec(message)?.[1]?.replace(/, ([^,]+)$/, ' or $1')
  if (message.startsWith('error: too many arguments')) {
    return message.includes('Expected 0 ') ? 'only options may follow' : 'too many words follow'
  }
  const what = message
    .replace(MEANT, '')
    .replace(/^error: /, '')
    .replace(/^option '(.+)' argument missing$/, '$1 needs a value')
    .replace(/^required option '(.+)' not specified$/, '$1 is missing')
    .replace(/^missing required argument '(.+)'$/, '<$1> is missing')
    .replaceAll("'", '')
  return meant === undefined ? what : `${what}, did you mean ${meant}?`
}

/** Says how to name a target file, where one was given as a word: `assay doctor my-bank.yaml`. */
function fileMeant(message: string, { args, options }: Command): string {
  if (!message.startsWith('error: too many arguments')) return ''
  const file = args.find((word) => /\.(?:ya?ml|json)$/.test(word))
  const isNamed = options.some(({ long }) => long === '--target')
  return file !== undefined && isNamed ? `, did you mean --target ${file}?` : ''
}

/** `npx assay run --help`. */
function helpOf(command: Command): string {
  const names: string[] = []
  for (let each: Command | null = command; each; each = each.parent) names.unshift(each.name())
  return [ASSAY, ...names.slice(1), '--help'].join(' ')
}
