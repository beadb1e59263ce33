/** The components of RFC 3986 section 3, unchanged: nothing is normalised, unlike in the class URL. */
export interface Uri {
  scheme: string | undefined
  userinfo: string | undefined
  /** Undefined where there is no authority. */
  host: string | undefined
  port: string | undefined
  path: string
  query: string | undefined
  fragment: string | undefined
}

/** The regular expression of RFC 3986 appendix B, which matches any text. */
const COMPONENTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s

/** authority = [ userinfo "@" ] host [ ":" port ] */
const AUTHORITY = /^(?:(.*)@)?(\[[^\]@]*\]|[^:]*)(?::(.*))?$/s

export function splitUri(text: string): Uri {
  const [, scheme, authority, path = '', query, fragment] = COMPONENTS.exec(text) ?? []
  const [, userinfo, host, port] = AUTHORITY.exec(authority ?? '') ?? []
  const at = authority === undefined ? undefined : (host ?? authority)
  return { scheme, userinfo, host: at, port, path, query, fragment }
}

/** Joins the components: RFC 3986 section 5.3. */
export function joinUri({ scheme, userinfo, host, port, path, query, fragment }: Uri): string {
  const authority = [
    userinfo === undefined ? '' : `${userinfo}@`,
    host ?? '',
    port === undefined ? '' : `:${port}`,
  ].join('')
  return [
    scheme === undefined ? '' : `${scheme}:`,
    host === undefined ? '' : `//${authority}`,
    path,
    query === undefined ? '' : `?${query}`,
    fragment === undefined ? '' : `#${fragment}`,
  ].join('')
}

const IPV4 = /^\d{1,3}(\.\d{1,3}){3}$/

/** The host, if it is an IPv4 address. */
export function ipv4Of({ host }: Uri): string | undefined {
  return host !== undefined && IPV4.test(host) ? host : undefined
}

/** The text in the brackets, if the host is an IPv6 address. */
export function ipv6Of({ host }: Uri): string | undefined {
  return host?.match(/^\[([\da-f:.]+)\]$/i)?.[1]
}

/** The host, if it is a registered name and not empty. */
export function nameOf(uri: Uri): string | undefined {
  const { host } = uri
  return host && !host.startsWith('[') && ipv4Of(uri) === undefined ? host : undefined
}

/** Is the host loopback, where any port may be accepted (RFC 8252 section 7.3)? */
export function isLoopback({ host }: Uri): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(host ?? '')
}
