import { nothing } from '../conduct.ts'
import type { WrongTpp } from '../tpp-proof.ts'

const inADay = () => Math.floor(Date.now() / 1000) + 86_400

const wrong: WrongTpp[] = [
  {
    id: 'secret-beside-the-assertion',
    story: 'The client sends a client_secret as well as a client assertion.',
    fails: ['TTOK-01/method'],
    stops: true,
    conduct: { tokenForm: (form) => ({ ...form, client_secret: 'kept-from-before' }) },
  },
  {
    id: 'secret-instead-of-an-assertion',
    story: 'The client sends a client_secret instead of a client assertion.',
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
    story: 'The client sends the client_assertion_type of SAML.',
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
    story: 'The iss of the client assertion is the software_id instead of the client_id.',
    fails: ['TTOK-03/issuer'],
    stops: true,
    conduct: { assertionClaims: (claims) => ({ ...claims, iss: '4vXkq0sYwRn2JmT7cGd1Zb' }) },
  },
  {
    id: 'assertion-for-the-host',
    story: 'The aud of the client assertion is the address of a gateway.',
    fails: ['TTOK-03/audience'],
    stops: true,
    conduct: { assertionClaims: (claims) => ({ ...claims, aud: 'https://gateway.tally.example' }) },
  },
  {
    id: 'assertion-without-jti',
    story: 'The client assertion has no jti.',
    fails: ['TTOK-03/jti'],
    stops: true,
    conduct: { assertionClaims: ({ jti: _, ...claims }) => claims },
  },
  {
    id: 'assertion-expired',
    story: 'The client assertion has expired, because the clock of the client is an hour slow.',
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
    story: 'The client signs its client assertion with RS256 instead of PS256.',
    fails: ['TTOK-04/ps256'],
    stops: true,
    conduct: {
      jwtHeader: (header, use) => (use === 'assertion' ? { ...header, alg: 'RS256' } : header),
    },
  },
  {
    id: 'assertion-of-an-old-key',
    story: 'The client signs its client assertion with an old key.',
    fails: ['TTOK-04/ps256'],
    stops: true,
    conduct: {
      jwtHeader: (header, use) => (use === 'assertion' ? { ...header, kid: 'last-year' } : header),
    },
  },
  {
    id: 'assertion-used-again',
    story: 'The client uses the same jti in several client assertions.',
    fails: ['TTOK-05/jti-fresh', 'CLC-21/funds'],
    stops: true,
    conduct: { assertionClaims: (claims) => ({ ...claims, jti: `minute-of-${claims.sub}` }) },
  },
  {
    id: 'assertion-for-a-day',
    story: 'The client assertion is valid for a day.',
    warns: ['TTOK-06/short'],
    conduct: { assertionClaims: (claims) => ({ ...claims, exp: inADay() }) },
  },
  {
    id: 'grant-that-is-not-registered',
    story: 'The client uses a JWT-bearer grant, which is not registered.',
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
    story: 'The client exchanges a code without redirect_uri.',
    fails: ['TTOK-08/redirect-uri'],
    stops: true,
    conduct: { tokenForm: ({ redirect_uri: _, ...form }) => form },
  },
  {
    id: 'code-redeemed-twice',
    story: 'The client exchanges the same code twice.',
    warns: ['TTOK-09/once'],
    stops: true,
    conduct: { redeemsTwice: true },
  },
  {
    id: 'every-scope-for-the-client',
    story: 'The client asks for scopes that are not registered, such as payments.',
    warns: ['TTOK-10/own-scopes'],
    fails: ['REG-07/scope-of-funds'],
    stops: true,
    conduct: { grantScope: () => 'accounts payments' },
  },
  {
    id: 'never-refreshes-what-it-could',
    story: 'The client does not use its refresh token.',
    warns: ['TTOK-11/expired-token', 'TTOK-11/short-life'],
    conduct: { usesRefreshToken: false },
  },
  {
    id: 'asks-the-customer-when-the-bank-is-away',
    story: 'If a refresh gets 503, the client asks the customer to connect again.',
    warns: ['TTOK-19/unavailable-once'],
    conduct: {
      asksAgainAfter: (reason) => /refresh_token was refused: 503/.test(reason),
      repeatsUnavailable: 0,
    },
  },
  {
    id: 'asks-the-customer-where-no-id-token-came',
    story: 'If a refresh gives no ID token, the client asks the customer to log in.',
    warns: ['TTOK-14/no-id-token-at-refresh'],
    conduct: {
      needs: { ...nothing, refreshedIdToken: true },
      asksAgainAfter: (reason) => reason === 'the refresh yields no ID token',
    },
  },
  {
    id: 'first-refresh-token-for-ever',
    story: 'The client does not store the new refresh token of a refresh.',
    warns: ['TTOK-12/rotated'],
    conduct: { refreshTokenAfter: 'first' },
  },
  {
    id: 'refresh-token-lost',
    story: 'The client loses its refresh token if the response to a refresh has none.',
    warns: ['TTOK-12/kept'],
    conduct: { refreshTokenAfter: 'as-answered' },
  },
  {
    id: 'refused-grants-sent-again',
    story: 'The client repeats a refused token request.',
    warns: ['TTOK-09/once', 'TTOK-13/refresh-refused'],
    conduct: { repeatsGrants: 1 },
  },
  {
    id: 'dead-refresh-token-kept',
    story: 'The client goes on to use a refresh token that was refused.',
    warns: ['TTOK-13/refresh-refused'],
    conduct: { forgetsRefusedTokens: false },
  },
  {
    id: 'refused-code-is-no-matter',
    story:
      'The client reports success before the code is exchanged, even if the exchange is refused.',
    warns: ['TTOK-13/code-refused'],
    conduct: { claimsSuccess: (reason) => reason.startsWith('the grant authorization_code') },
  },
  {
    id: 'token-type-not-read',
    story: 'The client does not check token_type.',
    warns: ['TTOK-16/mac'],
    conduct: { readsTokenType: false },
  },
  {
    id: 'insists-on-token-type',
    story: 'The client fails if the token response has no token_type.',
    warns: ['TTOK-14/no-token-type'],
    conduct: { needs: { ...nothing, tokenType: true } },
  },
  {
    id: 'knows-every-member-of-a-token',
    story: 'The client fails if the token response has a member that it does not know.',
    warns: ['TDAT-06/unknown-members', 'TTOK-14/more-members'],
    conduct: { needs: { ...nothing, tokenMembers: true } },
  },
  {
    id: 'insists-on-a-refresh-token',
    story: 'The client fails if the token response has no refresh token.',
    warns: ['TTOK-14/no-refresh-token'],
    conduct: { needs: { ...nothing, refreshToken: true } },
  },
  {
    id: 'insists-on-a-second-id-token',
    story: 'The client fails if the token response to a code has no ID token.',
    warns: ['TTOK-14/no-id-token'],
    conduct: { needs: { ...nothing, idToken: true } },
  },
  {
    id: 'insists-on-an-id-token-of-a-refresh',
    story: 'The client fails if the response to a refresh has no ID token.',
    warns: ['TTOK-14/no-id-token-at-refresh'],
    conduct: { needs: { ...nothing, refreshedIdToken: true } },
  },
  {
    id: 'tokens-of-the-first-confirmation',
    story: 'The client does not store the tokens of a re-confirmation.',
    warns: ['TTOK-18/after-reconfirmation'],
    conduct: { keepsTokensAtReconfirmation: true },
  },
  {
    id: 'refresh-token-thrown-away-at-a-503',
    story: 'The client deletes its refresh token if a refresh gets 503.',
    warns: ['TTOK-19/unavailable-once'],
    conduct: { repeatsUnavailable: 0, forgetsUnavailableTokens: true },
  },
  {
    id: 'assertion-of-no-client',
    story: 'The iss and sub of the client assertion are the software_id instead of the client_id.',
    fails: ['TTOK-03/issuer'],
    stops: true,
    conduct: {
      assertionClaims: (claims) => ({ ...claims, iss: 'software', sub: 'software' }),
      tokenForm: ({ client_id: _, ...form }) => form,
    },
  },
  {
    id: 'another-client-id-in-the-form',
    story: 'The client sends another client_id in the form than in the client assertion.',
    fails: ['TTOK-03/issuer'],
    stops: true,
    conduct: { tokenForm: (form) => ({ ...form, client_id: 'of-the-sandbox' }) },
  },
  {
    id: 'redirect-uri-with-every-grant',
    story: 'The client sends redirect_uri with every token request.',
    fails: ['TTOK-15/own-fields'],
    conduct: {
      tokenForm: (form) => ({ redirect_uri: 'https://tally.example/callback', ...form }),
    },
  },
  {
    id: 'refresh-token-of-another-grant',
    story: 'The client sends a refresh token with other grants too.',
    fails: ['TTOK-15/own-fields'],
    conduct: {
      tokenForm: (form) =>
        form.grant_type === 'client_credentials' ? { ...form, refresh_token: 'kept' } : form,
    },
  },
  {
    id: 'assertion-sent-again',
    story: 'The client repeats a failed token request with the same client assertion.',
    fails: ['TTOK-05/jti-fresh'],
    conduct: { signsAgain: false },
  },
  {
    id: 'hammers-the-token-endpoint',
    story: 'The client repeats a failed token request without a pause.',
    warns: ['TRES-02/token-unavailable'],
    conduct: { repeatsUnavailable: 30 },
  },
  {
    id: 'refreshes-for-every-scope',
    story:
      'The client asks for all registered scopes in a refresh, even those that the customer did not grant.',
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
    story: 'The client fails if token_type is bearer in lower case.',
    warns: ['TTOK-14/small-letters'],
    conduct: { needs: { ...nothing, capitalBearer: true } },
  },
  {
    id: 'short-tokens-alone',
    story: 'The client fails if an access token is longer than a thousand characters.',
    warns: ['TTOK-14/every-character'],
    conduct: { needs: { ...nothing, shortTokens: true } },
  },
  {
    id: 'refresh-token-of-the-newest',
    story: 'The client stores one refresh token for all customers, the newest one.',
    warns: ['TCON-19/own-refresh'],
    conduct: { refreshTokenOf: (own, last) => last ?? own },
  },
  {
    id: 'client-twice-in-the-form',
    story: 'The client sends client_id twice in the form.',
    warns: ['TTOK-20/once-each'],
    stops: true,
    conduct: {
      tokenBody: (form) => `${new URLSearchParams(form)}&client_id=${form.client_id}`,
    },
  },
  {
    id: 'assertion-in-quotes',
    story: 'The client sends its client assertion in quotation marks.',
    fails: ['TTOK-04/ps256'],
    stops: true,
    conduct: {
      tokenForm: (form) => ({ ...form, client_assertion: JSON.stringify(form.client_assertion) }),
    },
  },
]

export default wrong
