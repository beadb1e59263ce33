import type { Target } from '../configuration/resolve.ts'
import { isObject } from '../record/json.ts'
import { header } from '../wire/exchange.ts'
import { addressFinding } from './address.ts'
import { correctAddress, NAMED_BY_BANK, originOf } from './address-mistake.ts'
import { type Case, clientsOf, tppOf } from './case.ts'
import { type DoctorFinding, type Examination, note, ok, wrong } from './finding.ts'
import { placeOf } from './places.ts'
import { answerWords, oneLine } from './words.ts'

type Claims = Record<string, unknown>

export function discoveryExaminations(known: Case): Examination[] {
  const { target, timeout } = known
  let configuration: Claims = {}
  return [
    {
      name: 'discovery',
      needs: placeOf(known, 'discovery'),
      async run() {
        const exchange = await tppOf(known).call('discovery', { timeout })
        const { status = 500, json } = exchange.response ?? {}
        const at = target.endpoints.discovery
        const mend = correctAddress('discovery', target.document)
        if (status !== 200) {
          const whose = status >= 500 ? 'bank' : 'configuration'
          const to = status < 400 ? header(exchange, 'location') : undefined
          const leads = to === undefined ? '' : `, which leads to ${oneLine(to)}`
          return wrong(whose, `${at} answers ${answerWords(exchange)}${leads}`, mend)
        }
        if (!isObject(json)) return wrong('configuration', `${at} serves no JSON object`, mend)
        configuration = json
        known.configuration = json
        if (typeof json.issuer === 'string') known.issuer = json.issuer
        for (const tpp of known.tpps.values()) tpp.learn(configuration)
        return configurationFindings(configuration, target)
      },
    },
    {
      name: 'keys of the bank',
      needs: ['discovery'],
      async run() {
        const { jwks_uri: uri } = configuration
        if (typeof uri !== 'string' || !URL.canParse(uri)) {
          return wrong('bank', 'its configuration names no jwks_uri')
        }
        const exchange = await tppOf(known).call('jwks', { path: uri, timeout })
        if (exchange.failure) {
          const members = ['jwks_uri of the bank']
          const place = { origin: new URL(uri).origin, serves: ['keys'], members, mutual: false }
          return addressFinding(place, exchange, known)
        }
        const { json } = exchange.response ?? {}
        if (!isObject(json) || !Array.isArray(json.keys)) {
          return wrong('bank', `${uri} serves no JWK Set: ${answerWords(exchange)}`)
        }
        const usable = json.keys.filter(
          (key) => isObject(key) && key.kty === 'RSA' && key.use !== 'enc',
        )
        if (usable.length > 0) return ok(`${usable.length} for PS256`)
        return wrong('bank', 'none of its keys can sign with PS256')
      },
    },
  ]
}

/** Compares the well-known configuration with the target file. */
function configurationFindings(configuration: Claims, target: Target): DoctorFinding[] {
  const found: DoctorFinding[] = []
  const expected = target.document.issuer
  const issuer = typeof configuration.issuer === 'string' ? configuration.issuer : expected
  if (issuer === undefined) {
    found.push(wrong('bank', 'names no issuer', 'Ask the bank; until then write it under issuer.'))
  } else if (expected !== undefined && issuer !== expected) {
    const mend = `Write ${issuer} under issuer, or leave issuer out.`
    found.push(wrong('configuration', `the issuer is ${issuer}, not ${expected}`, mend))
  }
  found.push(...scopes(configuration, target), ...endpoints(configuration, target))
  if (found.some(({ level }) => level === 'wrong')) return found
  return [ok(`issuer ${issuer}`), ...found]
}

function scopes({ scopes_supported: supported }: Claims, target: Target): DoctorFinding[] {
  if (!Array.isArray(supported)) return []
  return clientsOf(target).flatMap(({ name, scopes: { accounts, fundsConfirmation } }) =>
    Object.entries({ accounts, fundsConfirmation })
      .filter(([, scope]) => scope !== undefined && !supported.includes(scope))
      .map(([member, scope]) => {
        const text = `the scope ${scope} is not supported; supported: ${supported.join(', ')}`
        return wrong('configuration', text, `Correct clients.${name}.scopes.${member}.`)
      }),
  )
}

/**
 * The documents give the paths; a bank whose configuration gives other ones may be right, so this is only a note. Another host
 * or port is likely to be a mistake in the target, unless that gives the whole address.
 */
function endpoints(configuration: Claims, { endpoints: own, document }: Target): DoctorFinding[] {
  const { mtls_endpoint_aliases: aliases } = configuration
  const parts = Object.keys(NAMED_BY_BANK) as (keyof typeof NAMED_BY_BANK)[]
  return parts.flatMap((part) => {
    const member = NAMED_BY_BANK[part]
    const said = configuration[member]
    const mine = own[part]
    if (typeof said !== 'string' || mine === '' || said === mine) return []
    if (isObject(aliases) && aliases[member] === mine) return []
    const words = `${member} is ${said}, the target has ${mine}`
    const isGiven = document.addresses.overrides?.[part] !== undefined
    if (isGiven || originOf(said) === originOf(mine)) return [note(`${words}: overrides.${part}`)]
    const compare = 'compare its host and port in addresses with what the bank gave you'
    return [note(`${words}: ${compare}. If both are right, write overrides.${part}.`)]
  })
}
