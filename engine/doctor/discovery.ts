import type { Target } from '../configuration/resolve.ts'
import { addressFinding } from './address.ts'
import { type Case, clientsOf, tppOf } from './case.ts'
import { type Examination, type Finding, note, ok, wrong } from './finding.ts'
import { placeOf } from './network.ts'
import { serverChain } from './server-chain.ts'
import { answerWords } from './words.ts'

type Claims = Record<string, unknown>

export function discoveryExaminations(known: Case): Examination[] {
  const { target, timeout } = known
  let configuration: Claims = {}
  return [
    {
      name: 'discovery',
      needs: placeOf(known, 'discovery'),
      async run() {
        const exchange = await tppOf(known, 'first').call('discovery', { timeout })
        const { response } = exchange
        const at = target.endpoints.discovery
        const mend =
          'Correct the discovery address, or write the whole one under overrides.discovery.'
        if (response?.status !== 200) {
          const whose = (response?.status ?? 500) >= 500 ? 'the bank' : 'your configuration'
          return [wrong(whose, `${at} answers ${answerWords(exchange)}`, mend)]
        }
        if (!isObject(response.json)) {
          return [wrong('your configuration', `${at} serves no JSON object`, mend)]
        }
        configuration = response.json
        for (const tpp of known.tpps.values()) tpp.learn(configuration)
        return configurationFindings(configuration, target)
      },
    },
    {
      name: 'keys of the bank',
      needs: ['discovery'],
      async run() {
        const { jwks_uri: uri } = configuration
        const whole = typeof uri === 'string' && URL.canParse(uri) ? uri : undefined
        if (whole === undefined) {
          return [wrong('the bank', 'its configuration names no jwks_uri', 'Ask the bank.')]
        }
        const exchange = await tppOf(known, 'first').call('jwks', { path: whole, timeout })
        if (exchange.failure) {
          const { origin } = new URL(whole)
          const members = ['jwks_uri of the bank']
          const place = { origin, serves: ['keys'], members, mutual: false, url: whole }
          const untrusted = exchange.failure.kind === 'untrusted'
          const chain = untrusted ? await serverChain(origin, target, timeout) : undefined
          return [addressFinding(place, exchange, target.proxy, chain)]
        }
        const { json } = exchange.response ?? {}
        const keys = isObject(json) && Array.isArray(json.keys) ? json.keys : undefined
        if (!keys) {
          const text = `${whole} serves no JWK Set: ${answerWords(exchange)}`
          return [wrong('the bank', text, 'Ask the bank.')]
        }
        const usable = keys.filter((key) => isObject(key) && key.kty === 'RSA' && key.use !== 'enc')
        if (usable.length > 0) return [ok(`${usable.length} for PS256`)]
        return [wrong('the bank', 'none of its keys can sign with PS256', 'Ask the bank.')]
      },
    },
  ]
}

/** What the well-known configuration says, against what the target file says. */
export function configurationFindings(configuration: Claims, target: Target): Finding[] {
  const { issuer } = configuration
  const found: Finding[] = []
  const expected = target.document.issuer
  if (typeof issuer !== 'string' && expected === undefined) {
    found.push(
      wrong('the bank', 'names no issuer', 'Ask the bank; until then write it under issuer.'),
    )
  } else if (typeof issuer === 'string' && expected !== undefined && issuer !== expected) {
    const mend = `Write ${issuer} under issuer, or leave issuer out.`
    found.push(wrong('your configuration', `the issuer is ${issuer}, not ${expected}`, mend))
  }
  found.push(...scopes(configuration, target), ...endpoints(configuration, target))
  if (found.some(({ level }) => level === 'wrong')) return found
  return [ok(`issuer ${String(issuer ?? expected)}`), ...found]
}

function scopes({ scopes_supported: supported }: Claims, target: Target): Finding[] {
  if (!Array.isArray(supported)) return []
  return clientsOf(target).flatMap(({ name, scopes: { accounts, fundsConfirmation } }) =>
    Object.entries({ accounts, fundsConfirmation })
      .filter(([, scope]) => scope !== undefined && !supported.includes(scope))
      .map(([member, scope]) => {
        const text = `the scope ${scope} is not supported; supported: ${supported.join(', ')}`
        const mend = `Correct clients.${name}.scopes.${member}.`
        return wrong('your configuration', text, mend)
      }),
  )
}

const MEMBERS = {
  token_endpoint: 'token',
  authorization_endpoint: 'authorisation',
  registration_endpoint: 'registration',
} as const

/** The documents give the paths; a bank whose configuration says otherwise may be right. */
function endpoints(configuration: Claims, { endpoints: own }: Target): Finding[] {
  const aliases = isObject(configuration.mtls_endpoint_aliases)
    ? configuration.mtls_endpoint_aliases
    : {}
  return Object.entries(MEMBERS).flatMap(([member, part]) => {
    const said = configuration[member]
    const mine = own[part]
    if (typeof said !== 'string' || mine === '' || said === mine || aliases[member] === mine) {
      return []
    }
    return [note(`${member} is ${said}, the target has ${mine}: overrides.${part}`)]
  })
}

function isObject(value: unknown): value is Claims {
  return typeof value === 'object' && value !== null && !Array.isArray(value)
}
