/** A variable of the environment that concerns how a bank is reached or trusted, and what came of it. */
export interface EnvironmentFact {
  name: string
  /** What it does to this run; never its value. */
  effect: string
  /** It asks for less security than a run has. */
  weakens?: true
}

type Variables = Record<string, string | undefined>

/** Options of Node that change which servers are trusted, or by what. */
const OF_TLS =
  /--(?:tls-[\w.-]+|use-(?:openssl|system|bundled)-ca|insecure-http-parser|openssl-[\w-]+)/g

const PROXIES = ['HTTPS_PROXY', 'HTTP_PROXY', 'ALL_PROXY', 'NO_PROXY', 'NODE_USE_ENV_PROXY']

/**
 * What the environment would change of how servers are verified and reached. Nothing of it switches verification off:
 * that is asked for at every connection.
 *
 * @param trusts does the target name the authorities that it trusts?
 */
export function environmentFacts(env: Variables, trusts: boolean): EnvironmentFact[] {
  const facts: EnvironmentFact[] = []
  const note = (name: string, effect: string, weakens = false) =>
    facts.push({ name, effect, ...(weakens && { weakens }) })
  if (env.NODE_TLS_REJECT_UNAUTHORIZED === '0') {
    note(
      'NODE_TLS_REJECT_UNAUTHORIZED',
      'not heeded: the certificates of servers are verified',
      true,
    )
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
