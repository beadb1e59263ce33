/** The final redirect of the authorisation endpoint, its parameters by where they stood. */
export interface Redirect {
  /** Without query and fragment: to be compared with the redirect URI. */
  address: string
  query: Record<string, string>
  fragment: Record<string, string>
  /** Where the answer stood; undefined when there is none. */
  mode?: 'query' | 'fragment'
  code?: string
  idToken?: string
  state?: string
  error?: string
  errorDescription?: string
}

/**
 * Parses the URL of the last redirect. "On success the URL fragment carries an authorisation code
 * and an ID token"; an answer in the query is read too, so that whoever judges can say so.
 *
 * @returns undefined when the text is no URL.
 */
export function parseRedirect(url: string): Redirect | undefined {
  if (!URL.canParse(url)) return undefined
  const { hash, search } = new URL(url)
  const query = Object.fromEntries(new URLSearchParams(search))
  const fragment = Object.fromEntries(new URLSearchParams(hash.slice(1)))
  const mode = answers(fragment) ? 'fragment' : answers(query) ? 'query' : undefined
  const answer = mode === 'query' ? query : fragment
  const { code, id_token: idToken, error, error_description: errorDescription } = answer
  const state = answer.state ?? query.state
  return {
    address: url.split(/[?#]/, 1)[0] ?? url,
    query,
    fragment,
    ...{ mode, code, idToken, state, error, errorDescription },
  }
}

/** Whether a final redirect goes to this redirect URI, its own query members included. */
export function redirectsTo(redirect: Redirect, redirectUri: string): boolean {
  if (!URL.canParse(redirectUri)) return false
  const expected = new URL(redirectUri)
  if (redirect.address !== redirectUri.split(/[?#]/, 1)[0]) return false
  return [...expected.searchParams].every(([name, value]) => redirect.query[name] === value)
}

function answers(params: Record<string, string>): boolean {
  return params.code !== undefined || params.error !== undefined || params.id_token !== undefined
}
