import type { ErrorObject } from 'ajv/dist/2020.js'
import type { Literals } from './rule.ts'

/**
 * Compares a value with a literal that the documents replace by a neutral word. Without the
 * target's own spelling the pattern beside the keyword says what passes.
 */
export function matchesLiteral(name: string, value: string, literals: Literals): boolean {
  if (name === 'panScheme') {
    return literals.panScheme === undefined || value === literals.panScheme
  }
  if (name === 'cardScheme') {
    return literals.cardSchemes === undefined || literals.cardSchemes.includes(value)
  }
  throw new Error(`no literal is called ${name}`)
}

/** The target's own spelling of a literal stands above the documented form. */
export function isOverruled({ keyword, parentSchema }: ErrorObject, literals: Literals): boolean {
  if (keyword !== 'pattern') return false
  if (parentSchema?.literal === 'panScheme') return literals.panScheme !== undefined
  return parentSchema?.literal === 'cardScheme' && literals.cardSchemes !== undefined
}
