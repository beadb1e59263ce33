import { unusedProxy } from '../record/environment.ts'
import { addressMend } from '../report/whose.ts'
import type { Exchange } from '../wire/exchange.ts'
import { SPEAKS_NO_TLS } from '../wire/failure.ts'
import type { Case } from './case.ts'
import { type DoctorFinding, ok, wrong } from './finding.ts'
import type { Place } from './places.ts'
import { type ServerChain, serverChain } from './server-chain.ts'

/** True if the other end spoke TLS with us, whatever it said afterwards. */
export function spokeTls({ failure, response, connection }: Exchange): boolean {
  return (
    response !== undefined || failure?.kind === 'tls-alert' || connection.protocol !== undefined
  )
}

/** Says that a TLS port was spoken to without TLS: nginx, Apache, Go and Envoy. */
const PLAIN_TO_TLS =
  /plain HTTP request was sent to HTTPS|speaking plain HTTP to an SSL|HTTP request to an HTTPS server/i

/** True if the other end expects TLS, and http: was used. */
export function lacksTls({ request, failure, response }: Exchange): boolean {
  if (!request.url.startsWith('http:')) return false
  return response ? PLAIN_TO_TLS.test(response.body ?? '') : failure?.kind === 'closed'
}

/** What one request without a token shows about an address: whether it resolves, connects and is trusted. */
export async function addressFinding(
  { origin, serves, members, mutual }: Omit<Place, 'url'>,
  exchange: Exchange,
  { target, timeout }: Pick<Case, 'target' | 'timeout'>,
): Promise<DoctorFinding> {
  const { failure, response } = exchange
  const what = serves.join(', ')
  if (lacksTls(exchange)) {
    const { host } = new URL(origin)
    const text = response
      ? `${host} answers that it expects TLS`
      : `the connection to ${host} is closed: it has no TLS`
    return wrong('configuration', text, `Correct ${members.join(', ')}: write https:.`)
  }
  if (response) return ok(`answers (${what})`)
  const older = olderTls(new URL(origin).host, failure)
  if (older) return older
  // A refusal in the handshake is an answer. Whether the certificate is refused is checked later.
  if (mutual && spokeTls(exchange) && failure?.kind !== 'timeout') return ok(`is there (${what})`)
  const { hostname, host } = new URL(origin)
  const correct = `Correct ${members.join(', ')}`
  const unused = target.proxy === undefined ? unusedProxy(process.env, hostname) : undefined
  const hint = unused
    ? ` This machine has ${unused}, which is not used: write its address under proxy.`
    : ''
  const look = (then: string) => `${addressMend(members.join(', '), then)}${hint}`
  const via = target.proxy === undefined ? '' : ` through the proxy ${new URL(target.proxy).host}`
  const { kind = 'closed', code = '', message = '' } = failure ?? {}
  switch (kind) {
    case 'unreachable':
      return unreachable(code, { hostname, host, via, correct, look, message })
    case 'untrusted':
      return untrusted(
        code,
        { hostname, host, correct, message },
        await serverChain(origin, target, timeout),
      )
    case 'timeout': {
      const text = `no answer from ${host}: ${message}${via}`
      const slow = 'write a larger timeout if it is slow.'
      // The TLS session exists, so the bank itself is slow.
      if (spokeTls(exchange)) return wrong('bank', text, `Ask the bank, or ${slow}`)
      const then =
        code === 'ETIMEDOUT'
          ? 'check the firewall and VPN of this machine, then ask the bank.'
          : `ask the bank whether it runs; ${slow}`
      return wrong('network', text, look(then))
    }
    case 'garbage':
      return wrong(
        'configuration',
        `what answers at ${host} does not speak HTTP (${code})`,
        `${correct}.`,
      )
    case 'tls-alert':
      return wrong('bank', `refuses the TLS session: ${message}`)
  }
  const text = `the connection to ${host} is closed without an answer${via} (${code})`
  return wrong(
    'network',
    text,
    look(
      via === ''
        ? 'ask the bank why it closes the connection, then whoever runs a firewall between.'
        : 'ask whoever runs the proxy why the connection is closed, then the bank.',
    ),
  )
}

/** A finding if both ends have no TLS version in common. This end supports 1.2 and 1.3. */
export function olderTls(host: string, failure: Exchange['failure']): DoctorFinding | undefined {
  if (
    !/PROTOCOL_VERSION|UNSUPPORTED_PROTOCOL|NO_PROTOCOLS|WRONG_SSL_VERSION/.test(
      failure?.code ?? '',
    )
  ) {
    return undefined
  }
  const text = `${host} speaks no TLS 1.2 or 1.3, an older version alone (${failure?.code})`
  return wrong('bank', text, 'Ask the bank: what is older than 1.2 must not be used (RFC 8996).')
}

type Words = Record<'hostname' | 'host' | 'via' | 'correct' | 'message', string> & {
  look(then: string): string
}

/** Why OpenSSL ends a handshake with some servers. */
const HANDSHAKES: readonly [RegExp, string][] = [
  [/LEGACY_RENEGOTIATION/, 'its server lacks secure renegotiation (RFC 5746).'],
  [/KEY_TOO_SMALL/, 'a key of its server is too short.'],
]

function unreachable(code: string, words: Words): DoctorFinding {
  const { hostname, host, via, correct, look, message } = words
  if (SPEAKS_NO_TLS.test(code)) {
    const mend = `${correct}: another port, or http:// if the bank gave you that. If nothing differs from what it gave you, ask the bank.`
    return wrong('configuration', `what answers at ${host} does not speak TLS`, mend)
  }
  if (/^(ERR_SSL_|EPROTO$)/.test(code)) {
    const text = `no TLS session can be opened with ${host}${via}: ${message} (${code})`
    const [, why] = HANDSHAKES.find(([codes]) => codes.test(code)) ?? []
    return why === undefined
      ? wrong('network', text, look('ask the bank: the log of its server may say why.'))
      : wrong('bank', text, `Ask the bank: ${why}`)
  }
  if (code === 'PROXY_407') {
    const mend = 'Write both in proxy: http://user:password@host:port, the password as a variable.'
    return wrong('configuration', 'the proxy wants a user and a password', mend)
  }
  if (code.startsWith('PROXY_')) {
    const text = `the proxy answers ${code.slice('PROXY_'.length)} for ${host}`
    return wrong('network', text, 'Have the proxy let this address through, or correct proxy.')
  }
  if (via !== '') {
    // The bank is reached through the tunnel that the proxy opens: this is said of the proxy’s own address.
    const whose = /^(?:ECONNREFUSED|ENOTFOUND$|EAI_)/.test(code) ? 'configuration' : 'network'
    return wrong(whose, `nothing answers${via} (${code})`, 'Correct proxy, or leave it out.')
  }
  if (code === 'ENOTFOUND' || code.startsWith('EAI_')) {
    const mend = look("check whether this machine sees the bank's names: VPN, proxy.")
    return wrong('network', `the name ${hostname} does not resolve`, mend)
  }
  if (code === 'ECONNREFUSED') {
    const text = `nothing listens on ${host}: the connection is refused`
    return wrong('network', text, look('ask whoever runs the bank; if that is you, start it.'))
  }
  return wrong(
    'network',
    `${host} cannot be reached (${code})`,
    look('check the VPN and firewall of this machine, then ask the bank.'),
  )
}

/** The authority is not known, or not as one for servers. */
const LACKS_AUTHORITY = /^(UNABLE_TO_|SELF_SIGNED_|DEPTH_ZERO_|CERT_UNTRUSTED$)/

function untrusted(
  code: string,
  { hostname, host, correct, message }: Pick<Words, 'hostname' | 'host' | 'correct' | 'message'>,
  chain: ServerChain | undefined,
): DoctorFinding {
  const certificate = `the server certificate of ${host} (${chain?.subject ?? 'unknown'})`
  if (code === 'CERT_HAS_EXPIRED') {
    const text = `${certificate} expired on ${chain?.ends ?? 'an earlier day'}`
    return wrong('bank', text, 'Ask the bank for a new one.')
  }
  if (code === 'CERT_NOT_YET_VALID') {
    const mend = 'Look at the clock of this machine; else ask the bank.'
    return wrong('bank', `${certificate} is not valid yet`, mend)
  }
  if (code === 'ERR_TLS_CERT_ALTNAME_INVALID') {
    const names = chain?.names.join(', ') ?? 'other names'
    const mend = `${correct}: write one of these names; else ask the bank.`
    return wrong('configuration', `the server certificate is for ${names}, not ${hostname}`, mend)
  }
  const missing = chain?.missing ?? 'an authority'
  if (code === 'CERT_SIGNATURE_FAILURE') {
    const text = `${certificate} comes from another ${missing} than the one that is trusted: the names are equal, the keys are not`
    const mend = `Write the PEM file of this bank’s ${missing} under trust; if it is there, ask the bank.`
    return wrong('configuration', text, mend)
  }
  if (!LACKS_AUTHORITY.test(code)) {
    const text = `${certificate} cannot be used: ${message}`
    return wrong('bank', text, 'Ask the bank for one that a TLS server can use.')
  }
  const text = `${certificate} comes from ${missing}, which is not trusted`
  const add = `Write the PEM file of ${missing} under trust in the target file: - file:authority.pem.`
  // `incomplete`: an intermediate authority issued the certificate, and the server must send that one too.
  if (chain?.incomplete) {
    const whole = `${text}; the server sends no other certificate: its chain is not complete (RFC 8446 4.4.2)`
    return wrong(
      'bank',
      whole,
      `Ask the bank to send its intermediate certificates. If ${missing} is a root: ${add}`,
    )
  }
  const mend = `${add} If it is an intermediate authority and not a root, the bank’s server must send this certificate in the TLS handshake (RFC 8446 4.4.2): ask the bank.`
  return wrong('configuration', text, mend)
}
