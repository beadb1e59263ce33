import type { TppJudges, TppProof } from './prove-tpp.ts'
import type { ProvenTpp } from './tpp-proof.ts'

/** A Markdown page: what each wrong TPP was caught by, and which wrong TPPs each check catches. */
export function tppMatrixPage(
  proofs: TppProof[],
  all: { tpp: ProvenTpp }[],
  { suites, catalogue }: TppJudges,
): string {
  const storyOf = (id: string) => all.find(({ tpp }) => tpp.id === id)?.tpp.story ?? ''
  const caughtBy = ({ fails, warns }: TppProof) => [...fails, ...warns].sort()
  const list = (ids: string[]) => ids.map((id) => `\`${id}\``).join(', ') || 'nothing'
  const wrong = proofs.filter(({ kind }) => kind === 'wrong')
  const others = proofs.filter(({ kind }) => kind !== 'wrong')
  const killed = wrong.filter((proof) => caughtBy(proof).length > 0).length
  const ids = [...suites.scenarios, ...suites.rules]
    .map(({ id }) => id)
    .filter((id) => catalogue.owners.get(id)?.level !== 'observe')
    .sort()
  return [
    '# The proof of what judges TPPs',
    '',
    'Made by `assay prove --tpp --page FOLDER`. Each wrong TPP does one thing otherwise than the',
    'reference TPP, and exactly these requirements fail or warn. Nothing fails or warns at the reference',
    'TPP and at those that take a freedom.',
    '',
    `${killed} of ${wrong.length} wrong TPPs are caught; ${others.filter((proof) => caughtBy(proof).length === 0).length} of ${others.length} right and lawful ones are blamed for nothing.`,
    '',
    '| wrong TPP | what it does | caught by |',
    '| --- | --- | --- |',
    ...wrong.map((proof) => `| ${proof.id} | ${storyOf(proof.id)} | ${list(caughtBy(proof))} |`),
    '',
    '| lawful TPP | the freedom that it takes | blamed for |',
    '| --- | --- | --- |',
    ...others.map((proof) => `| ${proof.id} | ${storyOf(proof.id)} | ${list(caughtBy(proof))} |`),
    '',
    '| scenario or rule | wrong TPPs that it catches |',
    '| --- | --- |',
    ...ids.map(
      (id) =>
        `| \`${id}\` | ${wrong
          .filter((proof) => caughtBy(proof).includes(id))
          .map((proof) => proof.id)
          .join(', ')} |`,
    ),
    '',
  ].join('\n')
}
