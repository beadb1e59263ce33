/** Whether a secret can be had from a text, by whoever knows how it may be disguised. */
export function leaks(text: string, secret: string): boolean {
  const decoded = [...text.matchAll(/[A-Za-z0-9+/_-]{8,}/g)].map(([run]) =>
    Buffer.from(run, 'base64url').toString('utf8'),
  )
  const unescaped = (one: string) => {
    try {
      return decodeURIComponent(one.replaceAll('+', ' '))
    } catch {
      return one
    }
  }
  return [text, ...decoded, unescaped(text), unescaped(unescaped(text))].some((one) =>
    one.includes(secret),
  )
}
