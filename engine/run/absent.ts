import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Capability } from '../configuration/target.ts'

/** Chapters that are left out where the target declares the capability absent. */
const CHAPTERS: Partial<Record<Capability, string>> = {
  'account-information': 'account-information/',
  products: 'product-information/',
  'funds-confirmation': 'account-information/funds-confirmation',
}

/** Why a check or rule is not applicable to a target, by its chapter; undefined if it is applicable. */
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
