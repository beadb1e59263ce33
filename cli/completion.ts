import type { Command, Option } from 'commander'
import { say, shownLines } from '../engine/report/terminal.ts'
import { questions } from './init-questions.ts'
import {
  DIFF_FAIL_ON,
  DIFF_FORMATS,
  FAIL_ON,
  JUDGE_FAIL_ON,
  LEVEL_FAIL_ON,
} from './option-values.ts'
import { called } from './usage.ts'

/** Scripts that make a shell call `assay complete` for the next word, and offer files when it prints nothing. */
const SCRIPTS: Record<string, string> = {
  bash: `# eval "$(assay completion bash)"
_assay() {
  local IFS=$'\\n'
  COMPREPLY=($(assay complete -- "\${COMP_WORDS[@]:1:COMP_CWORD}" 2>/dev/null))
}
complete -o default -F _assay assay`,
  zsh: `#compdef assay
# eval "$(assay completion zsh)", after compinit
_assay() {
  local -a found
  found=("\${(@f)$(assay complete -- "\${(@)words[2,$CURRENT]}" 2>/dev/null)}")
  if [[ -n "$found" ]]; then compadd -a found; else _files; fi
}
compdef _assay assay`,
  fish: `# assay completion fish | source
complete -c assay -a '(assay complete -- (commandline -opc)[2..] (commandline -ct) 2>/dev/null)'`,
}

/** `assay completion SHELL`: prints the script that a shell evaluates when it starts. */
export function completion(shell: string): void {
  const scripts = Object.entries(SCRIPTS).map(([id, script]) => ({ id, script }))
  say(shownLines(called('shell', scripts, shell).script))
}

/** Possible words at one position. */
type Source = () => Promise<Iterable<string>> | Iterable<string>

const faults: Source = async () => {
  const { loadFaults } = await import('../proof/run/load.ts')
  return (await loadFaults()).map(({ id }) => id)
}
const variants: Source = async () => {
  const { loadVariants } = await import('../proof/run/load.ts')
  return (await loadVariants()).map(({ id }) => id)
}
/** Chapters, requirements, checks and rules. */
const judged: Source = async () => {
  const { loadCatalogue } = await import('../engine/catalogue/catalogue.ts')
  const { requirements, owners } = loadCatalogue()
  const chapters = new Set([...requirements.values()].map(({ chapter }) => chapter))
  return [...chapters, ...requirements.keys(), ...owners.keys()]
}

/** Values of options; the key includes the command when two commands use one option differently. */
const OF_OPTIONS: Record<string, Source> = {
  ...Object.fromEntries(
    questions.flatMap(({ name, choices }) => (choices ? [[`init --${name}`, () => choices]] : [])),
  ),
  'bank --fault': faults,
  'bank --variant': variants,
  '--only': judged,
  '--profile': async () => (await import('../engine/run/scope.ts')).PROFILES,
  '--export': async () => (await import('../engine/report/request-export.ts')).FORMATS,
  '--format': () => DIFF_FORMATS,
  'diff --fail-on': () => DIFF_FAIL_ON,
  'explore --fail-on': () => LEVEL_FAIL_ON,
  'judge --fail-on': () => JUDGE_FAIL_ON,
  'proxy --fail-on': () => LEVEL_FAIL_ON,
  '--fail-on': () => FAIL_ON,
}

const OF_ARGUMENTS: Record<string, Source> = {
  run: judged,
  explain: judged,
  reproduce: judged,
  bank: () => ['faults', 'variants'],
  completion: () => Object.keys(SCRIPTS),
}

/**
 * `assay complete WORDS…`: prints the possible words for the last position, one per line. Prints nothing where a file
 * may stand.
 *
 * @param words the words after `assay`; the last one may be incomplete
 */
export async function complete(words: string[], program: Command): Promise<void> {
  const found = await candidates(words, program)
  if (found.length > 0) say(shownLines(found.join('\n')))
}

/** See complete. */
export async function candidates(words: readonly string[], program: Command): Promise<string[]> {
  const begun = words.at(-1) ?? ''
  const [name = ''] = words
  if (words.length <= 1)
    return fitting(
      program
        .createHelp()
        .visibleCommands(program)
        .map((each) => each.name()),
      begun,
    )
  const command = program.commands.find((each) => each.name() === name)
  if (!command) return []
  const asked = openOption(words.slice(1, -1), command)
  if (asked) {
    const long = asked.long ?? ''
    const source = OF_OPTIONS[`${name} ${long}`] ?? OF_OPTIONS[long]
    // An option with several values may already have all of them.
    const more = asked.variadic ? optionsOf(command) : []
    return fitting([...(source ? await source() : []), ...more], begun)
  }
  if (begun.startsWith('-')) return fitting(optionsOf(command), begun)
  return fitting(await (OF_ARGUMENTS[name]?.() ?? []), begun)
}

/** The option whose value comes next. */
function openOption(before: readonly string[], command: Command): Option | undefined {
  const at = before.findLastIndex((word) => word.startsWith('-'))
  const option = command.options.find(({ long }) => long === before[at])
  if (!option || option.isBoolean()) return undefined
  return at === before.length - 1 || option.variadic ? option : undefined
}

const optionsOf = (command: Command): string[] =>
  command.options.flatMap(({ long, hidden }) => (long && !hidden ? [long] : []))

/** The words with this beginning, each once. */
function fitting(all: Iterable<string>, begun: string): string[] {
  const found = [...all].filter((each) => each.startsWith(begun))
  return [...new Set(found)].sort()
}
