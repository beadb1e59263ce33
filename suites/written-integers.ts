import type { Exchange } from '../engine/suite-api/responses.ts'
import type { Finding } from '../engine/suite-api/rule.ts'

/** Members of JSON that are numbers. */
const NUMBERS = /"(\w+)"\s*:\s*(-?\d[\d.eE+-]*)/g

/**
 * Findings for members that are integers and are written with a fraction or an exponent, such as 3600.0; undefined where the
 * answer has none of these members. Of a large body only the beginning is searched. A value that is no integer, and one
 * that is no number, are judged by the schemas.
 */
export function writtenOtherwise(
  { response }: Exchange,
  names: readonly string[],
): Finding[] | undefined {
  if (response?.json === undefined) return undefined
  const written = [...response.body.matchAll(NUMBERS)]
    .map(([, name = '', number = '']) => ({ name, number }))
    .filter(({ name }) => names.includes(name))
  if (written.length === 0) return undefined
  return written
    .filter(({ number }) => /[.eE]/.test(number) && Number.isInteger(Number(number)))
    .slice(0, 1)
    .map(({ name, number }) => {
      const expected = String(Number(number))
      return { message: `${name} is written ${number}`, expected, actual: number }
    })
}
