import { existsSync, readFileSync } from 'node:fs'
import { join } from 'node:path'
import { type Text, textsOf } from './texts.ts'

/**
 * Words that readers whose first language is not English did not understand, in the documentation, comments and messages,
 * and what to write instead.
 */
export const WORDS: readonly (readonly [word: RegExp, instead: string])[] = [
  [/\bmend(s|ed|ing)?\b/i, 'fix'],
  [/\banew\b/i, 'again'],
  [/\bto and fro\b/i, 'back and forth'],
  [/\bgo(es|ne)? on with\b/i, 'continue with'],
  [/\bin vain\b/i, 'without success'],
  [/\bparted\b/i, 'separated'],
  [/\bspoil(s|t|ed)?\b/i, 'affect'],
  [/\bnearer\b/i, 'closer'],
  [/\bkeepers?\b/i, 'owner'],
  [/\bholds of\b/i, 'is true of'],
  [/\blook(s|ing)? whether\b/i, 'check whether'],
  [/\b(hence|thereby|thereof|whilst|hitherto|albeit|lest)\b/i, 'a plain word'],
]

/** The prose in a line of a page: without code in backticks. */
const proseOf = (line: string) => line.replaceAll(/`[^`]*`|\[[^\]]*\]\([^)]*\)/g, '')

/** A comment in a program. */
const commentOf = (line: string) => (/^\s*(\*|\/\/|\/\*)/.test(line) ? proseOf(line) : '')

/** The prose in a line of a program: a comment, or texts of several words. Identifiers are not included. */
function saidIn(line: string): string {
  const comment = commentOf(line)
  if (comment !== '') return comment
  const texts = line.replaceAll(/\$\{[^}]*\}/g, '…').match(/'[^']*'|`[^`]*`|"[^"]*"/g) ?? []
  return texts.filter((text) => text.split(' ').length > 2).join(' ')
}

const PAGES = ['README.md', 'CONTRIBUTING.md', 'SECURITY.md', 'CHANGELOG.md', 'reports/README.md']
const ROOMS = ['engine', 'cli', 'suites', 'proof', 'bank', 'authoring', 'bench']

/** The places of such words: `docs/ci.md:12: “mend”: write “fix”.` */
export function wordProblems(root: string): string[] {
  const pages = [
    ...textsOf(root, 'docs', /^[^/]*\.md$/),
    ...PAGES.filter((file) => existsSync(join(root, file))).map((file) => ({
      file,
      text: readFileSync(join(root, file), 'utf8'),
    })),
  ]
  const programs = ROOMS.flatMap((room) => textsOf(root, room, /\.ts$/))
  return [
    ...pages.flatMap((page) => wordsIn(page, proseOf)),
    ...programs.flatMap((program) => wordsIn(program, saidIn)),
    ...textsOf(root, 'tests', /\.ts$/).flatMap((test) => wordsIn(test, commentOf)),
  ]
}

function wordsIn({ file, text }: Text, read: (line: string) => string): string[] {
  return text.split('\n').flatMap((line, index) => {
    const prose = read(line)
    return WORDS.flatMap(([word, instead]) => {
      const found = word.exec(prose)
      return found ? [`${file}:${index + 1}: “${found[0]}”: write “${instead}”.`] : []
    })
  })
}
