import { createHmac, randomBytes } from 'node:crypto'
import { createSecretIndex } from './secret-index.ts'

/** Names that replace secrets; one secret has the same name throughout a run. */
export type Pseudonyms = ReturnType<typeof createPseudonyms>

/** @param key hex; default: random, so that nobody can find the original values after the run. */
export function createPseudonyms(key: string = randomBytes(32).toString('hex')) {
  const secretKey = Buffer.from(key, 'hex')
  const index = createSecretIndex()
  /** Pseudonyms without their closing bracket, by value: the first label is kept. */
  const known = new Map<string, string>()
  const issued = new Set<string>()
  const searchedFor = new Set<string>()
  let longest = 0

  const begin = (value: string, label: string, searched: boolean): string => {
    const pseudonym = known.get(value) ?? `<${label}:${digestOf(value)}`
    known.set(value, pseudonym)
    issued.add(pseudonym)
    if (searched && !searchedFor.has(value)) {
      searchedFor.add(value)
      index.add(value, `${pseudonym}>`)
      longest = Math.max(longest, value.length)
    }
    return pseudonym
  }

  const digestOf = (value: string): string =>
    createHmac('sha256', secretKey).update(value).digest('hex').slice(0, 6)

  return {
    key,
    /** Length of the longest secret that is searched for. */
    get longest() {
      return longest
    },
    /** Number of secrets that are searched for. */
    get searched() {
      return searchedFor.size
    },
    /** The pseudonym of a value; `searched`: the value is also searched for in all that follows. */
    of: (value: string, label: string, searched: boolean) => `${begin(value, label, searched)}>`,
    /** The pseudonym of a value with harmless details: `<id_token:3f9a1c alg=PS256 …>`. */
    withSummary: (value: string, label: string, summary: string) =>
      `${begin(value, label, false)} ${summary}>`,
    /** True if a text is a pseudonym that was issued here. */
    issued(text: string): boolean {
      const start = /^<[\w-]+:[0-9a-f]{6}/.exec(text)?.[0]
      return start !== undefined && text.endsWith('>') && issued.has(start)
    },
    /** Replaces every value that is searched for by its pseudonym. */
    replace: index.replace,
  }
}
