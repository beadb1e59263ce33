/** The components of RFC 3986 section 3, as they stand: nothing is normalised, unlike in the class URL. */
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

/** The regular expression of RFC 3986 appendix B, which divides any text. */
const COMPONENTS = /^(?:([^:/?#]+):)?(?:\/\/([^/?#]*))?([^?#]*)(?:\?([^#]*))?(?:#(.*))?$/s

/** authority = [ userinfo "@" ] host [ ":" port ] */
const AUTHORITY = /^(?:(.*)@)?(\[[^\]@]*\]|[^:]*)(?::(.*))?$/s

/** Divides a URI into its components. */
export function splitUri(text: string): Uri {
  const [, scheme, authority, path = '', query, fragment] = COMPONENTS.exec(text) ?? []
  const [, userinfo, host, port] = AUTHORITY.exec(authority ?? '') ?? []
  const at = authority === undefined ? undefined : (host ?? authority)
  return { scheme, userinfo, host: at, port, path, query, fragment }
}

/** Puts the components together: RFC 3986 section 5.3. */
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

/** Its host where that is an IPv4 address. */
export function ipv4Of({ host }: Uri): string | undefined {
  return host !== undefined && IPV4.test(host) ? host : undefined
}

/** What stands in the brackets where the host is an IPv6 address. */
export function ipv6Of({ host }: Uri): string | undefined {
  return host?.match(/^\[([\da-f:.]+)\]$/i)?.[1]
}

/** Its host where that is a registered name that is not empty. */
export function nameOf(uri: Uri): string | undefined {
  const { host } = uri
  return host && !host.startsWith('[') && ipv4Of(uri) === undefined ? host : undefined
}

/** On loopback any port may do: RFC 8252 section 7.3. */
export function isLoopback({ host }: Uri): boolean {
  return /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/i.test(host ?? '')
}
