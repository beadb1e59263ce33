import type { Catalogue } from '../engine/catalogue/catalogue.ts'
import { GOALS, type Scenario, stepsOf } from '../engine/certification/scenario.ts'
import type { TppSuites } from '../engine/certification/suite.ts'

/** docs/scenarios.md: every scenario and rule with its sentence, made from the catalogue. */
export function scenariosPage(
  { scenarios, rules }: TppSuites,
  catalogue: Catalogue,
  storyOf: (alteration: string) => string | undefined,
): string {
  const out = [
    '# What a TPP’s client meets',
    '',
    'Made from `specs/tpp/` and `suites/tpp/` by `npm run generate`; do not edit.',
    '',
    `${scenarios.length} scenarios, each with a bank of its own, and ${rules.length} rules that judge every`,
    'request in all of them. A **must** is in a document; a **should** is in a clause of a standard to which',
    'the documents refer; what is **observed** is recorded and never judged.',
    '',
    '| goal | the client is asked to |',
    '| --- | --- |',
    ...Object.entries(GOALS).map(([goal, text]) => `| \`${goal}\` | ${text} |`),
    '',
  ]
  for (const chapter of catalogue.chapters) {
    const requirements = [...catalogue.requirements.values()].filter(
      (each) => each.chapter === chapter,
    )
    out.push(`## ${titleOf(chapter)}`, '')
    for (const { id, level, text, quote, clause, source, checks, notTested } of requirements) {
      const words = [...quote, ...(clause === undefined ? [] : [clause])]
      const named = level === 'observe' ? 'observed' : level
      out.push(`### ${id}: ${text}`, '', `**${named}** · ${source}`, '')
      for (const each of words) out.push(`> ${plain(each)}`, '')
      if (notTested !== undefined) out.push(`Not tested: ${notTested}`, '')
      for (const check of checks) {
        const scenario = scenarios.find((each) => each.id === check)
        const rule = rules.find((each) => each.id === check)
        if (scenario) out.push(...scenarioLines(scenario, storyOf))
        if (rule) out.push(`- \`${rule.id}\`, in every scenario: ${rule.title}.`)
      }
      out.push('')
    }
  }
  return `${out
    .join('\n')
    .replace(/\n{3,}/g, '\n\n')
    .trim()}\n`
}

function scenarioLines(scenario: Scenario, storyOf: (alteration: string) => string | undefined) {
  const { id, title, right, alteration } = scenario
  const steps = stepsOf(scenario).map((step) =>
    typeof step === 'string' ? `\`${step}\`` : step.fact.replaceAll('-', ' '),
  )
  const bank = alteration === undefined ? 'the correct bank' : `\`${alteration}\``
  const story = alteration === undefined ? '' : ` ${storyOf(alteration) ?? ''}`
  return [
    `- \`${id}\`: ${title}. A correct client: ${right}`,
    `  Bank: ${bank}.${plain(story)} Steps: ${steps.join(', ')}.`,
  ]
}

function titleOf(chapter: string): string {
  const name = chapter.slice(chapter.indexOf('/') + 1).replaceAll('-', ' ')
  return name === 'id token' ? 'ID token' : `${name[0]?.toUpperCase()}${name.slice(1)}`
}

/** Escapes what Markdown would interpret. */
function plain(text: string): string {
  return text.replace(/[\\*_<>|]/g, '\\$&')
}
