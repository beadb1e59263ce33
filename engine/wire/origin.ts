let last: { url: string; origin?: string } = { url: '' }

/** Scheme, host and port of an address; undefined where it is none. Who sends asks for one several times. */
export function originOf(url: string): string | undefined {
  if (url !== last.url) last = { url, ...(URL.canParse(url) && { origin: new URL(url).origin }) }
  return last.origin
}
