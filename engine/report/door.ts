const PASSED: unique symbol = Symbol('passed')

/** A text that has been escaped for a medium: a raw string does not compile in its place. */
export interface Passed<Medium extends string> {
  readonly [PASSED]: string
  readonly medium: Medium
}

type Part<Medium extends string> =
  | Passed<Medium>
  | readonly Passed<Medium>[]
  | string
  | number
  | undefined
  | false

/**
 * Makes escaped text of a medium. Only `tag` creates it: own words around values, which are escaped unless they are
 * escaped text of this medium already; absent values are left out.
 */
export function doorOf<Medium extends string>(medium: Medium, escaped: (text: string) => string) {
  /** Marks text as already escaped; only for the module of the medium. */
  const made = (text: string): Passed<Medium> => ({ [PASSED]: text, medium })
  const partOf = (value: Part<Medium>): string => {
    if (value === undefined || value === false) return ''
    if (Array.isArray(value)) return value.map(partOf).join('')
    return typeof value === 'object' ? (value as Passed<Medium>)[PASSED] : escaped(String(value))
  }
  return {
    made,
    tag: (words: TemplateStringsArray, ...values: Part<Medium>[]): Passed<Medium> =>
      made(words.map((own, at) => own + partOf(values[at])).join('')),
    /** The text as it is written to a file. */
    text: (part: Passed<Medium>): string => part[PASSED],
  }
}
