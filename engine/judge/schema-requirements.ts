import { isObject } from '../record/json.ts'

/** One statement of a schema: the rule that a node gives. */
export interface Stated {
  /** ACC-05/gbp */
  id: string
  /** A sentence about the bank; empty if the node's own title describes another rule. */
  title: string
  /** The nodes from the root down that must be reached to exercise the rule. */
  chain: Link[]
  /** JSON pointer to the id in the schema. */
  at: string
}

interface Link {
  /** JSON pointer into the schema. */
  pointer: string
  /** How the node hangs on its parent: a member's name, `[]` for an element, or a keyword. */
  via: string
}

type Schema = Record<string, unknown>

/**
 * A copy of a schema in which each node records when it was reached (`visit: <pointer>`), and the list of what the
 * schema states.
 */
export function instrument(schema: Schema): { instrumented: Schema; stated: Stated[] } {
  const stated: Stated[] = []

  const walk = (source: Schema, chain: Link[]): Schema => {
    const { pointer } = chain.at(-1) as Link
    const child = (node: unknown, path: string, via: string) =>
      isObject(node) ? walk(node, [...chain, { pointer: `${pointer}/${path}`, via }]) : node
    if (typeof source.requirement === 'string') {
      const at = `${pointer}/requirement`
      stated.push({ id: source.requirement, title: String(source.title ?? ''), chain, at })
    }
    if (typeof source.presence === 'string') {
      const at = `${pointer}/presence`
      stated.push({ id: source.presence, title: '', chain: chain.slice(0, -1), at })
    }
    if (typeof source.observe === 'object' && source.observe !== null) {
      const { requirement, what } = source.observe as { requirement: string; what?: string }
      const title = what === undefined ? 'Recorded' : `Recorded: ${what}`
      const at = `${pointer}/observe/requirement`
      stated.push({ id: `${requirement}/recorded`, title, chain, at })
    }
    const copy: Schema = { ...source, visit: pointer }
    for (const key of ['properties', '$defs']) {
      const members = source[key]
      if (typeof members !== 'object' || members === null) continue
      copy[key] = Object.fromEntries(
        Object.entries(members).map(([name, member]) => [
          name,
          child(member, `${key}/${name}`, name),
        ]),
      )
    }
    if (source.items) copy.items = child(source.items, 'items', '[]')
    for (const key of ['then', 'else']) if (source[key]) copy[key] = child(source[key], key, key)
    if (Array.isArray(source.allOf)) {
      copy.allOf = source.allOf.map((part, index) => child(part, `allOf/${index}`, 'allOf'))
    }
    return copy
  }

  return { instrumented: walk(schema, [{ pointer: '', via: '' }]), stated }
}
