/** An environment variable that concerns how a bank is reached or trusted, and its effect. */
export interface EnvironmentFact {
  name: string
  /** Its effect on this run; never its value. */
  effect: string
  /** The variable asks for less security than a run uses. */
  weakens?: true
}

type Variables = Record<string, string | undefined>

/** Options of Node that change which servers are trusted, or how trust is decided. */
const OF_TLS =
  /--(?:tls-[\w.-]+|use-(?:openssl|system|bundled)-ca|insecure-http-parser|openssl-[\w-]+)/g

const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY', 'NODE_USE_ENV_PROXY']

/** The variable with the proxy that other programs would use for a host, and a run does not; undefined: there is none. */
export function unusedProxy(env: Variables, hostname: string): string | undefined {
  const given = (name: string) => env[name] || env[name.toLowerCase()] || ''
  const direct = given('NO_PROXY')
    .split(',')
    .map((each) => each.trim())
  const isDirect = (each: string) => each === '*' || hostname.endsWith(each.replace(/^\*?\./, ''))
  if (/^(?:localhost$|127\.|\[::1\])/.test(hostname)) return undefined
  if (direct.some((each) => each !== '' && isDirect(each))) return undefined
  return ['HTTPS_PROXY', 'ALL_PROXY', 'HTTP_PROXY'].find((name) => given(name) !== '')
}

/**
 * How the environment changes the verification and routing of connections to servers. No variable can switch off
 * verification: every connection requires it.
 *
 * @param trusts true if the target names the authorities that it trusts.
 */
export function environmentFacts(env: Variables, trusts: boolean): EnvironmentFact[] {
  const facts: EnvironmentFact[] = []
  const note = (name: string, effect: string, weakens = false) =>
    facts.push({ name, effect, ...(weakens && { weakens }) })
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    note('NODE_TLS_REJECT_UNAUTHORIZED', 'ignored: the certificates of servers are verified', true)
  }
  if (env.NODE_EXTRA_CA_CERTS) {
    const adds = 'its authorities are trusted besides those of Node'
    note('NODE_EXTRA_CA_CERTS', trusts ? 'without effect: the target names trust' : adds)
  }
  const options = [...(env.NODE_OPTIONS ?? '').matchAll(OF_TLS)].map(([option]) => option)
  if (options.length > 0) note('NODE_OPTIONS', `changes TLS or HTTP: ${options.join(' ')}`, true)
  for (const name of PROXIES) {
    const set = env[name] || env[name.toLowerCase()]
    if (set)
      note(name, 'not used: connections go through the proxy of the target, where it names one')
  }
  return facts
}
