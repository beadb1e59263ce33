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
    story: 'The client sends token requests as JSON instead of a form.',
    fails: ['GEN-03/encoding'],
    stops: true,
    conduct: {
      tokenBody: (form) => JSON.stringify(form),
      tokenHeaders: (headers) => ({ ...headers, 'content-type': 'application/json' }),
    },
  },
  {
    id: 'accepts-anything',
    story: 'The client sends accept: */* instead of application/json.',
    fails: ['GEN-04/accept'],
    conduct: { apiHeaders: (headers) => ({ ...headers, accept: '*/*' }) },
  },
  {
    id: 'no-accept-at-deletion',
    story: 'The client sends no accept header with DELETE.',
    fails: ['GEN-04/accept'],
    conduct: {
      apiHeaders({ accept, ...headers }, { method }) {
        return method === 'DELETE' ? headers : { ...headers, accept: accept ?? '' }
      },
    },
  },
  {
    id: 'consent-as-text',
    story: 'The client sends a consent request with Content-Type text/plain.',
    fails: ['GEN-04/content-type'],
    stops: true,
    conduct: {
      apiHeaders: (headers) =>
        headers['content-type'] ? { ...headers, 'content-type': 'text/plain' } : headers,
    },
  },
  {
    id: 'no-transport-certificate',
    story: 'The client connects without a transport certificate.',
    fails: ['TGEN-02/certificate'],
    stops: true,
    conduct: { withCertificate: false },
  },
  {
    id: 'transport-certificate-of-another-directory',
    story: 'The client uses a transport certificate of another directory.',
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
    story:
      'The client does not use its renewed transport certificate, because the old one is part of the build.',
    fails: ['TGEN-02/renewed'],
    conduct: { keepsItsCertificate: true },
  },
  {
    id: 'certificate-of-the-bank-not-verified',
    story: 'The client does not verify the certificate of the bank.',
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
    story: 'The client verifies the certificate of the bank only in data requests.',
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
      'The client does not verify the certificate of the bank in connections with its own transport certificate. It reads the configuration without that certificate and verifies there.',
    warns: ['TGEN-05/other-host-at-the-api', 'TGEN-05/stranger-at-the-api'],
    conduct: { verifiesWithoutItsOwnAlone: true, discoversFirst: true },
  },
  {
    id: 'host-of-the-bank-not-compared',
    story: 'The client does not compare the host name with the certificate of the bank.',
    warns: [
      'TGEN-05/other-host',
      'TGEN-05/other-host-at-the-api',
      'TGEN-05/other-host-from-the-start',
    ],
    conduct: { checksTheHost: false },
  },
  {
    id: 'bank-pinned',
    story:
      'The client accepts only one certificate of the bank (pinning), so it fails when that is renewed.',
    warns: ['TGEN-05/renewed-meanwhile', 'TGEN-05/renewed-since'],
    conduct: { pinsTheBank: true },
  },
  {
    id: 'token-without-scheme',
    story: 'The client sends the access token without Bearer.',
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
    story: 'The client sends the access token also in the query.',
    warns: ['TGEN-04/not-in-url'],
    conduct: {
      dataPath: (path) => `${path}${path.includes('?') ? '&' : '?'}access_token=see-the-header`,
    },
  },
  {
    id: 'token-in-the-address-as-a-key',
    story: 'The client sends the access token also as an API key in the query.',
    warns: ['TGEN-04/not-in-url'],
    conduct: {
      dataPath: (path, token) =>
        `${path}${path.includes('?') ? '&' : '?'}key=${encodeURIComponent(token)}`,
    },
  },
  {
    id: 'cannot-connect',
    story: 'The client cannot connect a customer, because this function was not built.',
    warns: ['TGEN-01/reads-everything'],
    stops: true,
    conduct: { cannot: ['connect'] },
  },
  {
    id: 'keeps-no-tokens',
    story: 'The client loses its tokens when the browser session ends.',
    warns: ['TGEN-01/reads-again', 'TGEN-05/renewed-since'],
    conduct: { keepsTokens: false },
  },
  {
    id: 'consents-by-their-old-name',
    story: 'The client queries a consent under /account-requests, the name in the heading.',
    warns: ['TGEN-06/documented'],
    conduct: { alsoAsks: [{ method: 'GET', path: '/aisp/account-requests/any' }] },
  },
  {
    id: 'party-of-the-whole-specification',
    story: 'The client requests /party, which is in version 3.1.2 but not in the document.',
    warns: ['TGEN-06/documented'],
    conduct: { alsoAsks: [{ method: 'GET', path: '/aisp/party' }] },
  },
  {
    id: 'party-of-another-version',
    story: 'The client requests an address under another version.',
    warns: ['TGEN-06/documented'],
    conduct: { alsoAsks: [{ method: 'GET', path: '/../v3.1.2/aisp/party' }] },
  },
  {
    id: 'funds-created-below-aisp',
    story: 'The client creates funds confirmation consents under aisp instead of cbpii.',
    warns: ['TGEN-06/documented'],
    conduct: { fundsPath: () => '/aisp/funds-confirmation-consents' },
  },
  {
    id: 'query-by-post',
    story: 'The client queries a consent by POST, as in the sandbox listing.',
    warns: ['TGEN-06/documented'],
    conduct: { alsoAsks: [{ method: 'POST', path: '/aisp/account-access-consents/any' }] },
  },
  {
    id: 'addresses-end-in-a-slash',
    story: 'The client adds a slash at the end of data paths.',
    warns: ['TGEN-06/documented'],
    conduct: { dataPath: (path) => path.replace(/(\?|$)/, '/$1') },
  },
  {
    id: 'version-of-another-bank',
    story: 'The client requests data under v3.1.2 instead of v3.1.',
    warns: ['TGEN-06/documented'],
    stops: true,
    conduct: { dataPath: (path) => `/../../v3.1.2/aisp${path}` },
  },
  {
    id: 'interaction-id-is-the-order',
    story: 'The client sends an x-fapi-interaction-id that is not a UUID.',
    warns: ['TGEN-10/interaction-id'],
    conduct: {
      apiHeaders: (headers) => ({ ...headers, 'x-fapi-interaction-id': `nightly-${Date.now()}` }),
    },
  },
  {
    id: 'login-time-as-in-json',
    story:
      'The client sends x-fapi-auth-date in the JSON format of a date-time, not as an HTTP date.',
    warns: ['TGEN-10/auth-date'],
    conduct: {
      apiHeaders: (headers) => ({ ...headers, 'x-fapi-auth-date': new Date().toISOString() }),
    },
  },
  {
    id: 'issuer-of-the-configuration-not-compared',
    story: 'The client does not compare the issuer in the configuration.',
    warns: ['TGEN-07/issuer'],
    conduct: { checksTheConfiguration: false },
  },
  {
    id: 'redirects-followed-with-the-token',
    story: 'The client follows a redirect to another host and sends the access token there.',
    warns: ['TGEN-08/redirected'],
    conduct: { redirects: 'followed-with-the-token' },
  },
  {
    id: 'products-with-the-token-of-a-customer',
    story: 'The client sends a customer’s access token to the product interface.',
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
    story: 'The client adds an access token to the link to the authorisation endpoint.',
    warns: ['TGEN-04/not-in-url'],
    conduct: { query: (query) => ({ ...query, access_token: 'see-the-header' }) },
  },
]

export default wrong
