import type { CallOptions } from '../client/call.ts'
import type { Told, Tpp } from '../client/tpp.ts'
import type { Exchange } from '../wire/exchange.ts'
import type { FundsAddresses } from './happy-path.ts'
import { isManagement, routeOf } from './routes.ts'

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

/** Where the access tokens come from. */
export interface Tokens {
  /** From a client_credentials grant, for consents. */
  management(funds: boolean): Promise<string>
  /** From the authorization_code grant of a consent, for data; absent before an approval. */
  data?(): Promise<string>
  funds(): FundsAddresses
  about?: Told['about']
}

export function createCaller(tpp: Tpp, tokens: Tokens): Caller {
  const call = async (method: string, path: string, deviation: CallDeviation = {}) => {
    const { endpoint, subject } = routeOf(method, path)
    const { bearer, ...rest } = deviation
    const funds = path.startsWith('/funds-confirmation-consents')
    const token = bearer !== undefined ? bearer : await tokenFor(path, funds)
    return tpp.call(endpoint, {
      method,
      ...rest,
      bearer: token,
      ...(subject !== undefined && { subject }),
      ...pathFor(endpoint, method, path, funds, subject),
      about: { ...(isManagement(path) ? {} : tokens.about), ...rest.about },
      ...(endpoint === 'elsewhere' && { identity: rest.identity ?? tpp.name }),
    })
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
