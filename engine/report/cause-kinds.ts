import { counted } from './escape.ts'
import { answer, type Evidence, originOf, type Trace } from './evidence-index.ts'
import type { CheckResult } from './report.ts'
import { endpointMend, gatewayTitle, isGateway, memberIn } from './whose.ts'

/** A finding with the exchange that it is about. */
export interface Finding {
  check: CheckResult
  trace?: Trace
}

export type Traced = Finding & { trace: Trace }

/** Facts that only all exchanges of a run together show. */
export interface Scene {
  /** ConsentIds that were returned for two creations. */
  twice: ReadonlySet<string>
  /** The issuer of the configuration, if the configuration is at another address: OpenID Connect Discovery 4.3. */
  issuer?: { named: string; at: string }
  /** Endpoints that accept a request without a client certificate. */
  open: ReadonlySet<string>
  /** Origins from which any answer came. */
  answered: ReadonlySet<string | undefined>
}

export function sceneOf(findings: Finding[], evidence: Evidence): Scene {
  const given = new Set<string>()
  const twice = new Set<string>()
  let issuer: Scene['issuer']
  for (const trace of evidence.values()) {
    if (trace.given !== undefined && given.has(trace.given)) twice.add(trace.given)
    if (trace.given !== undefined) given.add(trace.given)
    const { issuer: named, url } = trace.configuration ?? {}
    if (named === undefined || url === undefined) continue
    const at = url.split('/.well-known/', 1)[0] ?? url
    if (named.replace(/\/$/, '') !== at) issuer = { named, at }
  }
  const open = findings.flatMap(({ trace }) =>
    trace?.identity === 'none' && accepted(trace) ? [trace.where] : [],
  )
  const answers = [...evidence.values()].filter(({ status }) => status !== undefined)
  const answered = new Set(answers.map(({ origin }) => origin))
  return { twice, issuer, open: new Set(open), answered }
}

/** How findings can show that they have a common cause: equal keys mean one cause. */
interface Kind {
  key(finding: Traced, scene: Scene): string | undefined
  title(findings: Finding[], trace: Trace, scene: Scene): string
  evidence(findings: Finding[], trace: Trace, scene: Scene): string
  /** A single finding is enough to show it. */
  alone?: true
  /** Default: the bank. */
  whose?: 'gateway' | 'network'
}

/** A clock difference of up to this number of seconds explains nothing. */
const CLOCK = 60

/** Tried in this order; a finding belongs to the first kind whose key it shares with another finding. */
export const KINDS: Kind[] = [
  {
    key: ({ trace }) => (wentWrong(trace) && isGateway(trace) ? 'gateway' : undefined),
    alone: true,
    whose: 'gateway',
    title: (_, trace) => gatewayTitle(trace),
    evidence: (findings) =>
      `${counted(findings.length, 'check')} met it where nothing was wrong with the request`,
  },
  {
    // The address in the target file may be wrong: only an address that answers is known to be the bank’s.
    key: ({ check }, { answered }) =>
      differsInAddress(check) && !answered.has(originOf(check.expected ?? ''))
        ? `address ${check.place}`
        : undefined,
    alone: true,
    whose: 'network',
    title: ([first]) => sentence(first),
    evidence: ([first]) =>
      `nothing that the run sent to ${originOf(first?.check.expected ?? '')} was answered`,
  },
  {
    key: ({ check, trace }, { twice }) => (concerns(twice, check, trace) ? 'twice' : undefined),
    title: () => 'a ConsentId is given to two consents',
    evidence: (_, _trace, { twice }) =>
      `all of them are about ${counted(twice.size, 'ConsentId')} that two creations were answered with`,
  },
  {
    key: (finding, { issuer }) =>
      issuer && blamesIssuer(finding, issuer.named) ? 'issuer' : undefined,
    alone: true,
    title: (_, _trace, { issuer }) =>
      `the issuer of the configuration is not the bank’s: ${issuer?.named}`,
    evidence: (_, _trace, { issuer }) =>
      `the configuration stands at ${issuer?.at}, and what was made for the issuer that it names is refused or differs`,
  },
  {
    key: ({ trace }) =>
      refusedToken(trace) ? `token ${trace.issued?.grant} ${answer(trace)}` : undefined,
    title: (_, { status, issued }) =>
      `access tokens of the ${issued?.grant || 'token'} grant are refused (${status})`,
    evidence: (findings, trace) => {
      const tokens = new Set(findings.map(({ trace: each }) => each?.token)).size
      const which = tokens === 1 ? 'one token' : `${tokens} tokens`
      return `${counted(findings.length, 'check')} sent ${which} of that grant and met ${answer(trace)}`
    },
  },
  {
    // No answer or an error: whatever is reported about that exchange has this reason.
    key: ({ trace }) => (wentWrong(trace) ? `exchange ${trace.id}` : undefined),
    title: ([first]) => sentence(first),
    evidence: (_, { id }) => `all of them report the exchange ${id}`,
  },
  {
    key: ({ check: { place = '', title }, trace: { ahead = 0 } }) => {
      const timed = /(DateTime|\/iat|\/exp|\/nbf)$/.test(place) || /clock|now/.test(title)
      return timed && Math.abs(ahead) > CLOCK ? `clock ${rounded(ahead)}` : undefined
    },
    title: (_, { ahead = 0 }) =>
      `the bank’s clock is ${Math.abs(rounded(ahead))} s ${ahead > 0 ? 'ahead' : 'behind'}`,
    evidence: () => 'the times of its answers differ from ours by the same offset',
  },
  {
    key: ({ trace }, { open }) => {
      if (!accepted(trace)) return undefined
      const certificate = CERTIFICATES[trace.identity] !== undefined && open.has(trace.where)
      return certificate ? 'no mutual TLS' : `accepts ${oddity(trace)}`
    },
    title(findings, trace) {
      const odd = [...new Set(findings.map(({ trace: each }) => each && oddity(each)))]
      return odd.length > 1
        ? `mutual TLS is not enforced: ${odd.join(', ')}: none is refused`
        : `${oddity(trace)}: not refused`
    },
    evidence: (findings) =>
      `the same deviation is accepted by ${counted(findings.length, 'check')}`,
  },
  {
    key: ({ check, trace }) => (oddAnswer(check, trace) ? `answer ${answer(trace)}` : undefined),
    title: (_, trace) => `correct requests are answered ${answer(trace)}`,
    evidence: (findings, trace) =>
      `${counted(findings.length, 'check')} met the same answer, ${answer(trace)}`,
  },
  {
    // The same member, wrong in the same way, wherever it occurs.
    key: ({ check }) => {
      const member = /\/([A-Za-z_]+)$/.exec(check.place ?? '')?.[1]
      return member && check.expected ? `member ${member} ${check.expected}` : undefined
    },
    title: ([first]) => sentence(first),
    evidence: (findings) => `${counted(findings.length, 'finding')} about the same member`,
  },
]

/** True if two creations with one ConsentId explain the finding: a refusal, or an answer with that id. */
function concerns(twice: ReadonlySet<string>, { place }: CheckResult, trace: Trace): boolean {
  const { given, consent, subject, status = 0, where } = trace
  if (![given, consent, subject].some((id) => id !== undefined && twice.has(id))) return false
  return given !== undefined || status >= 400 || (where.includes('/authorize') && !place)
}

/** True if the bank itself names the issuer or the audience, or the issuer is exactly the expected value. */
function blamesIssuer({ check, trace }: Traced, issuer: string): boolean {
  if (check.expected === issuer || (check.place === '/issuer' && check.actual === issuer))
    return true
  const { where, deviation, status = 0, said = '' } = trace
  const addressed = /\/(register|authorize|auth)\b/.test(where) && deviation === undefined
  return addressed && status >= 300 && /\b(aud|audience|iss|issuer)\b/i.test(said)
}

/** True if the bank's configuration gives another address of an endpoint than the target file. */
function differsInAddress({ place = '', message }: CheckResult): boolean {
  return place.endsWith('_endpoint') && memberIn(message)?.startsWith('addresses.') === true
}

/** A special fix for a finding; undefined if the general fix applies. */
export function mendOf(check: CheckResult): string | undefined {
  return differsInAddress(check) ? endpointMend(memberIn(check.message) ?? '') : undefined
}

const CERTIFICATES: Record<string, string> = {
  none: 'a request without a client certificate',
  resumed: 'a request in a TLS session that began without a client certificate',
  expired: 'a request with an expired client certificate',
  untrusted: 'a request with a client certificate of an unknown issuer',
  forged: 'a request with a forged client certificate',
}

export function sentence(finding: Finding | undefined): string {
  const { message = '', title = '' } = finding?.check ?? {}
  return message.split('\n')[0] || title
}

function wentWrong({ status, deviation, failure }: Trace): boolean {
  return deviation === undefined && (failure !== undefined || (status ?? 0) >= 400)
}

/** The fault of a request: its certificate, or what its sender reports. */
function oddity({ identity, deviation }: Trace): string | undefined {
  return deviation === undefined ? undefined : (CERTIFICATES[identity] ?? deviation)
}

function accepted(trace: Trace): boolean {
  const { status = 0 } = trace
  return oddity(trace) !== undefined && status >= 200 && status < 300
}

function refusedToken({ deviation, status, token, issued }: Trace): boolean {
  return deviation === undefined && status === 401 && token !== undefined && issued !== undefined
}

/** True if a correct request got a status that the check did not expect. */
function oddAnswer({ expected = '' }: CheckResult, { deviation, status }: Trace): boolean {
  return deviation === undefined && status !== undefined && /^(\d{3}|2xx)\b/.test(expected)
}

/** Rounds to tens of seconds, because response times vary. */
function rounded(seconds: number): number {
  return Math.round(seconds / 10) * 10
}
