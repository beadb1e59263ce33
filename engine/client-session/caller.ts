import { type CallOptions, routeOf } from '../client/call.ts'
import type { Told } from '../client/messages.ts'
import type { Tpp } from '../client/tpp.ts'
import type { CustomerName } from '../configuration/target.ts'
import { refused } from '../judge/matchers.ts'
import type { About, ConsentFacts, Exchange } from '../wire/exchange.ts'
import type { TokenSet } from './tokens.ts'
import type { Visit } from './visit.ts'

/** One thing about a request that differs from the documented one. */
export type CallDeviation = Omit<CallOptions, 'subject' | 'path'> & Told

/** A TPP client at work, see createCaller. */
export type Caller = ReturnType<typeof createCaller>

/** Where funds confirmation consents turned out to be created and deleted. */
export interface FundsAddresses {
  /** Spelling of UK.STD.PAN that the bank takes, where the target does not say it. */
  scheme?: string
  create?: string
  delete?: string
}

/** Where the access tokens come from. */
export interface Tokens {
  /** From a client_credentials grant, for consents. */
  management(funds: boolean): Promise<string>
  /** From the authorization_code grant of a consent, for data; absent before an approval. */
  data?(): Promise<string>
  funds(): FundsAddresses
  about?: Told['about']
  /** What to send instead of a token of ours that was refused: answered 401, or anything for data; absent: nothing. */
  instead?(refused: RefusedToken): Promise<Replacement | undefined>
  /** Kinds of requests that another token did not help: they are not repeated again. */
  vain?: Set<string>
}

export interface RefusedToken {
  token: string
  /** Is it one for consents, from a client_credentials grant? */
  management: boolean
  funds: boolean
  /** The answer that refuses it, or what was asked with it. */
  answer: Exchange
}

export interface Replacement {
  token: string
  /** Present where the bank had promised that the refused one lives. */
  instead?: NonNullable<About['instead']>
}

/** A customer's approval of a consent, and the TPP client that may use it. */
export interface Approval extends Caller {
  readonly name: string
  readonly consentId: string
  readonly facts: ConsentFacts
  readonly visit: Visit & { kind: 'granted' }
  readonly customer: CustomerName
  /** The tokens in use now; a refresh replaces them. */
  tokens(): Promise<TokenSet>
  use(tokens: TokenSet): void
  /**
   * The refresh token is exchanged, and what comes of it is in use from then on.
   *
   * @throws NotApplicable where the bank issued none, or ended the approval when a newer one was given
   */
  refresh(): Promise<{ exchange: Exchange; tokens: TokenSet | undefined }>
}

/** What needs an access token from the client_credentials grant. */
const MANAGEMENT = /^\/(account-access-consents|funds-confirmation-consents)(\/|$)/

/**
 * A TPP client at work: paths as the documents write them, the right access token by itself.
 * Nothing here throws for what the bank answers.
 */
export function createCaller(tpp: Tpp, tokens: Tokens) {
  const call = async (method: string, path: string, deviation: CallDeviation = {}) => {
    const { endpoint, subject } = routeOf(method, path)
    const { bearer, ...rest } = deviation
    const funds = path.startsWith('/funds-confirmation-consents')
    const management = MANAGEMENT.test(path)
    const send = (token: string | null, instead?: About['instead']) =>
      tpp.call(endpoint, {
        method,
        ...rest,
        bearer: token,
        ...(subject !== undefined && { subject }),
        ...(funds && endpoint !== 'elsewhere' && fundsPath(method, subject)),
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
    const kind = `${tpp.name} ${endpoint} ${method} ${answer.about.deviation ?? ''}`
    if (tokens.vain?.has(kind)) return answer
    const better = await tokens.instead?.({ token, management, funds, answer })
    if (!better) return answer
    const second = await send(better.token, better.instead)
    if ([401, 403].includes(second.response?.status ?? 0)) tokens.vain?.add(kind)
    return second
  }

  const fundsPath = (method: string, subject = '') => {
    const { create, delete: removal } = tokens.funds()
    if (method === 'POST') return create !== undefined && { path: create }
    return removal !== undefined && { path: `${removal}/${encodeURIComponent(subject)}` }
  }

  return {
    tpp,
    /** What is known of funds confirmation consents at this bank. */
    funds: tokens.funds,
    get: (path: string, deviation?: CallDeviation) => call('GET', path, deviation),
    post: (path: string, body: unknown, deviation?: CallDeviation) =>
      call('POST', path, { body, ...deviation }),
    delete: (path: string, deviation?: CallDeviation) => call('DELETE', path, deviation),
  }
}
