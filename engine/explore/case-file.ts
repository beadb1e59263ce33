import { stringify } from 'yaml'
import type { Catalogue, Requirement } from '../catalogue/catalogue.ts'
import { type History, meaningful, moveWords } from '../model/moves.ts'
import { InputError } from '../record/input-error.ts'
import { readInput } from '../yaml/read-input.ts'

/** A history that is kept in a file. */
export interface Case {
  /** Id of the requirement, rule or check that it broke. */
  found: string
  message?: string
  moves: History
}

/** The requirement that a finding breaks; undefined if specs/ does not contain it. */
export function requirementOfFound(
  found: string,
  { requirements, owners }: Pick<Catalogue, 'requirements' | 'owners'>,
): Requirement | undefined {
  return requirements.get(found) ?? owners.get(found)
}

/**
 * Reads a case: a YAML file, schemas/assay/case.schema.json.
 *
 * @throws InputError with each mistake as `file:line:column: what is wrong. fix.`
 */
export function readCase(file: string, catalogue: Catalogue): Case {
  const read = readInput(file, 'case') as Case
  if (!requirementOfFound(read.found, catalogue)) {
    throw new InputError(`${file}: found is ${read.found}, which no requirement, rule or check is.`)
  }
  const kept = meaningful(read.moves)
  const lost = read.moves.find((move) => !kept.includes(move))
  if (lost) {
    const which = `move ${read.moves.indexOf(lost) + 1}`
    throw new InputError(`${file}: ${which} names a consent or code that no move before it makes.`)
  }
  return read
}

/** Text of a case file: its moves in words, then as YAML. Names replace what the bank issued, so no secrets. */
export function caseText({ found, message, moves }: Case): string {
  const words = moves.map((move, index) => `# ${index + 1}. ${moveWords(move)}`)
  return `${words.join('\n')}\n${stringify({ found, message, moves }, { lineWidth: 120 })}`
}
