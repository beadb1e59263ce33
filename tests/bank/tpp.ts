import { createHash, createPrivateKey, randomUUID } from 'node:crypto'
import { Agent, ProxyAgent, request } from 'undici'
import { signJws } from '../../bank/authorisation-server/signature.ts'
import type { Bank } from '../../bank/running-bank.ts'

export interface Answer {
  status: number
  headers: Record<string, string | string[] | undefined>
  text: string
  // biome-ignore lint/suspicious/noExplicitAny: bodies are looked into freely by tests
  json: any
}

type Claims = Record<string, unknown>
type Name = 'first' | 'second'
type Certificate = Name | 'none' | 'expired' | 'untrusted'

/**
 * A TPP with every message in its correct form; tests bend single values of them.
 *
 * @param proxy through which it sends, and the authority of that
 */
export function createTpp(bank: Bank, name: Name = 'first', proxy?: { uri: string; ca: string }) {
  const { target, services } = bank
  const { endpoints } = services
  const own = target.clients[name]
  const key = { kid: own.signing.kid, key: createPrivateKey(own.signing.key), jwk: {} }
  const agents = new Map<string, Agent | ProxyAgent>()

  function agent(certificate: Certificate): Agent | ProxyAgent {
    const known = agents.get(certificate)
    if (known) return known
    const identity = {
      first: target.clients.first.transport,
      second: target.clients.second.transport,
      expired: target.refusedCertificates.expired,
      untrusted: target.refusedCertificates.untrusted,
      none: undefined,
    }[certificate]
    const connect = {
      ca: target.trust,
      ...(identity ? { cert: identity.certificate, key: identity.key } : {}),
    }
    const made = proxy
      ? new ProxyAgent({ uri: proxy.uri, requestTls: { ...connect, ca: proxy.ca } })
      : new Agent({ connect })
    agents.set(certificate, made)
    return made
  }

  async function send(
    url: string,
    {
      method = 'GET',
      headers = {},
      body,
      certificate = name,
    }: {
      method?: string
      headers?: Record<string, string>
      body?: string
      certificate?: Certificate
    } = {},
  ): Promise<Answer> {
    const answer = await request(url, {
      method: method as 'GET',
      headers,
      ...(body === undefined ? {} : { body }),
      dispatcher: agent(certificate),
    })
    const text = await answer.body.text()
    let json: unknown
    try {
      json = JSON.parse(text)
    } catch {}
    return { status: answer.statusCode, headers: answer.headers, text, json }
  }

  const now = () => Math.floor(Date.now() / 1000)
  const sign = (claims: Claims, header: Claims = {}) =>
    signJws(claims, key, { typ: 'JWT', ...header })
  const statement = JSON.parse(
    Buffer.from(own.softwareStatement.split('.')[1] ?? '', 'base64url').toString(),
  ) as Claims

  const tpp = {
    name,
    own,
    statement,
    client: {} as Claims,
    sign,
    send,
    async close() {
      await Promise.all([...agents.values()].map((one) => one.destroy()))
    },
    registrationJwt(claims: Claims = {}) {
      return sign({
        iss: statement.software_id,
        aud: endpoints.issuer,
        iat: now(),
        exp: now() + 300,
        jti: randomUUID(),
        redirect_uris: own.redirectUris,
        token_endpoint_auth_method: 'private_key_jwt',
        grant_types: ['authorization_code', 'refresh_token', 'client_credentials'],
        response_types: ['code id_token'],
        scope: 'openid accounts fundsconfirmations',
        software_statement: own.softwareStatement,
        application_type: 'web',
        id_token_signed_response_alg: 'PS256',
        request_object_signing_alg: 'PS256',
        token_endpoint_auth_signing_alg: 'PS256',
        ...claims,
      })
    },
    async register(claims: Claims = {}, body?: string): Promise<Answer> {
      const answer = await send(endpoints.registration, {
        method: 'POST',
        headers: { 'content-type': 'application/jwt', accept: 'application/json' },
        body: body ?? tpp.registrationJwt(claims),
      })
      if (answer.status === 201) tpp.client = answer.json
      return answer
    },
    assertion(claims: Claims = {}) {
      const id = tpp.client.client_id
      return sign({
        iss: id,
        sub: id,
        aud: endpoints.token,
        jti: randomUUID(),
        iat: now(),
        exp: now() + 60,
        ...claims,
      })
    },
    token(
      form: Record<string, string>,
      {
        assertion = {},
        certificate = name,
      }: { assertion?: Claims; certificate?: Certificate } = {},
    ) {
      const whole = {
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:jwt-bearer',
        client_assertion: tpp.assertion(assertion),
        ...form,
      }
      return send(endpoints.token, {
        method: 'POST',
        headers: {
          'content-type': 'application/x-www-form-urlencoded',
          accept: 'application/json',
        },
        body: new URLSearchParams(whole).toString(),
        certificate,
      })
    },
    async clientToken(scope = 'accounts'): Promise<string> {
      return (await tpp.token({ grant_type: 'client_credentials', scope })).json.access_token
    },
    call(
      path: string,
      {
        bearer,
        body,
        method,
        headers = {},
        absent = false,
        certificate = name,
      }: {
        bearer?: string
        body?: unknown
        method?: string
        headers?: Record<string, string>
        absent?: boolean
        certificate?: Certificate
      } = {},
    ): Promise<Answer> {
      return send(`${endpoints.at.api}/open-banking/v3.1${path}`, {
        method: method ?? (body === undefined ? 'GET' : 'POST'),
        headers: {
          accept: 'application/json',
          ...(bearer ? { authorization: `Bearer ${bearer}` } : {}),
          ...(absent ? {} : { 'x-fapi-customer-ip-address': '203.0.113.7' }),
          ...(body === undefined ? {} : { 'content-type': 'application/json' }),
          ...headers,
        },
        ...(body === undefined
          ? {}
          : { body: typeof body === 'string' ? body : JSON.stringify(body) }),
        certificate,
      })
    },
    async consent(data: Claims = {}): Promise<string> {
      const bearer = await tpp.clientToken()
      const Data = { Permissions: everything, ...data }
      const answer = await tpp.call('/aisp/account-access-consents', {
        bearer,
        body: { Data, Risk: {} },
      })
      if (answer.status !== 201) throw new Error(answer.text)
      return answer.json.Data.ConsentId
    },
    requestObject(consentId: string, claims: Claims = {}) {
      return {
        iss: tpp.client.client_id,
        aud: endpoints.issuer,
        response_type: 'code id_token',
        client_id: tpp.client.client_id,
        redirect_uri: own.redirectUris[0],
        scope: 'openid accounts',
        state: 'the-state',
        nonce: 'the-nonce',
        nbf: now(),
        iat: now(),
        exp: now() + 300,
        claims: {
          id_token: {
            openbanking_intent_id: { value: consentId, essential: true },
            acr: { essential: true, values: ['urn:openbanking:psd2:sca'] },
          },
        },
        ...claims,
      }
    },
    authoriseUrl(request: string | undefined, query: Record<string, string | undefined> = {}) {
      const parameters = {
        client_id: String(tpp.client.client_id),
        response_type: 'code id_token',
        redirect_uri: own.redirectUris[0],
        scope: 'openid accounts',
        state: 'the-state',
        request,
        ...query,
      }
      const given = Object.entries(parameters).filter(([, value]) => value !== undefined)
      return `${endpoints.authorisation}?${new URLSearchParams(given as [string, string][])}`
    },
    /** Follows redirects and fills forms until the TPP or a page that has none. */
    async visit(url: string, how: VisitOptions = {}): Promise<Visit> {
      const { customer = 'first', decision = 'approve' } = how
      const { credentials } = target.customers[customer]
      const jar = new Map<string, string>()
      const statuses: number[] = []
      let step: { method: string; body?: string } = { method: 'GET' }
      let at = url
      for (let turns = 0; turns < 12; turns += 1) {
        const answer = await send(at, {
          method: step.method,
          certificate: 'none',
          headers: {
            cookie: [...jar].map(([k, v]) => `${k}=${v}`).join('; '),
            ...(step.body ? { 'content-type': 'application/x-www-form-urlencoded' } : {}),
          },
          ...(step.body ? { body: step.body } : {}),
        })
        statuses.push(answer.status)
        for (const cookie of [answer.headers['set-cookie'] ?? []].flat()) {
          const [pair = ''] = cookie.split(';')
          jar.set(pair.slice(0, pair.indexOf('=')), pair.slice(pair.indexOf('=') + 1))
        }
        const location = answer.headers.location
        if (typeof location === 'string') {
          at = new URL(location, at).href
          if (!at.startsWith(endpoints.at.authorisation))
            return { url: at, statuses, answer, ...parametersOf(at) }
          step = { method: 'GET' }
          continue
        }
        const action = /<form method="post" action="([^"]+)"/.exec(answer.text)?.[1]
        if (!action || answer.text.includes('role="alert"'))
          return { statuses, answer, fragment: {}, query: {} }
        at = new URL(action, at).href
        const form = new URLSearchParams()
        if (answer.text.includes('name="password"')) {
          form.set('username', credentials.username)
          form.set('password', how.password ?? credentials.password)
        } else {
          const boxes = [...answer.text.matchAll(/name="accounts" value="([^"]+)"/g)].slice(
            0,
            how.only,
          )
          for (const [, value] of boxes) form.append('accounts', value ?? '')
          form.set('decision', decision)
        }
        step = { method: 'POST', body: form.toString() }
      }
      throw new Error('the visit does not end')
    },
    async approve(consentId: string, how: VisitOptions = {}): Promise<Visit> {
      return tpp.visit(tpp.authoriseUrl(sign(tpp.requestObject(consentId))), how)
    },
    exchange(code: string, form: Record<string, string> = {}) {
      const redirect = own.redirectUris[0] ?? ''
      return tpp.token({ grant_type: 'authorization_code', code, redirect_uri: redirect, ...form })
    },
    /** From a new consent to its tokens. */
    async approved(data: Claims = {}, how: VisitOptions = {}) {
      const consentId = await tpp.consent(data)
      const visit = await tpp.approve(consentId, how)
      const { code } = visit.fragment
      if (!code) throw new Error(visit.url ?? visit.answer.text)
      const tokens = (await tpp.exchange(code)).json
      return { consentId, visit, code, tokens, bearer: tokens.access_token as string }
    },
  }
  return tpp
}

export type Tpp = ReturnType<typeof createTpp>

export interface VisitOptions {
  customer?: Name
  decision?: 'approve' | 'deny'
  password?: string
  /** Number of cards to tick; all when absent. */
  only?: number
}

export interface Visit {
  url?: string
  statuses: number[]
  answer: Answer
  fragment: Record<string, string>
  query: Record<string, string>
}

function parametersOf(url: string) {
  const { hash, searchParams } = new URL(url)
  return {
    fragment: Object.fromEntries(new URLSearchParams(hash.slice(1))),
    query: Object.fromEntries(searchParams),
  }
}

export const everything = [
  'ReadAccountsDetail',
  'ReadBalances',
  'ReadTransactionsDetail',
  'ReadTransactionsCredits',
  'ReadTransactionsDebits',
]

/** Left half of SHA-256, base64url: OpenID Connect Core 3.3.2.11. */
export function halfHash(text: string): string {
  return createHash('sha256').update(text).digest().subarray(0, 16).toString('base64url')
}

/** States a fact to the operator. */
export async function state(
  bank: Bank,
  fact: string,
  subject: Record<string, unknown>,
): Promise<number> {
  const answer = await request(`${bank.operatorUrl}/facts/${fact}`, {
    method: 'POST',
    body: JSON.stringify(subject),
  })
  await answer.body.dump()
  return answer.statusCode
}
