import type { TargetClient } from '../configuration/resolve.ts'
import { member } from '../judge/data-rows.ts'
import type { Exchange } from '../wire/exchange.ts'
import { type Case, type ClientName, tppOf } from './case.ts'
import { certificateFindings } from './certificate.ts'
import { clockReading } from './clock.ts'
import { type Examination, type Finding, note, ok, skipped, wrong } from './finding.ts'
import { placeOf, TRUST_MEND } from './network.ts'
import {
  publishedAt,
  publishedKeyFindings,
  redirectFindings,
  statementFindings,
} from './statement.ts'
import { answerWords, errorOf } from './words.ts'

/** What can be said of a client before the bank is asked. */
export function paperExaminations(client: TargetClient): Examination[] {
  const { name } = client
  return [
    {
      name: `${name}: certificate`,
      needs: [],
      run: () => certificateFindings(client.transport, Date.now()),
    },
    {
      name: `${name}: statement`,
      needs: [],
      run: () => statementFindings(client, Date.now()),
    },
    {
      name: `${name}: redirect URIs`,
      needs: [],
      run: () => redirectFindings(client, `clients.${name}`),
    },
  ]
}

/** The directory's copy of the signing key. */
export function publishedExamination(known: Case, client: TargetClient): Examination {
  return {
    name: `${client.name}: signing key`,
    needs: [],
    async run() {
      const url = publishedAt(client)
      if (url === undefined) {
        return [note('the statement names no software_jwks_endpoint: kid and key not compared')]
      }
      const exchange = await known.wire.send({
        endpoint: 'elsewhere',
        about: { deviation: 'reads the keys of the directory' },
        identity: 'none',
        method: 'GET',
        url,
        headers: [['Accept', 'application/json']],
        timeout: known.timeout,
      })
      const keys = member(exchange.response?.json, 'keys')
      if (!Array.isArray(keys)) {
        return [note(`not compared: ${url} gives no keys here (${answerWords(exchange)})`)]
      }
      const reading = clockReading('directory', exchange)
      if (reading) known.clocks.push(reading)
      return publishedKeyFindings(client, keys, `clients.${client.name}`)
    },
  }
}

/** A client_id to work with: given, kept by an earlier run, or registered where that is allowed. */
export function registrationExamination(known: Case, client: TargetClient): Examination {
  const name = client.name as ClientName
  const { target, kept } = known
  return {
    name: `${name}: registration`,
    needs: [
      ...placeOf(known, 'registration'),
      'discovery',
      ...['certificate', 'statement', 'redirect URIs', 'signing key', 'mutual TLS'].map(
        (what) => `${name}: ${what}`,
      ),
    ],
    async run() {
      const tpp = tppOf(known, name)
      if (tpp.registered) return [ok(`client_id ${tpp.registered.client_id}, of the target file`)]
      const earlier = kept?.find(name)
      if (earlier)
        return [ok(`client_id ${tpp.adopt(earlier).client_id}, kept from an earlier run`)]
      if (target.document.freshRegistrations !== true) {
        return [
          skipped(
            'no client yet: a run registers one, for good, and keeps it. With ' +
              'freshRegistrations: true the doctor does so now; else give clientId',
          ),
        ]
      }
      const exchange = await tpp.register({ timeout: known.timeout })
      const id = member(exchange.response?.json, 'client_id')
      if (!exchange.response || exchange.response.status >= 300 || typeof id !== 'string') {
        return [registrationRefused(exchange, `clients.${name}`)]
      }
      const registered = tpp.adopt(exchange.response.json)
      kept?.keep(name, registered)
      return [ok(`registered as ${id}${kept ? ', kept for later runs' : ''}`)]
    },
  }
}

const OF_CERTIFICATE = /transport certificate|client certificate/i

/** RFC 7591 3.2.2, and the claims that it is mostly about. */
function registrationRefused(exchange: Exchange, path: string): Finding {
  const text = `refused: ${answerWords(exchange)}`
  const error = errorOf(exchange)
  if (error === 'invalid_redirect_uri') {
    return wrong('your configuration', text, `Correct ${path}.redirectUris.`)
  }
  if (error === 'invalid_software_statement' || error === 'unapproved_software_statement') {
    const mend = `Get ${path}.softwareStatement anew, from the directory that this bank trusts.`
    return wrong('your configuration', text, mend)
  }
  if (OF_CERTIFICATE.test(text)) return wrong('the bank', text, TRUST_MEND)
  const mend = `Compare with what this bank wants; ${path}.registrationClaims adds and replaces claims.`
  return wrong('the bank', text, mend)
}

/** A client_credentials token for one scope. */
export function tokenExamination(known: Case, client: TargetClient, scope: string): Examination {
  const name = client.name as ClientName
  return {
    name: `${name}: token for ${scope}`,
    needs: [`${name}: registration`, ...placeOf(known, 'token')],
    async run() {
      const tpp = tppOf(known, name)
      const { timeout } = known
      const grant = { grant_type: 'client_credentials', scope } as const
      const exchange = await tpp.token(grant, { timeout })
      const token = member(exchange.response?.json, 'access_token')
      if (exchange.response?.status === 200 && typeof token === 'string') {
        known.tokens.set(tokenKey(name, scope), token)
        const seconds = member(exchange.response.json, 'expires_in')
        return [ok(`issued, for ${String(seconds)} s`)]
      }
      return [tokenRefused(exchange, client, scope)]
    },
  }
}

export function tokenKey(name: string, scope: string): string {
  return `${name} ${scope}`
}

/** RFC 6749 5.2. */
function tokenRefused(exchange: Exchange, client: TargetClient, scope: string): Finding {
  const text = `refused: ${answerWords(exchange)}`
  const path = `clients.${client.name}`
  if (OF_CERTIFICATE.test(text)) return wrong('the bank', text, TRUST_MEND)
  switch (errorOf(exchange)) {
    case 'invalid_scope': {
      const member = scope === client.scopes.accounts ? 'accounts' : 'fundsConfirmation'
      return wrong('your configuration', text, `Correct ${path}.scopes.${member}.`)
    }
    case 'invalid_client': {
      const mend = client.clientId
        ? `Compare ${path}.clientId and ${path}.signing with the registration.`
        : 'The client may be gone at the bank: delete its entry in .assay/ beside the target file.'
      return wrong('your configuration', text, mend)
    }
    default: {
      const status = exchange.response?.status
      if (status === 404 || status === 405) {
        const mend = 'Correct the token address, or write the whole one under overrides.token.'
        return wrong('your configuration', text, mend)
      }
      return wrong('the bank', text, 'Ask the bank.')
    }
  }
}
