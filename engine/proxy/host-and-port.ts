import { isIP } from 'node:net'

/** `host:port`, always with the port; undefined if the text is invalid. */
export function authorityOf(text: string): string | undefined {
  if (!/^[^\s/?#@\\]+$/.test(text) || !URL.canParse(`https://${text}`)) return undefined
  const { hostname, port } = new URL(`https://${text}`)
  return `${hostname}:${port || 443}`
}

/** `host` and `port` of an authority; an IPv6 host is without brackets. */
export function partsOf(authority: string): { host: string; port: number } {
  const at = authority.lastIndexOf(':')
  const host = authority.slice(0, at).replace(/^\[|\]$/g, '')
  return { host, port: Number(authority.slice(at + 1)) }
}

/** A host as it is written in an address. */
export const bracketed = (host: string) => (isIP(host) === 6 ? `[${host}]` : host)
