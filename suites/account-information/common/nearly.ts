import { blockBy } from '../../../engine/suite-api/outcomes.ts'

/** Ways in which a redirect URI is nearly a registered one; none of them makes the same URI. */
const WAYS: Record<string, (uri: URL) => void> = {
  'a path below it': (uri) => {
    uri.pathname = `${uri.pathname.replace(/\/$/, '')}/more`
  },
  'a slash more or less': (uri) => {
    uri.pathname = uri.pathname.endsWith('/') ? uri.pathname.slice(0, -1) : `${uri.pathname}/`
  },
  'a query': (uri) => uri.searchParams.append('more', '1'),
  'its path in other letters': (uri) => {
    uri.pathname = uri.pathname.replace(/[a-z]/gi, (one) =>
      one === one.toUpperCase() ? one.toLowerCase() : one.toUpperCase(),
    )
  },
  'a host below its own': (uri) => {
    uri.hostname = `more.${uri.hostname}`
  },
  'another scheme': (uri) => {
    uri.protocol = uri.protocol === 'https:' ? 'http:' : 'https:'
  },
  'another port': (uri) => {
    // On loopback any port may do: RFC 8252 section 7.3.
    if (isLoopback(uri)) return
    uri.port = uri.port === '8443' ? '8444' : '8443'
  },
}

export const NEARLY = Object.keys(WAYS)

const isLoopback = ({ hostname }: URL) => /^(localhost|127\.\d+\.\d+\.\d+|\[::1\])$/.test(hostname)

/**
 * Redirect URIs that are nearly this one; a way that leaves it as it is is left out. Ends the check where a bank
 * has registered what is no URI.
 */
export function nearly(registered: string): { words: string; uri: string }[] {
  if (!URL.canParse(registered)) blockBy('REG-04/redirect-uris', `${registered} is no URI`)
  return Object.entries(WAYS).flatMap(([words, change]) => {
    const uri = new URL(registered)
    change(uri)
    return uri.href === new URL(registered).href ? [] : [{ words, uri: uri.href }]
  })
}
