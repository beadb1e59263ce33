import type { Catalogue, Requirement } from '../engine/catalogue/catalogue.ts'
import type { Place } from '../engine/record/definitions.ts'
import { sayingLines, type Unquoted } from './sentences.ts'

/**
 * The page for a reader of a document: every line of it, the requirements that are read from it, what judges them, and
 * every sentence that nothing judges.
 *
 * @param unquoted sentences that no requirement quotes, with the reason.
 * @param places where each check, rule and statement of a schema is defined.
 */
export function readingPage(
  title: string,
  name: string,
  document: string,
  catalogue: Catalogue,
  places: ReadonlyMap<string, Place>,
  unquoted: readonly Unquoted[],
): string {
  const requirements = [...catalogue.requirements.values()].filter(
    ({ chapter }) => chapter.startsWith(name) || chapter.startsWith('tpp/'),
  )
  const out = [
    `# ${title}: what judges each line`,
    '',
    'Made from `specs/` by `npm run generate`; do not edit. Under each line of the document stand the',
    'requirements that were read out of it, with their level and the checks and rules that judge',
    'them, and each sentence that nothing judges with the reason, from `specs/unquoted.yaml`.',
    '',
  ]
  for (const { line, text } of sayingLines(document)) {
    const quoting = requirements.filter(({ quote }) => quote.some((words) => text.includes(words)))
    const items = quoting.map((requirement) => item(requirement, places))
    const reasons = unquoted.filter((each) => each.document === name && text.includes(each.text))
    out.push(`**${line}** ${quoted(text)}`, '', ...items)
    for (const { text: words, why } of reasons) out.push(`- nothing judges “${words}” ${why}`)
    out.push('')
  }
  return `${out
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`
}

/** Escapes only what Markdown would change, so that a reader can search for the document's own words. */
function quoted(text: string): string {
  return text.replace(/[\\*[\]<]|(?<!\w)_|_(?!\w)/g, '\\$&').trim()
}

function item(
  { id, level, text, standard, checks, notTested, decision }: Requirement,
  places: ReadonlyMap<string, Place>,
): string {
  /** The id of a check, as a link to its definition. */
  const linked = (check: string) => {
    const place = places.get(check)
    return place ? `[\`${check}\`](../../${place.file}#L${place.line})` : `\`${check}\``
  }
  const judged =
    notTested === undefined ? checks.map(linked).join(', ') : `not tested: ${notTested}`
  const read = decision === undefined ? '' : ` (read as ${decision} decides)`
  const leans = standard.map((definition) => ` (${definition})`).join('')
  return `- **${id}** ${level}: ${text}${leans}${read} ${judged}`
}

/** Musts that nothing tests, each with its reason; every report mentions them. */
export function notTestedPage(catalogue: Catalogue): string {
  const musts = [...catalogue.requirements.values()].filter(
    ({ level, notTested }) => level === 'must' && notTested !== undefined,
  )
  const rows = musts.map(
    ({ id, binds, text, notTested }) => `| ${id} | ${binds} | ${text} | ${notTested} |`,
  )
  return [
    '# Musts that are not tested',
    '',
    'Made from `specs/` by `npm run generate`; do not edit.',
    '',
    '| requirement | binds | text | why it is not tested |',
    '| --- | --- | --- | --- |',
    ...rows,
    '',
  ].join('\n')
}
