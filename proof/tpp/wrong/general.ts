import type { Identity } from '../../../bank/listeners/certificates.ts'
import type { WrongTpp } from '../tpp-proof.ts'

let made: Promise<Identity> | undefined

/** A transport certificate that another directory issued. */
async function ofAnotherDirectory(): Promise<Identity> {
  const { createAuthority } = await import('../../../bank/listeners/certificates.ts')
  const authority = await createAuthority('C=GB, O=Another Directory, CN=Another Issuing CA')
  return authority.issueClient('C=GB, O=OpenBanking, OU=0015800001041RHAAY, CN=Tally')
}

const wrong: WrongTpp[] = [
  {
    id: 'token-request-as-json',
    story: 'The HTTP library sends objects as JSON, and nobody told it otherwise.',
    fails: ['GEN-03/encoding'],
    stops: true,
    conduct: {
      tokenBody: (form) => JSON.stringify(form),
      tokenHeaders: (headers) => ({ ...headers, 'content-type': 'application/json' }),
    },
  },
  {
    id: 'accepts-anything',
    story: 'The default of the HTTP library, accept: */*, was never changed.',
    fails: ['GEN-04/accept'],
    conduct: { apiHeaders: (headers) => ({ ...headers, accept: '*/*' }) },
  },
  {
    id: 'no-accept-at-deletion',
    story: 'A deletion has no body to accept, thought whoever wrote it.',
    fails: ['GEN-04/accept'],
    conduct: {
      apiHeaders({ accept, ...headers }, { method }) {
        return method === 'DELETE' ? headers : { ...headers, accept: accept ?? '' }
      },
    },
  },
  {
    id: 'consent-as-text',
    story: 'The body is made into text by hand, and sent as text.',
    fails: ['GEN-04/content-type'],
    stops: true,
    conduct: {
      apiHeaders: (headers) =>
        headers['content-type'] ? { ...headers, 'content-type': 'text/plain' } : headers,
    },
  },
  {
    id: 'no-transport-certificate',
    story: 'The transport certificate is configured for another environment.',
    fails: ['TGEN-02/certificate'],
    stops: true,
    conduct: { withCertificate: false },
  },
  {
    id: 'transport-certificate-of-another-directory',
    story: 'The certificate of the sandbox directory went along to production.',
    fails: ['TGEN-02/certificate'],
    stops: true,
    conduct: {
      otherCertificate() {
        made ??= ofAnotherDirectory()
        return made
      },
    },
  },
  {
    id: 'transport-certificate-built-in',
    story: 'The transport certificate is part of the build, and the build is of last month.',
    fails: ['TGEN-02/renewed'],
    conduct: { keepsItsCertificate: true },
  },
  {
    id: 'certificate-of-the-bank-not-verified',
    story: 'Staging had certificates of its own, and the switch that let them pass went live.',
    warns: [
      'TGEN-05/other-host',
      'TGEN-05/other-host-at-the-api',
      'TGEN-05/other-host-from-the-start',
      'TGEN-05/stranger',
      'TGEN-05/stranger-at-the-api',
      'TGEN-05/stranger-from-the-start',
    ],
    because: 'Whoever is there is trusted, whenever they come.',
    conduct: { trustsAnybody: true },
  },
  {
    id: 'certificate-of-the-data-verified-alone',
    story:
      'The client of the data was hardened; whatever registers and logs in is another library.',
    warns: [
      'TGEN-05/other-host-at-the-api',
      'TGEN-05/other-host-from-the-start',
      'TGEN-05/stranger-at-the-api',
      'TGEN-05/stranger-from-the-start',
    ],
    because: 'Whoever is there before the registration is trusted.',
    conduct: { verifiesDataAlone: true },
  },
  {
    id: 'certificate-of-the-bank-not-verified-where-the-own-is-shown',
    story:
      'The client with the transport certificate was set up with the sandbox, whose authority was unknown; each task begins with the configuration, which another client reads.',
    warns: ['TGEN-05/other-host-at-the-api', 'TGEN-05/stranger-at-the-api'],
    conduct: { verifiesWithoutItsOwnAlone: true, discoversFirst: true },
  },
  {
    id: 'host-of-the-bank-not-compared',
    story:
      'The bank is reached by its IP address, which no certificate had, so the name was left out.',
    warns: [
      'TGEN-05/other-host',
      'TGEN-05/other-host-at-the-api',
      'TGEN-05/other-host-from-the-start',
    ],
    conduct: { checksTheHost: false },
  },
  {
    id: 'bank-pinned',
    story: 'The certificate of the bank is pinned, not its authority.',
    warns: ['TGEN-05/renewed-meanwhile', 'TGEN-05/renewed-since'],
    conduct: { pinsTheBank: true },
  },
  {
    id: 'token-without-scheme',
    story: 'The access token is sent as it is, without Bearer.',
    fails: ['TGEN-03/bearer'],
    stops: true,
    conduct: {
      apiHeaders: (headers) => ({
        ...headers,
        authorization: headers.authorization?.replace('Bearer ', '') ?? '',
      }),
    },
  },
  {
    id: 'token-in-the-address-too',
    story: 'For the sake of an old gateway the access token is in the query as well.',
    warns: ['TGEN-04/not-in-url'],
    conduct: {
      dataPath: (path) => `${path}${path.includes('?') ? '&' : '?'}access_token=see-the-header`,
    },
  },
  {
    id: 'token-in-the-address-as-a-key',
    story:
      'A gateway of another bank takes the access token as an API key, so it is sent as one too.',
    warns: ['TGEN-04/not-in-url'],
    conduct: {
      dataPath: (path, token) =>
        `${path}${path.includes('?') ? '&' : '?'}key=${encodeURIComponent(token)}`,
    },
  },
  {
    id: 'cannot-connect',
    story: 'The release went out without the customer’s journey.',
    warns: ['TGEN-01/reads-everything'],
    stops: true,
    conduct: { cannot: ['connect'] },
  },
  {
    id: 'keeps-no-tokens',
    story: 'Tokens live in the session, which ends with the browser.',
    warns: ['TGEN-01/reads-again', 'TGEN-05/renewed-since'],
    conduct: { keepsTokens: false },
  },
  {
    id: 'consents-by-their-old-name',
    story: 'The path is that of the heading, which the text below it puts right.',
    warns: ['TGEN-06/documented'],
    conduct: { alsoAsks: [{ method: 'GET', path: '/aisp/account-requests/any' }] },
  },
  {
    id: 'party-of-the-whole-specification',
    story: 'The generated client has every address of version 3.1.2.',
    warns: ['TGEN-06/documented'],
    conduct: { alsoAsks: [{ method: 'GET', path: '/aisp/party' }] },
  },
  {
    id: 'party-of-another-version',
    story: 'One address of the generated client has a version of its own.',
    warns: ['TGEN-06/documented'],
    conduct: { alsoAsks: [{ method: 'GET', path: '/../v3.1.2/aisp/party' }] },
  },
  {
    id: 'funds-created-below-aisp',
    story: 'Both kinds of consent are created by one function, below one prefix.',
    warns: ['TGEN-06/documented'],
    conduct: { fundsPath: () => '/aisp/funds-confirmation-consents' },
  },
  {
    id: 'query-by-post',
    story: 'The methods are those of the listing of the sandbox.',
    warns: ['TGEN-06/documented'],
    conduct: { alsoAsks: [{ method: 'POST', path: '/aisp/account-access-consents/any' }] },
  },
  {
    id: 'addresses-end-in-a-slash',
    story: 'The framework puts a slash at the end of every address.',
    warns: ['TGEN-06/documented'],
    conduct: { dataPath: (path) => path.replace(/(\?|$)/, '/$1') },
  },
  {
    id: 'version-of-another-bank',
    story: 'The version of the specification is configured once, for all banks.',
    warns: ['TGEN-06/documented'],
    stops: true,
    conduct: { dataPath: (path) => `/../../v3.1.2/aisp${path}` },
  },
  {
    id: 'interaction-id-is-the-order',
    story: 'The interaction id is that of the log: the name of the job and a number.',
    warns: ['TGEN-10/interaction-id'],
    conduct: {
      apiHeaders: (headers) => ({ ...headers, 'x-fapi-interaction-id': `nightly-${Date.now()}` }),
    },
  },
  {
    id: 'login-time-as-in-json',
    story: 'A date-time is written as everywhere else.',
    warns: ['TGEN-10/auth-date'],
    conduct: {
      apiHeaders: (headers) => ({ ...headers, 'x-fapi-auth-date': new Date().toISOString() }),
    },
  },
  {
    id: 'issuer-of-the-configuration-not-compared',
    story: 'Whatever stands at the well-known address is the bank.',
    warns: ['TGEN-07/issuer'],
    conduct: { checksTheConfiguration: false },
  },
  {
    id: 'redirects-followed-with-the-token',
    story: 'The HTTP library follows a redirect with every header that it had.',
    warns: ['TGEN-08/redirected'],
    conduct: { redirects: 'followed-with-the-token' },
  },
  {
    id: 'products-with-the-token-of-a-customer',
    story: 'One function asks for everything, and adds the access token that is there.',
    warns: ['TGEN-08/products'],
    conduct: {
      productRequest: ({ url, headers }, { customers }) => ({
        url,
        headers: { ...headers, ...(customers && { authorization: `Bearer ${customers}` }) },
      }),
    },
  },
  {
    id: 'token-in-the-link',
    story: 'The page of the bank is opened by the function that adds the access token.',
    warns: ['TGEN-04/not-in-url'],
    conduct: { query: (query) => ({ ...query, access_token: 'see-the-header' }) },
  },
]

export default wrong
