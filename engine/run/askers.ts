import type { Catalogue } from '../catalogue/catalogue.ts'
import type { Suites } from './suites.ts'

/**
 * The chapters whose checks request what a rule judges: its own and those of its endpoints; all chapters for a rule
 * over every answer.
 */
export function chaptersAsking(
  id: string,
  { checks, rules, schemas, owners }: Suites,
  catalogue: Catalogue,
): string[] {
  const chapterOf = (owner: string | undefined) => catalogue.owners.get(owner ?? '')?.chapter
  const asking = new Set(checks.map((check) => chapterOf(check.id)))
  const stating = schemas.filter(({ stated }) => stated.some((rule) => rule.id === id))
  const endpoints =
    rules.find((rule) => rule.id === id)?.endpoints ??
    stating.flatMap(({ responses }) => responses.map((response) => response.split(' ')[0]))
  const answers = new Map(Object.entries(owners.endpoints))
  const found =
    endpoints.length > 0
      ? [chapterOf(id), ...endpoints.map((endpoint) => chapterOf(answers.get(endpoint ?? '')))]
      : [...asking]
  return [...new Set(found)].filter(
    (chapter) => chapter !== undefined && asking.has(chapter),
  ) as string[]
}
