import { type CallOptions, routeOf } from '../client/call.ts'
import type { Told } from '../client/messages.ts'
import type { Tpp } from '../client/tpp.ts'
import { refused } from '../judge/matchers.ts'
import type { About, Exchange } from '../wire/exchange.ts'

/** One thing about a request that differs from the documented one. */
export type CallDeviation = Omit<CallOptions, 'subject' | 'path'> & Told

/**
 * A TPP client at work: paths as the documents write them, the right access token by itself.
 * Nothing here throws for what the bank answers.
 */
export interface Caller {
  readonly tpp: Tpp
  /** What is known of funds confirmation consents at this bank. */
  funds(): FundsAddresses
  get(path: string, deviation?: CallDeviation): Promise<Exchange>
  post(path: string, body: unknown, deviation?: CallDeviation): Promise<Exchange>
  delete(path: string, deviation?: CallDeviation): Promise<Exchange>
}

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

/** Does the operation need an access token from the client_credentials grant? */
function isManagement(path: string): boolean {
  return /^\/(account-access-consents|funds-confirmation-consents)(\/|$)/.test(path)
}

export function createCaller(tpp: Tpp, tokens: Tokens): Caller {
  const call = async (method: string, path: string, deviation: CallDeviation = {}) => {
    const { endpoint, subject } = routeOf(method, path)
    const { bearer, ...rest } = deviation
    const funds = path.startsWith('/funds-confirmation-consents')
    const management = isManagement(path)
    const send = (token: string | null, instead?: About['instead']) =>
      tpp.call(endpoint, {
        method,
        ...rest,
        bearer: token,
        ...(subject !== undefined && { subject }),
        ...pathFor(endpoint, method, path, funds, subject),
        about: {
          ...(management ? {} : tokens.about),
          ...rest.about,
          ...(instead && { instead }),
        },
        ...(endpoint === 'elsewhere' && { identity: rest.identity ?? tpp.name }),
      })
    if (bearer !== undefined) return send(bearer)
    const token = await tokenFor(path, funds)
    const answer = await send(token)
    const status = answer.response?.status
    if (status !== 401 && (management || !refused(answer))) return answer
    const kind = `${tpp.name} ${endpoint} ${method} ${answer.about.deviation ?? ''}`
    if (tokens.vain?.has(kind)) return answer
    const better = await tokens.instead?.({ token, management, funds, answer })
    if (!better) return answer
    const second = await send(better.token, better.instead)
    if ([401, 403].includes(second.response?.status ?? 0)) tokens.vain?.add(kind)
    return second
  }

  const tokenFor = async (path: string, funds: boolean) => {
    if (isManagement(path)) return tokens.management(funds)
    if (!tokens.data) throw new TypeError(`GET ${path} needs an approval`)
    return tokens.data()
  }

  const pathFor = (
    endpoint: string,
    method: string,
    path: string,
    funds: boolean,
    subject: string | undefined,
  ) => {
    if (endpoint === 'elsewhere') return { path: `${tpp.target.endpoints.aisp}${path}` }
    if (!funds) return {}
    const known = tokens.funds()
    if (method === 'POST') return known.create === undefined ? {} : { path: known.create }
    return known.delete === undefined
      ? {}
      : { path: `${known.delete}/${encodeURIComponent(subject ?? '')}` }
  }

  return {
    tpp,
    funds: tokens.funds,
    get: (path, deviation) => call('GET', path, deviation),
    post: (path, body, deviation) => call('POST', path, { body, ...deviation }),
    delete: (path, deviation) => call('DELETE', path, deviation),
  }
}
