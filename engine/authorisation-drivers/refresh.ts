/** A page that redirects after a time. */
export interface Refresh {
  /** Seconds until then. */
  seconds: number
  /** As written; empty: the page itself. */
  url: string
}

/** Maximum seconds that a customer waits. A refresh that announces the end of a session takes longer. */
const LONGEST = 15

/**
 * Reads `<meta http-equiv="refresh">` or the header Refresh, as the HTML standard does ("shared declarative refresh
 * steps"). Undefined if it says nothing, or redirects later than a customer waits.
 */
export function refreshOf(text: string | undefined): Refresh | undefined {
  const said =
    /^\s*(\d+)(?:\.[\d.]*)?(?=[\s;,]|$)\s*[;,]?\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is
  const [, seconds, ...urls] = said.exec(text ?? '') ?? []
  if (seconds === undefined || Number(seconds) > LONGEST) return undefined
  return { seconds: Number(seconds), url: urls.find((url) => url !== undefined)?.trim() ?? '' }
}
