let last: { url: string; origin?: string } = { url: '' }

/** Scheme, host and port of a URL; undefined if it is not one. Remembers the last one: senders repeat it. */
export function originOf(url: string): string | undefined {
  if (url !== last.url) last = { url, ...(URL.canParse(url) && { origin: new URL(url).origin }) }
  return last.origin
}
