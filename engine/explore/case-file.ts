import { stringify } from 'yaml'
import { type History, meaningful, moveWords } from '../model/moves.ts'
import { InputError } from '../record/input-error.ts'
import { readInput } from '../yaml/read-input.ts'

/** A history that is kept in a file. */
export interface Case {
  /** Id of the requirement or rule that it broke; absent: whatever it breaks counts. */
  found?: string
  message?: string
  moves: History
}

/**
 * Reads a case: a YAML file, schemas/assay/case.schema.json.
 *
 * @throws InputError with each mistake as `file:line:column: what is wrong. fix.`
 */
export function readCase(file: string): Case {
  const read = readInput(file, 'case') as Case
  const kept = meaningful(read.moves)
  const lost = read.moves.find((move) => !kept.includes(move))
  if (lost) {
    const which = `move ${read.moves.indexOf(lost) + 1}`
    throw new InputError(`${file}: ${which} names a consent or code that no move before it makes.`)
  }
  return read
}

/** The text of a case file: its moves in words, then as YAML. No secret is in it: names stand for what the bank gave. */
export function caseText({ found, message, moves }: Case): string {
  const words = moves.map((move, index) => `# ${index + 1}. ${moveWords(move)}`)
  return `${words.join('\n')}\n${stringify({ found, message, moves }, { lineWidth: 120 })}`
}
