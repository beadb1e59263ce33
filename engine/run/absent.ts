import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Capability } from '../configuration/target.ts'

/** Chapters of which nothing is asked where the target declares this absent. */
const CHAPTERS: Partial<Record<Capability, string>> = {
  'account-information': 'account-information/',
  products: 'product-information/',
  'funds-confirmation': 'account-information/funds-confirmation',
}

/** Why a check or rule is not applicable at a target, by its chapter; undefined where it is. */
export function absence(
  id: string,
  { owners }: Catalogue,
  absent: Iterable<Capability>,
): string | undefined {
  const chapter = owners.get(id)?.chapter ?? ''
  for (const capability of absent) {
    const without = CHAPTERS[capability]
    if (without !== undefined && chapter.startsWith(without)) {
      return `the target declares ${capability} absent`
    }
  }
  return undefined
}
