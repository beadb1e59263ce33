import type { Exchange } from '../../engine/wire/exchange.ts'

/**
 * What may be wrong with a message that is no data request, and every place at which its sentence holds
 * alike: grant and client for the token endpoint, kind and operation for consents, client for
 * registration and authorisation.
 */
interface Table {
  name: string
  /** What is wrong, by a word for it. */
  wrongs: Readonly<Record<string, (exchange: Exchange) => boolean>>
  places: Readonly<Record<string, (exchange: Exchange) => boolean>>
}

/** In these words, whichever client it is. */
const says = (words: RegExp) => (exchange: Exchange) =>
  words.test((exchange.about.deviation ?? '').replace(/, by the second client$/, ''))
const over = (identity: string) => (exchange: Exchange) => exchange.connection.identity === identity
const of = (client: string) => (exchange: Exchange) => (exchange.about.client ?? 'first') === client

const granted = (grant: string, client: string) => (exchange: Exchange) =>
  exchange.endpoint === 'token' &&
  new URLSearchParams(exchange.request.body ?? '').get('grant_type') === grant &&
  of(client)(exchange)

const at = (endpoint: string) => (exchange: Exchange) => exchange.endpoint === endpoint

const from = (endpoint: 'registration' | 'authorisation', client: string) => (exchange: Exchange) =>
  exchange.endpoint === endpoint && of(client)(exchange)

const ALGORITHMS = ['RS256', 'PS384', 'PS512', 'ES256', 'HS256']
const signedIn = (what: string) =>
  Object.fromEntries(ALGORITHMS.map((alg) => [alg, says(new RegExp(`^${what}.* in ${alg}$`))]))

export const TABLES: readonly Table[] = [
  {
    name: 'token',
    wrongs: {
      ...signedIn('assertion'),
      unsigned: says(/^unsigned assertion$/),
      'changed after signing': says(/^changed assertion$/),
      'key of another client': says(/^assertion signed by another client$/),
      'another iss': says(/^another iss$/),
      'another sub': says(/^another sub$/),
      'another aud': says(/^another aud$/),
      expired: says(/^expired assertion$/),
      'no exp': says(/^assertion without exp$/),
      'no jti': says(/^assertion without jti$/),
      'used before': says(/^(a used assertion|the same assertion.*)$/),
      'another client_id': says(/^another client_id$/),
      'another assertion type': says(/^assertion type SAML$/),
      'a secret in the form': says(/^client_secret_post$/),
      'a secret in the header': says(/^client_secret_basic$/),
      'no authentication': says(
        /^(no client authentication|client_id alone|.* without client authentication)$/,
      ),
      'a grant that is not registered': says(
        /^a grant type that is not registered$|^a client without authorization_code$/,
      ),
    },
    places: {
      'client_credentials, first client': granted('client_credentials', 'first'),
      'client_credentials, second client': granted('client_credentials', 'second'),
      'authorization_code, first client': granted('authorization_code', 'first'),
      'authorization_code, second client': granted('authorization_code', 'second'),
      'refresh_token, first client': granted('refresh_token', 'first'),
      'refresh_token, second client': granted('refresh_token', 'second'),
    },
  },
  {
    name: 'consent',
    wrongs: {
      'no certificate': over('none'),
      'untrusted certificate': over('untrusted'),
      'expired certificate': over('expired'),
      'no token': says(/^no Authorization header$/),
      'unknown token': says(/^(an unknown|a random|a made-up)( access)? token$/),
      'expired token': says(/^an expired access token$/),
      'token for data': says(/(access|its) token for data$/),
      'token of the other scope': says(/^a token for /),
      'of another client': says(/^(a|an authorised) consent of another client$/),
    },
    places: {
      'account access, create': at('create-account-access-consent'),
      'account access, query': at('query-account-access-consent'),
      'account access, delete': at('delete-account-access-consent'),
      'funds confirmation, create': at('create-funds-confirmation-consent'),
      'funds confirmation, delete': at('delete-funds-confirmation-consent'),
    },
  },
  {
    name: 'registration',
    wrongs: {
      'no certificate': over('none'),
      'untrusted certificate': over('untrusted'),
      'expired certificate': over('expired'),
      'no JWT': says(/^the claims as unsigned JSON$/),
      'another media type': says(/^Content-Type /),
      'software statement': says(/software statement/),
      'signature, expiry, audience': says(
        /^(signed by a stranger|expired an hour ago|for another server)$/,
      ),
      'a value that is not advertised': says(/not advertised/),
      'redirect URI': says(/redirect URI/),
    },
    places: {
      'first client': from('registration', 'first'),
      'second client': from('registration', 'second'),
    },
  },
  {
    name: 'authorisation',
    wrongs: {
      ...signedIn('a request object'),
      unsigned: says(/^an unsigned request object$/),
      'changed after signing': says(/^a changed request object$/),
      'key of another client': says(
        /^a request object of (another client|the second client that the first one signed)$/,
      ),
      'expired, for another server': says(
        /^(an expired request object|a request object for another server)$/,
      ),
      'a parameter missing': says(/^(no |a request without )/),
      'redirect URI': says(/redirect URI/),
      scope: says(/^the scope /),
      'consent of nobody, or of another': says(/consent/),
    },
    places: {
      'first client': from('authorisation', 'first'),
      'second client': from('authorisation', 'second'),
    },
  },
]

/** Every cell of every table. */
export const MESSAGE_CELLS: readonly string[] = TABLES.flatMap(({ name, wrongs, places }) =>
  Object.keys(places).flatMap((place) =>
    Object.keys(wrongs).map((wrong) => `${name}: ${place}: ${wrong}`),
  ),
)

/** The cells in which an exchange stands. */
export function cellsOf(exchange: Exchange): string[] {
  return TABLES.flatMap(({ name, wrongs, places }) =>
    Object.entries(places)
      .filter(([, is]) => is(exchange))
      .flatMap(([place]) =>
        Object.entries(wrongs)
          .filter(([, is]) => is(exchange))
          .map(([wrong]) => `${name}: ${place}: ${wrong}`),
      ),
  )
}
