/** A page that leads on by itself. */
export interface Refresh {
  /** After so many of them. */
  seconds: number
  /** As written; empty: the page itself. */
  url: string
}

/** Seconds: what a customer waits for. A session that ends, and says so in a refresh, takes longer. */
const LONGEST = 15

/**
 * What `<meta http-equiv="refresh">` or the header Refresh says, as the HTML standard reads it ("shared declarative
 * refresh steps"); undefined where it says nothing, or leads on later than a customer waits.
 */
export function refreshOf(text: string | undefined): Refresh | undefined {
  const said =
    /^\s*(\d+)(?:\.[\d.]*)?(?=[\s;,]|$)\s*[;,]?\s*(?:url\s*=\s*)?(?:"([^"]*)|'([^']*)|(.*))/is
  const [, seconds, ...urls] = said.exec(text ?? '') ?? []
  if (seconds === undefined || Number(seconds) > LONGEST) return undefined
  return { seconds: Number(seconds), url: urls.find((url) => url !== undefined)?.trim() ?? '' }
}
