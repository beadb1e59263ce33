import type { Catalogue, Requirement } from '../engine/catalogue/catalogue.ts'
import type { Place } from '../engine/catalogue/definitions.ts'

/**
 * The page for a reader who holds a document: every line of it, the requirements read out of it and
 * what judges them, and every line that nothing judges.
 *
 * @param places where each check, rule and statement of a schema is defined.
 */
export function readingPage(
  title: string,
  name: string,
  document: string,
  catalogue: Catalogue,
  places: ReadonlyMap<string, Place>,
): string {
  const requirements = [...catalogue.requirements.values()].filter(
    ({ chapter }) => chapter.startsWith(name) || chapter.startsWith('tpp/'),
  )
  const out = [
    `# ${title}: what judges each line`,
    '',
    'Made from `specs/` by `npm run generate`; do not edit. Under each line of the document stand the',
    'requirements that were read out of it, with their level and the checks and rules that judge',
    'them. A line without any says nothing that could be judged, or is quoted under another one.',
    '',
  ]
  for (const [index, text] of document.split('\n').entries()) {
    // Headings, table rules and blank lines say nothing.
    if (text.trim() === '' || text.startsWith('#') || /^\|[\s|:-]+\|$/.test(text)) continue
    const quoting = requirements.filter(({ quote }) => quote.some((words) => text.includes(words)))
    const items = quoting.map((requirement) => item(requirement, places))
    out.push(`**${index + 1}** ${quoted(text)}`, '', ...items)
    out.push(quoting.length === 0 ? '- nothing judges this line' : '', '')
  }
  return `${out
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`
}

/** Only what would be lost in Markdown is escaped: a reader searches for the document's own words. */
function quoted(text: string): string {
  return text.replace(/[\\*[\]<]|(?<!\w)_|_(?!\w)/g, '\\$&').trim()
}

function item(
  { id, level, text, standard, checks, notTested, decision }: Requirement,
  places: ReadonlyMap<string, Place>,
): string {
  /** The id of a check, which leads to its definition. */
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

/** Musts that nothing tests, each with its reason: what every report owns up to. */
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
