const PASSED: unique symbol = Symbol('passed')

/** A text that has passed the door of a medium: a text from outside does not compile in its place. */
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
 * The door of a medium: what goes into it is made by `tag` alone, words of ours around values that are escaped unless they
 * have passed before; what is absent is left out.
 */
export function doorOf<Medium extends string>(medium: Medium, escaped: (text: string) => string) {
  /** Known to be of the medium: for the module that keeps the door. */
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
    /** As it goes into a file. */
    text: (part: Passed<Medium>): string => part[PASSED],
  }
}
