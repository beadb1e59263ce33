import type { Exchange } from '../wire/exchange.ts'
import { type Finding, ok, wrong } from './finding.ts'
import type { ServerChain } from './server-chain.ts'

/** An origin of the target, and what of the interface stands there. */
export interface Place {
  origin: string
  /** In words: token, registration. */
  serves: string[]
  /** Members of the target file that name it. */
  members: string[]
  /** Is anything there served over mutual TLS? */
  mutual: boolean
  /** Address that is asked. */
  url: string
}

/** Whether the other end spoke TLS with us, whatever it said afterwards. */
export function spokeTls({ failure, response, connection }: Exchange): boolean {
  return (
    response !== undefined || failure?.kind === 'tls-alert' || connection.protocol !== undefined
  )
}

/** What one request without a token says of an address: that it resolves, connects, is trusted. */
export function addressFinding(
  { origin, serves, members, mutual }: Place,
  exchange: Exchange,
  proxy: string | undefined,
  chain: ServerChain | undefined,
): Finding {
  const { failure, response } = exchange
  const what = serves.join(', ')
  if (response) return ok(`answers (${what})`)
  // A refusal in the handshake is an answer: whose certificate is refused is asked later.
  if (mutual && spokeTls(exchange) && failure?.kind !== 'timeout') return ok(`is there (${what})`)
  const { hostname, host, protocol } = new URL(origin)
  const correct = `Correct ${members.join(', ')}`
  const via = proxy === undefined ? '' : ` through the proxy ${new URL(proxy).host}`
  const { kind = 'closed', code = '', message = '' } = failure ?? {}
  switch (kind) {
    case 'unreachable':
      return unreachable(code, { hostname, host, via, correct })
    case 'untrusted':
      return untrusted(code, { hostname, correct }, chain)
    case 'timeout':
      return wrong(
        code === 'ETIMEDOUT' ? 'the network' : 'the bank',
        `${message}${via}`,
        code === 'ETIMEDOUT'
          ? `Look at firewall and VPN. ${correct}.`
          : 'Write a larger timeout, or ask the bank.',
      )
    case 'garbage':
      return wrong('your configuration', `${host} does not speak HTTP (${code})`, `${correct}.`)
    case 'tls-alert':
      return wrong('the bank', `refuses the TLS session: ${message}`, 'Ask the bank.')
    default:
      if (protocol === 'http:') {
        const text = `${host} closes a connection without TLS`
        return wrong('your configuration', text, `${correct}: write https:.`)
      }
      return wrong(
        'the network',
        `${host} closes the connection without an answer${via} (${code})`,
        'Look at what stands between: a proxy, a firewall. Else ask the bank.',
      )
  }
}

interface Words {
  hostname: string
  host: string
  via: string
  correct: string
}

function unreachable(code: string, { hostname, host, via, correct }: Words): Finding {
  if (/WRONG_VERSION_NUMBER|PACKET_LENGTH|UNKNOWN_PROTOCOL|HTTP_REQUEST/.test(code)) {
    const mend = `${correct}: another port, or http: where that is meant.`
    return wrong('your configuration', `${host} does not speak TLS`, mend)
  }
  if (code === 'PROXY_407') {
    const mend = 'Write both in proxy: http://user:password@host:port, the password as a variable.'
    return wrong('your configuration', 'the proxy wants a user and a password', mend)
  }
  if (code.startsWith('PROXY_')) {
    const text = `the proxy answers ${code.slice('PROXY_'.length)} for ${host}`
    return wrong('the network', text, 'Have the proxy let this address through, or correct proxy.')
  }
  if (via !== '') {
    return wrong(
      'the network',
      `nothing answers${via} (${code})`,
      'Correct proxy, or leave it out.',
    )
  }
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) {
    const mend = `${correct}, or look whether this machine sees the bank's names: VPN, proxy.`
    return wrong('the network', `the name ${hostname} does not resolve`, mend)
  }
  if (code === 'ECONNREFUSED') {
    return wrong('the network', `nothing listens on ${host}`, `${correct}, or start the bank.`)
  }
  return wrong('the network', `${host} cannot be reached (${code})`, `${correct}, or look at VPN.`)
}

function untrusted(
  code: string,
  { hostname, correct }: Pick<Words, 'hostname' | 'correct'>,
  chain: ServerChain | undefined,
): Finding {
  const subject = chain?.subject ?? 'unknown'
  if (code === 'CERT_HAS_EXPIRED') {
    const text = `the certificate ${subject} expired on ${chain?.ends ?? 'an earlier day'}`
    return wrong('the bank', text, 'Ask the bank for a new one.')
  }
  if (code === 'CERT_NOT_YET_VALID') {
    const text = `the certificate ${subject} is not valid yet`
    return wrong('the bank', text, 'Look at the clock of this machine; else ask the bank.')
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = chain?.names.join(', ') ?? 'other names'
    const mend = `${correct}: write one of these names; else ask the bank.`
    return wrong('your configuration', `the certificate is for ${names}, not ${hostname}`, mend)
  }
  const missing = chain?.missing ?? 'an authority'
  return wrong(
    'your configuration',
    `the certificate ${subject} comes from ${missing}, which is not trusted`,
    `Add the PEM of ${missing} under trust: - file:authority.pem.`,
  )
}
