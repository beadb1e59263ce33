import type { Literals } from './rule.ts'

/**
 * Compares a value with a literal that the documents replace by a neutral word. Without the
 * target's own spelling any value of the documented form passes.
 */
export function matchesLiteral(name: string, value: string, literals: Literals): boolean {
  if (name === 'panScheme') {
    return literals.panScheme ? value === literals.panScheme : /^UK\.[A-Z]+\.PAN$/.test(value)
  }
  if (name === 'cardScheme') {
    return literals.cardSchemes ? literals.cardSchemes.includes(value) : value.trim() !== ''
  }
  throw new Error(`no literal is called ${name}`)
}
