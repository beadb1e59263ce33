import { joinUri, splitUri, type Uri } from './uri-components.ts'
import type { Part } from './value-type.ts'

/** Correct redirect URIs, from which wrong ones are made. */
export interface RedirectUris {
  /** The URIs of this client at this place. Rows change the first; to change another, a run rotates the list. */
  registered: readonly string[]
  /** The URIs of other clients. */
  ofOthers: readonly string[]
}

/** Changes a registered URI: components or the whole text; undefined where the change does not exist for it. */
type Change = (uri: Uri, right: RedirectUris) => Partial<Uri> | string | undefined

type Row = readonly [id: string, words: string, change: Change]

/** The requirements, and the comparison that the cited standard defines. */
export const MATCH =
  '“Must match one of the redirect URIs registered for the client”, “equal or are a subset of the software_redirect_uris claim”; RFC 6749 3.1.2.3: “MUST compare the two URIs using simple string comparison”'

/** A host that does not exist: RFC 2606. */
export const ELSEWHERE = 'elsewhere.invalid'

/** Rows for a part of the grammar: each makes a text that is not a registered URI. */
export function differing(part: string, clause: string, rows: readonly Row[]) {
  return {
    part,
    rows: rows.map(([id, words, change]) => ({
      id,
      words,
      level: 'must' as const,
      because: `${MATCH}; ${clause}`,
      make: (right: RedirectUris) => changed(right, change),
    })),
  } satisfies Part<RedirectUris, string>
}

function changed(right: RedirectUris, change: Change): string | undefined {
  const [first] = right.registered
  if (first === undefined) return undefined
  const uri = splitUri(first)
  const made = change(uri, right)
  if (made === undefined) return undefined
  const text = typeof made === 'string' ? made : joinUri({ ...uri, ...made })
  return right.registered.includes(text) ? undefined : text
}

/** Swaps upper and lower case. */
export function otherCase(text: string): string {
  return text.replace(/[a-z]/gi, (one) =>
    one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase(),
  )
}
