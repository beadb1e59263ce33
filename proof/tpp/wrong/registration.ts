import { nothing } from '../conduct.ts'
import type { WrongTpp } from '../tpp-proof.ts'

const wrong: WrongTpp[] = [
  {
    id: 'registration-of-another-type',
    story:
      'The client sends its registration with Content-Type application/jose instead of application/jwt.',
    fails: ['TREG-01/content-type'],
    stops: true,
    conduct: { registrationType: 'application/jose' },
  },
  {
    id: 'registration-with-an-initial-token',
    story: 'The client sends an initial access token of another bank with its registration.',
    warns: ['TREG-12/no-credential'],
    conduct: {
      registrationHeaders: (headers) => ({ ...headers, authorization: 'Bearer initial-3c9a17' }),
    },
  },
  {
    id: 'registration-with-a-password',
    story: 'The client sends Basic credentials with its registration.',
    warns: ['TREG-12/no-credential'],
    conduct: {
      registrationHeaders: (headers) => ({ ...headers, authorization: 'Basic dGFsbHk6dGFsbHk=' }),
    },
  },
  {
    id: 'registration-without-statement',
    story: 'The client registers without a software statement.',
    fails: ['TREG-02/statement'],
    stops: true,
    conduct: { registrationClaims: ({ software_statement: _, ...claims }) => claims },
  },
  {
    id: 'redirect-uri-of-the-new-app',
    story: 'The client registers a redirect URI that is not in its software statement.',
    fails: ['TREG-03/redirect-uris'],
    stops: true,
    conduct: {
      registrationClaims: (claims) => ({
        ...claims,
        redirect_uris: [...(claims.redirect_uris as string[]), 'https://app.tally.example/back'],
      }),
    },
  },
  {
    id: 'registers-for-a-secret',
    story: 'The client registers client_secret_basic, which the configuration does not list.',
    fails: ['TREG-04/advertised'],
    stops: true,
    conduct: {
      registrationClaims: (claims) => ({
        ...claims,
        token_endpoint_auth_method: 'client_secret_basic',
      }),
    },
  },
  {
    id: 'registers-for-rs256',
    story: 'The client registers RS256 for ID tokens, which the configuration does not list.',
    fails: ['TREG-04/advertised'],
    stops: true,
    conduct: {
      registrationClaims: (claims) => ({ ...claims, id_token_signed_response_alg: 'RS256' }),
    },
  },
  {
    id: 'registration-jti-is-the-software',
    story: 'The jti of each registration is the same, the software_id.',
    warns: ['TREG-05/jti-fresh'],
    conduct: { registrationClaims: (claims) => ({ ...claims, jti: claims.iss }) },
  },
  {
    id: 'registration-for-nobody',
    story: 'The registration has no aud.',
    warns: ['TREG-07/audience'],
    conduct: { registrationClaims: ({ aud: _, ...claims }) => claims },
  },
  {
    id: 'own-redirect-uri',
    story: 'The client uses its configured redirect URI, not the one that the bank returned.',
    fails: ['REG-07/redirect-uri'],
    conduct: { redirectUri: (_registered, own) => own[0] ?? '' },
  },
  {
    id: 'own-scope',
    story: 'The client asks for its configured scope, not for the one that the bank returned.',
    fails: ['REG-07/scope'],
    conduct: { visitScope: () => 'openid accounts fundsconfirmations' },
  },
  {
    id: 'own-scope-in-the-object',
    story:
      'The request object has the client’s configured scope, not the one that the bank returned; the query has openid.',
    fails: ['REG-07/scope'],
    conduct: {
      visitScope: () => 'openid accounts fundsconfirmations',
      query: (query) => ({ ...query, scope: 'openid' }),
    },
  },
  {
    id: 'own-scope-for-funds',
    story:
      'The client asks for its configured scope of funds confirmation, not for the one that the bank returned.',
    fails: ['REG-07/scope-of-funds'],
    conduct: { grantScope: (scope) => scope },
  },
  {
    id: 'own-grant-types',
    story: 'The client uses a grant type that the bank did not return in the registration.',
    fails: ['REG-07/grant-types'],
    conduct: { heedsGrantTypes: false },
  },
  {
    id: 'insists-on-its-name',
    story: 'The client fails if the registration response differs from its software statement.',
    warns: ['TREG-06/other-values'],
    conduct: { needs: { ...nothing, onBehalfOf: true } },
  },
  {
    id: 'registration-that-failed-is-one',
    story: 'The client reports success, even if its registration failed.',
    warns: ['TREG-08/refused', 'TREG-08/unavailable'],
    conduct: { claimsSuccess: (reason) => reason.startsWith('registration was refused') },
  },
  {
    id: 'goes-on-unregistered',
    story: 'If its registration fails, the client continues with a client_id of its own.',
    warns: ['TREG-08/refused', 'TREG-08/unavailable'],
    conduct: { goesOnUnregistered: true },
  },
  {
    id: 'registration-sent-again-as-it-is',
    story: 'The client repeats a refused registration up to twelve times with the same JWT.',
    warns: ['TREG-05/jti-fresh', 'TREG-08/refused', 'TREG-08/unavailable'],
    conduct: { repeatsTheRegistration: 11 },
  },
  {
    id: 'registers-for-encryption',
    story: 'The client registers an encryption algorithm that the configuration does not list.',
    fails: ['TREG-04/advertised'],
    conduct: {
      registrationClaims: (claims) => ({ ...claims, id_token_encrypted_response_alg: 'RSA-OAEP' }),
    },
  },
  {
    id: 'registers-for-pairwise-subjects',
    story: 'The client registers subject_type pairwise, which the configuration does not list.',
    fails: ['TREG-04/advertised'],
    conduct: { registrationClaims: (claims) => ({ ...claims, subject_type: 'pairwise' }) },
  },
  {
    id: 'updates-its-registration',
    story:
      'The client updates its registration by PUT, although client management is not supported.',
    warns: ['TREG-09/not-managed'],
    conduct: { managesItsRegistration: ['PUT'] },
  },
  {
    id: 'deletes-a-registration',
    story: 'The client deletes a registration, although client management is not supported.',
    warns: ['TREG-09/not-managed'],
    conduct: { managesItsRegistration: ['DELETE'] },
  },
]

export default wrong
