import type { ErrorObject } from 'ajv/dist/2020.js'
import type { Literals } from './rule.ts'

/**
 * Compares a value with a literal that the documents replace by a neutral word. Where the target gives no spelling of
 * its own, the pattern beside the keyword decides.
 */
export function matchesLiteral(name: string, value: string, literals: Literals): boolean {
  const own = spellings(name, literals)
  return own === undefined || own.includes(value)
}

/** The target's own spellings of a literal; undefined if it gives none. */
function spellings(name: unknown, { panScheme, cardSchemes }: Literals): string[] | undefined {
  if (name === 'panScheme') return panScheme === undefined ? undefined : [panScheme]
  if (name === 'cardScheme') return cardSchemes
  throw new Error(`no literal is called ${name}`)
}

/** True if the target's own spelling of a literal overrides the documented pattern. */
export function isOverruled({ keyword, parentSchema }: ErrorObject, literals: Literals): boolean {
  const { literal } = parentSchema ?? {}
  return (
    keyword === 'pattern' && literal !== undefined && spellings(literal, literals) !== undefined
  )
}
