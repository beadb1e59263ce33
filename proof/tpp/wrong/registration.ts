import { nothing } from '../conduct.ts'
import type { WrongTpp } from '../tpp-proof.ts'

const wrong: WrongTpp[] = [
  {
    id: 'registration-of-another-type',
    story: 'application/jose is the media type of a JWS, says another RFC.',
    fails: ['TREG-01/content-type'],
    stops: true,
    conduct: { registrationType: 'application/jose' },
  },
  {
    id: 'registration-with-an-initial-token',
    story: 'The registration of another bank has an initial access token, so it is sent here too.',
    warns: ['TREG-12/no-credential'],
    conduct: {
      registrationHeaders: (headers) => ({ ...headers, authorization: 'Bearer initial-3c9a17' }),
    },
  },
  {
    id: 'registration-with-a-password',
    story: 'The HTTP client signs in wherever it is asked to go.',
    warns: ['TREG-12/no-credential'],
    conduct: {
      registrationHeaders: (headers) => ({ ...headers, authorization: 'Basic dGFsbHk6dGFsbHk=' }),
    },
  },
  {
    id: 'registration-without-statement',
    story: 'The software statement goes into the portal, not into the request.',
    fails: ['TREG-02/statement'],
    stops: true,
    conduct: { registrationClaims: ({ software_statement: _, ...claims }) => claims },
  },
  {
    id: 'redirect-uri-of-the-new-app',
    story: 'The app has a new callback, and the software statement is of last year.',
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
    story: 'The template of the registration is that of another bank.',
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
    story: 'RS256 was good enough for the sandbox.',
    fails: ['TREG-04/advertised'],
    stops: true,
    conduct: {
      registrationClaims: (claims) => ({ ...claims, id_token_signed_response_alg: 'RS256' }),
    },
  },
  {
    id: 'registration-jti-is-the-software',
    story: 'jti is the software_id: it identifies the software, does it not.',
    warns: ['TREG-05/jti-fresh'],
    conduct: { registrationClaims: (claims) => ({ ...claims, jti: claims.iss }) },
  },
  {
    id: 'registration-for-nobody',
    story: 'The registration of every bank is the same JWT, so it names none.',
    warns: ['TREG-07/audience'],
    conduct: { registrationClaims: ({ aud: _, ...claims }) => claims },
  },
  {
    id: 'own-redirect-uri',
    story: 'The redirect URI comes from the configuration, whatever the bank stored.',
    fails: ['REG-07/redirect-uri'],
    conduct: { redirectUri: (_registered, own) => own[0] ?? '' },
  },
  {
    id: 'own-scope',
    story: 'The scope comes from the configuration, whatever the bank stored.',
    fails: ['REG-07/scope'],
    conduct: { visitScope: () => 'openid accounts fundsconfirmations' },
  },
  {
    id: 'own-scope-in-the-object',
    story: 'The query has the scope openid; the request object has that of the configuration.',
    fails: ['REG-07/scope'],
    conduct: {
      visitScope: () => 'openid accounts fundsconfirmations',
      query: (query) => ({ ...query, scope: 'openid' }),
    },
  },
  {
    id: 'own-scope-for-funds',
    story: 'The scope of funds confirmation comes from the configuration.',
    fails: ['REG-07/scope-of-funds'],
    conduct: { grantScope: (scope) => scope },
  },
  {
    id: 'own-grant-types',
    story: 'Whoever registered may use every grant, whatever the bank stored.',
    fails: ['REG-07/grant-types'],
    conduct: { heedsGrantTypes: false },
  },
  {
    id: 'insists-on-its-name',
    story:
      'The answer of the registration is compared with the software statement, member by member.',
    warns: ['TREG-06/other-values'],
    conduct: { needs: { ...nothing, onBehalfOf: true } },
  },
  {
    id: 'registration-that-failed-is-one',
    story: 'Onboarding ends with a tick, whatever came of the registration.',
    warns: ['TREG-08/refused', 'TREG-08/unavailable'],
    conduct: { claimsSuccess: (reason) => reason.startsWith('registration was refused') },
  },
  {
    id: 'goes-on-unregistered',
    story: 'The client_id is written down after the answer, and is made up where none came.',
    warns: ['TREG-08/refused', 'TREG-08/unavailable'],
    conduct: { goesOnUnregistered: true },
  },
  {
    id: 'registration-sent-again-as-it-is',
    story: 'The registration is a file, and is sent until the bank takes it, or twelve times.',
    warns: ['TREG-05/jti-fresh', 'TREG-08/refused', 'TREG-08/unavailable'],
    conduct: { repeatsTheRegistration: 11 },
  },
  {
    id: 'registers-for-encryption',
    story: 'The template has every claim that there is.',
    fails: ['TREG-04/advertised'],
    conduct: {
      registrationClaims: (claims) => ({ ...claims, id_token_encrypted_response_alg: 'RSA-OAEP' }),
    },
  },
  {
    id: 'registers-for-pairwise-subjects',
    story: 'The privacy of customers, as the checklist has it.',
    fails: ['TREG-04/advertised'],
    conduct: { registrationClaims: (claims) => ({ ...claims, subject_type: 'pairwise' }) },
  },
  {
    id: 'updates-its-registration',
    story: 'A new redirect URI is put into the registration that exists.',
    warns: ['TREG-09/not-managed'],
    conduct: { managesItsRegistration: ['PUT'] },
  },
  {
    id: 'deletes-a-registration',
    story: 'Registrations of earlier attempts are tidied away.',
    warns: ['TREG-09/not-managed'],
    conduct: { managesItsRegistration: ['DELETE'] },
  },
]

export default wrong
