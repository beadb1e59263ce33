import { type CallOptions, routeOf } from '../client/call.ts'
import type { Told } from '../client/messages.ts'
import type { Tpp } from '../client/tpp.ts'
import type { CustomerName } from '../configuration/target.ts'
import { refused } from '../judge/matchers.ts'
import type { About, ConsentFacts, Exchange } from '../wire/exchange.ts'
import { type Ledger, lastOf } from './ledger/events.ts'
import type { RefusedToken, Replacement } from './ledger/refused-token.ts'
import type { TokenSet } from './tokens.ts'
import type { Visit } from './visit.ts'

/** One deviation of a request from the documented one. */
export type CallDeviation = Omit<CallOptions, 'subject' | 'segment' | 'path'> & Told

/** A TPP client that sends requests, see createCaller. */
export type Caller = ReturnType<typeof createCaller>

/** The addresses at which the bank creates and deletes funds confirmation consents, once known. */
export interface FundsAddresses {
  /** Spelling of UK.STD.PAN that the bank accepts, where the target does not give it. */
  scheme?: string
  create?: string
  delete?: string
}

/** The sources of access tokens. */
export interface Tokens {
  /** Token from a client_credentials grant, for consents. */
  management(funds: boolean): Promise<string>
  /** Token from the authorization_code grant of a consent, for data; absent before an approval. */
  data?(): Promise<string>
  funds(): FundsAddresses
  about?: Told['about']
  ledger: Ledger
  /** A replacement for a refused token for consents; undefined: the refusal stands. */
  anotherForConsents(refused: RefusedToken, funds: boolean): Promise<Replacement | undefined>
  /** The same for a data token; absent before an approval. */
  anotherForData?(refused: RefusedToken): Promise<Replacement | undefined>
}

/** A customer's approval of a consent, and the TPP client that may use it. */
export interface Approval extends Caller {
  readonly name: string
  readonly consentId: string
  readonly facts: ConsentFacts
  readonly visit: Visit & { kind: 'granted' }
  readonly customer: CustomerName
  /** The tokens that are used now; a refresh replaces them. */
  tokens(): Promise<TokenSet>
  use(tokens: TokenSet): void
  /**
   * Exchanges the refresh token; the new tokens are used from then on.
   *
   * @throws NotApplicable if the bank issued none, or ended the approval when a newer one was given
   */
  refresh(
    over?: Pick<Told, 'newConnection'>,
  ): Promise<{ exchange: Exchange; tokens: TokenSet | undefined }>
}

/** Paths that need an access token from the client_credentials grant. */
const MANAGEMENT = /^\/(account-access-consents|funds-confirmation-consents)(\/|$)/

/**
 * A TPP client that sends requests: it takes paths as the documents write them and adds the right access token. No
 * answer of the bank makes it throw.
 */
export function createCaller(tpp: Tpp, tokens: Tokens) {
  const { ledger } = tokens
  const call = async (method: string, path: string, deviation: CallDeviation = {}) => {
    const { endpoint, ...named } = routeOf(method, path)
    const { bearer, ...rest } = deviation
    const funds = path.startsWith('/funds-confirmation-consents')
    const management = MANAGEMENT.test(path)
    const send = (token: string | null, instead?: About['instead']) =>
      tpp.call(endpoint, {
        method,
        ...rest,
        bearer: token,
        ...named,
        ...(funds && endpoint !== 'elsewhere' && fundsPath(method, named.segment)),
        about: {
          ...(management ? {} : tokens.about),
          ...rest.about,
          ...(instead && { instead }),
        },
        ...(endpoint === 'elsewhere' && {
          path: `${tpp.target.endpoints.aisp}${path}`,
          identity: rest.identity ?? tpp.name,
        }),
      })
    if (bearer !== undefined) return send(bearer)
    const source = management ? () => tokens.management(funds) : tokens.data
    if (!source) throw new TypeError(`GET ${path} needs an approval`)
    const token = await source()
    const answer = await send(token)
    if (answer.response?.status !== 401 && !refused(answer)) return answer
    const sender = `${tokens.data ? 'approval' : 'client'} ${tpp.name}`
    const request = `${sender} ${endpoint} ${method} ${answer.about.deviation ?? ''}`
    if (lastOf(ledger.events, { kind: 'no help', request })) return answer
    const another = management
      ? await tokens.anotherForConsents({ token, answer }, funds)
      : await tokens.anotherForData?.({ token, answer })
    if (!another) return answer
    const second = await send(another.token, another.instead)
    if ([401, 403].includes(second.response?.status ?? 0)) ledger.add({ kind: 'no help', request })
    return second
  }

  const fundsPath = (method: string, segment = '') => {
    const { create, delete: removal } = tokens.funds()
    if (method === 'POST') return create !== undefined && { path: create }
    return removal !== undefined && { path: `${removal}/${segment}` }
  }

  return {
    tpp,
    /** What is known about funds confirmation consents at this bank. */
    funds: tokens.funds,
    get: (path: string, deviation?: CallDeviation) => call('GET', path, deviation),
    head: (path: string, deviation?: CallDeviation) => call('HEAD', path, deviation),
    post: (path: string, body: unknown, deviation?: CallDeviation) =>
      call('POST', path, { body, ...deviation }),
    delete: (path: string, deviation?: CallDeviation) => call('DELETE', path, deviation),
  }
}
