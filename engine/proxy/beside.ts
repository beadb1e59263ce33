import { type Passed, whyNone } from './forward.ts'
import type { Beside } from './server.ts'

/** Maximum number of different events that are listed and counted. */
const MOST = 100

/**
 * Counts events that are not judged: refused hosts, clients that do not trust the proxy, a bank that gave no answer.
 *
 * @param tell called with each kind of event when it first happens
 */
export function createBeside(tell: (text: string) => void) {
  const times = new Map<string, number>()
  const count = (text: string) => {
    const before = times.get(text)
    if (before === undefined && times.size >= MOST) return
    times.set(text, (before ?? 0) + 1)
    if (before === undefined) tell(text)
  }
  return {
    count,
    note: (beside: Beside) => count(wordsFor(beside)),
    passed({ failure, url, hungUp }: Passed) {
      const { host } = new URL(url)
      if (hungUp) count(`a client hung up before the answer of ${host} was whole`)
      else if (failure) count(`${host}: ${whyNone(failure)}. The bank is not judged by that`)
    },
    /** One line per event, with how often it happened. */
    notes: () => [...times].map(([text, n]) => (n === 1 ? text : `${text} (${n} times)`)),
  }
}

function wordsFor(beside: Beside): string {
  const { kind, authority } = beside
  if (kind === 'refused') {
    return `refused: ${authority} is none of the target’s hosts; NO_PROXY leaves it out of a client’s proxy, --pass has it passed unread`
  }
  if (kind === 'passed-unread') return `passed unread: tunnels to ${authority}`
  if (kind === 'stranger') {
    return `refused: a client certificate whose key the target file does not have: ${beside.subject}`
  }
  return `a client ended the handshake for ${authority}: ${handshakeWords(beside)}`
}

function handshakeWords({ code, message }: { code: string; message: string }): string {
  if (/UNKNOWN_CA|BAD_CERTIFICATE|CERTIFICATE_UNKNOWN/.test(code)) {
    return `it does not trust the proxy’s authority (${code})`
  }
  if (/NO_APPLICATION_PROTOCOL/.test(code))
    return `it speaks HTTP/2 alone, the proxy HTTP/1.1 (${code})`
  if (/WRONG_VERSION|HTTP_REQUEST/.test(code)) return `it spoke no TLS (${code})`
  if (code === 'ECONNRESET') return 'it hung up; mostly it does not trust the proxy’s authority'
  return `${message} (${code})`
}
