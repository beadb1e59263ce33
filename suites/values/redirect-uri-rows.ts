import { joinUri, splitUri, type Uri } from './uri-components.ts'
import type { Part } from './value-type.ts'

/** What wrong redirect URIs are made of. */
export interface RedirectUris {
  /** Those of this client at this place; one deviates from the first. A run that wants others rotates the list. */
  registered: readonly string[]
  /** Those of other clients. */
  ofOthers: readonly string[]
}

/** How a registered URI is changed: components or a whole text; undefined where it has no such. */
type Change = (uri: Uri, right: RedirectUris) => Partial<Uri> | string | undefined

type Row = readonly [id: string, words: string, change: Change]

/** The sentences, and how the standard that they lean on compares. */
export const MATCH =
  '“Must match one of the redirect URIs registered for the client”, “equal or are a subset of the software_redirect_uris claim”; RFC 6749 3.1.2.3: “MUST compare the two URIs using simple string comparison”'

/** A host that nobody has: RFC 2606. */
export const ELSEWHERE = 'elsewhere.invalid'

/** Rows of a part of the grammar: each makes a text that is no registered URI. */
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

/** With capitals for small letters, and the other way round. */
export function otherCase(text: string): string {
  return text.replace(/[a-z]/gi, (one) =>
    one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase(),
  )
}
