/** The final redirect of the authorisation endpoint, with its parameters by position. */
export interface Redirect {
  /** The address without query and fragment, to compare with the redirect URI. */
  address: string
  query: Record<string, string>
  fragment: Record<string, string>
  /** The part of the URL with the answer; undefined when there is no answer. */
  mode?: 'query' | 'fragment'
  code?: string
  idToken?: string
  state?: string
  error?: string
  errorDescription?: string
}

/**
 * Parses the URL of the last redirect. "On success the URL fragment carries an authorisation code and an ID token"; an
 * answer in the query is parsed too, so that a check can report it. A parameter without a value counts as absent (RFC
 * 6749 3.1).
 *
 * @returns undefined when the text is not a URL.
 */
export function parseRedirect(url: string): Redirect | undefined {
  if (!URL.canParse(url)) return undefined
  const { hash, search } = new URL(url)
  const query = Object.fromEntries(new URLSearchParams(search))
  const fragment = Object.fromEntries(new URLSearchParams(hash.slice(1)))
  const mode = answers(fragment) ? 'fragment' : answers(query) ? 'query' : undefined
  const answer = mode === 'query' ? query : fragment
  const said = (name: string) => answer[name] || undefined
  return {
    address: addressOf(url),
    query,
    fragment,
    mode,
    code: said('code'),
    idToken: said('id_token'),
    state: said('state') ?? query.state,
    error: said('error'),
    errorDescription: said('error_description'),
  }
}

/**
 * True if a final redirect goes to this redirect URI, including the URI's own query members. A browser normalises an
 * address: a slash where there is no path, a lower-case host, no default port.
 */
export function redirectsTo(redirect: Redirect, redirectUri: string): boolean {
  if (!URL.canParse(redirectUri)) return false
  const expected = new URL(redirectUri)
  const wanted = [redirectUri, expected.href].map(addressOf)
  if (!wanted.includes(redirect.address)) return false
  return [...expected.searchParams].every(([name, value]) => redirect.query[name] === value)
}

/** A URL without query and fragment. */
const addressOf = (url: string) => url.split(/[?#]/, 1)[0] ?? url

function answers({ code, error, id_token: idToken }: Record<string, string>): boolean {
  return Boolean(code || error || idToken)
}
