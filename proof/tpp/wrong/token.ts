import { nothing } from '../conduct.ts'
import type { WrongTpp } from '../tpp-proof.ts'

const inADay = () => Math.floor(Date.now() / 1000) + 86_400

const wrong: WrongTpp[] = [
  {
    id: 'secret-beside-the-assertion',
    story: 'The form of the old authentication is still there.',
    fails: ['TTOK-01/method'],
    stops: true,
    conduct: { tokenForm: (form) => ({ ...form, client_secret: 'kept-from-before' }) },
  },
  {
    id: 'secret-instead-of-an-assertion',
    story: 'The client authenticates as it does everywhere else.',
    fails: ['TTOK-01/method'],
    stops: true,
    conduct: {
      tokenForm: ({ client_assertion: _, client_assertion_type: __, ...form }) => ({
        ...form,
        client_secret: 'kept-from-before',
      }),
    },
  },
  {
    id: 'assertion-type-of-saml',
    story: 'The type of the assertion was copied from an example with SAML.',
    fails: ['TTOK-02/type'],
    stops: true,
    conduct: {
      tokenForm: (form) => ({
        ...form,
        client_assertion_type: 'urn:ietf:params:oauth:client-assertion-type:saml2-bearer',
      }),
    },
  },
  {
    id: 'assertion-by-the-software',
    story: 'iss of the assertion is the software_id, as in the registration.',
    fails: ['TTOK-03/issuer'],
    stops: true,
    conduct: { assertionClaims: (claims) => ({ ...claims, iss: '4vXkq0sYwRn2JmT7cGd1Zb' }) },
  },
  {
    id: 'assertion-for-the-host',
    story: 'aud is the address of the gateway.',
    fails: ['TTOK-03/audience'],
    stops: true,
    conduct: { assertionClaims: (claims) => ({ ...claims, aud: 'https://gateway.tally.example' }) },
  },
  {
    id: 'assertion-without-jti',
    story: 'jti is optional in a JWT.',
    fails: ['TTOK-03/jti'],
    stops: true,
    conduct: { assertionClaims: ({ jti: _, ...claims }) => claims },
  },
  {
    id: 'assertion-expired',
    story: 'The clock of the server is an hour slow.',
    fails: ['TTOK-03/expiry'],
    stops: true,
    conduct: {
      assertionClaims: (claims) => ({
        ...claims,
        iat: Number(claims.iat) - 3600,
        exp: Number(claims.exp) - 3600,
      }),
    },
  },
  {
    id: 'assertion-in-rs256',
    story: 'The signer’s default is RS256.',
    fails: ['TTOK-04/ps256'],
    stops: true,
    conduct: {
      jwtHeader: (header, use) => (use === 'assertion' ? { ...header, alg: 'RS256' } : header),
    },
  },
  {
    id: 'assertion-of-an-old-key',
    story: 'The signing key was replaced at the directory and not in the vault.',
    fails: ['TTOK-04/ps256'],
    stops: true,
    conduct: {
      jwtHeader: (header, use) => (use === 'assertion' ? { ...header, kid: 'last-year' } : header),
    },
  },
  {
    id: 'assertion-used-again',
    story: 'The assertion is good for a minute, so it is cached for a minute.',
    fails: ['TTOK-05/jti-fresh', 'CLC-21/funds'],
    stops: true,
    conduct: { assertionClaims: (claims) => ({ ...claims, jti: `minute-of-${claims.sub}` }) },
  },
  {
    id: 'assertion-for-a-day',
    story: 'The assertion is made by a nightly job.',
    warns: ['TTOK-06/short'],
    conduct: { assertionClaims: (claims) => ({ ...claims, exp: inADay() }) },
  },
  {
    id: 'grant-that-is-not-registered',
    story: 'The token of the client is asked for with an assertion grant.',
    fails: ['TTOK-07/grant'],
    stops: true,
    conduct: {
      tokenForm: (form) =>
        form.grant_type === 'client_credentials'
          ? { ...form, grant_type: 'urn:ietf:params:oauth:grant-type:jwt-bearer' }
          : form,
    },
  },
  {
    id: 'code-without-redirect-uri',
    story: 'The redirect URI is left out where there is no redirect.',
    fails: ['TTOK-08/redirect-uri'],
    stops: true,
    conduct: { tokenForm: ({ redirect_uri: _, ...form }) => form },
  },
  {
    id: 'code-redeemed-twice',
    story: 'A double click redeems the code twice.',
    warns: ['TTOK-09/once'],
    stops: true,
    conduct: { redeemsTwice: true },
  },
  {
    id: 'every-scope-for-the-client',
    story: 'The token of the client is asked for with every scope that there is.',
    warns: ['TTOK-10/own-scopes'],
    fails: ['REG-07/scope-of-funds'],
    stops: true,
    conduct: { grantScope: () => 'accounts payments' },
  },
  {
    id: 'never-refreshes-what-it-could',
    story: 'The refresh token is stored, and nobody built what uses it.',
    warns: ['TTOK-11/expired-token', 'TTOK-11/short-life'],
    conduct: { usesRefreshToken: false },
  },
  {
    id: 'asks-the-customer-when-the-bank-is-away',
    story: 'A refresh that fails, for whatever reason, is the end of the approval: please log in.',
    warns: ['TTOK-19/unavailable-once'],
    conduct: {
      asksAgainAfter: (reason) => /refresh_token was refused: 503/.test(reason),
      repeatsUnavailable: 0,
    },
  },
  {
    id: 'asks-the-customer-where-no-id-token-came',
    story: 'Who is not named by an ID token must log in, after a refresh too.',
    warns: ['TTOK-14/no-id-token-at-refresh'],
    conduct: {
      needs: { ...nothing, refreshedIdToken: true },
      asksAgainAfter: (reason) => reason === 'the refresh yields no ID token',
    },
  },
  {
    id: 'first-refresh-token-for-ever',
    story: 'The refresh token is stored when the customer connects, and never again.',
    warns: ['TTOK-12/rotated'],
    conduct: { refreshTokenAfter: 'first' },
  },
  {
    id: 'refresh-token-lost',
    story: 'The whole token response is stored, also where it has no refresh token.',
    warns: ['TTOK-12/kept'],
    conduct: { refreshTokenAfter: 'as-answered' },
  },
  {
    id: 'refused-grants-sent-again',
    story: 'Whatever is not 200 is tried once more.',
    warns: ['TTOK-09/once', 'TTOK-13/refresh-refused'],
    conduct: { repeatsGrants: 1 },
  },
  {
    id: 'dead-refresh-token-kept',
    story: 'The nightly job tries every refresh token in the table, and none is ever taken out.',
    warns: ['TTOK-13/refresh-refused'],
    conduct: { forgetsRefusedTokens: false },
  },
  {
    id: 'refused-code-is-no-matter',
    story: 'The page says "connected" before the code is redeemed.',
    warns: ['TTOK-13/code-refused'],
    conduct: { claimsSuccess: (reason) => reason.startsWith('the grant authorization_code') },
  },
  {
    id: 'token-type-not-read',
    story: 'Every access token is a bearer token: what else.',
    warns: ['TTOK-16/mac'],
    conduct: { readsTokenType: false },
  },
  {
    id: 'insists-on-token-type',
    story: 'The library throws without token_type.',
    warns: ['TTOK-14/no-token-type'],
    conduct: { needs: { ...nothing, tokenType: true } },
  },
  {
    id: 'knows-every-member-of-a-token',
    story: 'The token response is read by a class that refuses unknown members.',
    warns: ['TDAT-06/unknown-members', 'TTOK-14/more-members'],
    conduct: { needs: { ...nothing, tokenMembers: true } },
  },
  {
    id: 'insists-on-a-refresh-token',
    story: 'The column of the refresh token is not null.',
    warns: ['TTOK-14/no-refresh-token'],
    conduct: { needs: { ...nothing, refreshToken: true } },
  },
  {
    id: 'insists-on-a-second-id-token',
    story: 'The name of the customer is read from the ID token of the token endpoint.',
    warns: ['TTOK-14/no-id-token'],
    conduct: { needs: { ...nothing, idToken: true } },
  },
  {
    id: 'insists-on-an-id-token-of-a-refresh',
    story: 'Every token response is read by one function, which begins with the ID token.',
    warns: ['TTOK-14/no-id-token-at-refresh'],
    conduct: { needs: { ...nothing, refreshedIdToken: true } },
  },
  {
    id: 'tokens-of-the-first-confirmation',
    story: 'The customer confirms again, and the row of the consent has its tokens already.',
    warns: ['TTOK-18/after-reconfirmation'],
    conduct: { keepsTokensAtReconfirmation: true },
  },
  {
    id: 'refresh-token-thrown-away-at-a-503',
    story: 'Where no access token comes, the connection is broken, and its tokens are deleted.',
    warns: ['TTOK-19/unavailable-once'],
    conduct: { repeatsUnavailable: 0, forgetsUnavailableTokens: true },
  },
  {
    id: 'assertion-of-no-client',
    story: 'iss and sub are the software_id: what the registration returned is not read.',
    fails: ['TTOK-03/issuer'],
    stops: true,
    conduct: {
      assertionClaims: (claims) => ({ ...claims, iss: 'software', sub: 'software' }),
      tokenForm: ({ client_id: _, ...form }) => form,
    },
  },
  {
    id: 'another-client-id-in-the-form',
    story: 'The form has the client_id of the sandbox.',
    fails: ['TTOK-03/issuer'],
    stops: true,
    conduct: { tokenForm: (form) => ({ ...form, client_id: 'of-the-sandbox' }) },
  },
  {
    id: 'redirect-uri-with-every-grant',
    story: 'One function makes every token request.',
    fails: ['TTOK-15/own-fields'],
    conduct: {
      tokenForm: (form) => ({ redirect_uri: 'https://tally.example/callback', ...form }),
    },
  },
  {
    id: 'refresh-token-of-another-grant',
    story: 'Whatever token there is goes along.',
    fails: ['TTOK-15/own-fields'],
    conduct: {
      tokenForm: (form) =>
        form.grant_type === 'client_credentials' ? { ...form, refresh_token: 'kept' } : form,
    },
  },
  {
    id: 'assertion-sent-again',
    story: 'What is tried again is the same request, byte by byte.',
    fails: ['TTOK-05/jti-fresh'],
    conduct: { signsAgain: false },
  },
  {
    id: 'hammers-the-token-endpoint',
    story: 'A token must come, and is asked for until it does.',
    warns: ['TRES-02/token-unavailable'],
    conduct: { repeatsUnavailable: 30 },
  },
  {
    id: 'refreshes-for-every-scope',
    story:
      'The scope of a token request is that of the registration, whatever the customer granted.',
    warns: ['TTOK-17/granted'],
    conduct: {
      tokenForm: (form) =>
        form.grant_type === 'refresh_token'
          ? { ...form, scope: 'openid accounts fundsconfirmations' }
          : form,
    },
  },
  {
    id: 'compares-bearer-letter-by-letter',
    story: 'The token type is compared with the constant of the library.',
    warns: ['TTOK-14/small-letters'],
    conduct: { needs: { ...nothing, capitalBearer: true } },
  },
  {
    id: 'short-tokens-alone',
    story: 'The column of the access token has a thousand characters.',
    warns: ['TTOK-14/every-character'],
    conduct: { needs: { ...nothing, shortTokens: true } },
  },
  {
    id: 'refresh-token-of-the-newest',
    story: 'Access tokens have a row for each customer, and refresh tokens one for the bank.',
    warns: ['TCON-19/own-refresh'],
    conduct: { refreshTokenOf: (own, last) => last ?? own },
  },
  {
    id: 'client-twice-in-the-form',
    story: 'The library adds client_id to a form that has it.',
    warns: ['TTOK-20/once-each'],
    stops: true,
    conduct: {
      tokenBody: (form) => `${new URLSearchParams(form)}&client_id=${form.client_id}`,
    },
  },
  {
    id: 'assertion-in-quotes',
    story: 'The assertion is what the signing service answered: JSON, a text in quotes.',
    fails: ['TTOK-04/ps256'],
    stops: true,
    conduct: {
      tokenForm: (form) => ({ ...form, client_assertion: JSON.stringify(form.client_assertion) }),
    },
  },
]

export default wrong
