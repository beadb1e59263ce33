import { nothing, right } from '../conduct.ts'
import type { WrongTpp } from '../tpp-proof.ts'

let visits = 0
const nextNumber = () => {
  visits += 1
  return String(visits).padStart(12, '0')
}

let latest = 0
/** The time in milliseconds, another one for each visit. */
const nextTime = () => {
  latest = Math.max(latest + 1, Date.now())
  return String(latest)
}

const wrong: WrongTpp[] = [
  {
    id: 'everything-in-the-request-object',
    story:
      'The client sends only request and client_id in the query, because the request object has the other parameters.',
    fails: ['TAUT-01/parameters'],
    conduct: {
      query: ({ request = '', client_id: clientId = '' }) => ({ request, client_id: clientId }),
    },
  },
  {
    id: 'no-redirect-uri-in-the-query',
    story:
      'The client does not send redirect_uri in the query, because it is in the request object.',
    fails: ['TAUT-01/parameters'],
    conduct: { query: ({ redirect_uri: _, ...query }) => query },
  },
  {
    id: 'code-flow',
    story: 'The client uses response type code instead of code id_token.',
    fails: ['TAUT-02/response-type'],
    stops: true,
    conduct: {
      query: (query) => ({ ...query, response_type: 'code' }),
      requestObject: (claims) => ({ ...claims, response_type: 'code' }),
    },
  },
  {
    id: 'redirect-uri-with-a-slash',
    story: 'The client adds a slash at the end of its redirect URI.',
    fails: ['TAUT-03/registered'],
    stops: true,
    conduct: { redirectUri: (registered) => `${registered[0]}/` },
  },
  {
    id: 'scope-for-payments',
    story: 'The client asks for the scope payments, which is not registered.',
    fails: ['TAUT-04/registered'],
    stops: true,
    conduct: { visitScope: () => 'openid accounts payments' },
  },
  {
    id: 'request-object-in-rs256',
    story: 'The client signs its request object with RS256 instead of PS256.',
    fails: ['TAUT-05/signed'],
    stops: true,
    conduct: {
      jwtHeader: (header, use) => (use === 'request' ? { ...header, alg: 'RS256' } : header),
    },
  },
  {
    id: 'request-object-unsigned',
    story: 'The client does not sign its request object (alg none).',
    fails: ['TAUT-05/signed'],
    stops: true,
    conduct: {
      jwtHeader: (header, use) => (use === 'request' ? { ...header, alg: 'none' } : header),
    },
  },
  {
    id: 'request-object-of-an-old-key',
    story: 'The client signs its request object with an old key.',
    fails: ['TAUT-05/signed'],
    stops: true,
    conduct: {
      jwtHeader: (header, use) => (use === 'request' ? { ...header, kid: 'last-year' } : header),
    },
  },
  {
    id: 'scope-in-the-query-alone',
    story: 'The request object has no scope; only the query has it.',
    warns: ['TAUT-15/in-the-object'],
    stops: true,
    conduct: { requestObject: ({ scope: _, ...claims }) => claims },
  },
  {
    id: 'intent-forgotten',
    story: 'The request object does not name the ConsentId.',
    warns: ['TAUT-15/in-the-object'],
    stops: true,
    conduct: { requestObject: ({ claims: _, ...rest }) => rest },
  },
  {
    id: 'openid-in-the-object-alone',
    story: 'The scope in the query has no openid; only the request object has it.',
    warns: ['TAUT-18/openid'],
    conduct: { query: (query) => ({ ...query, scope: 'accounts' }) },
  },
  {
    id: 'query-and-object-differ',
    story: 'The state differs in the query and in the request object.',
    warns: ['TAUT-06/agree'],
    conduct: { query: (query) => ({ ...query, state: 'from-the-template' }) },
  },
  {
    id: 'nonce-of-the-day',
    story:
      'The client uses the same nonce for all requests, because it creates one when the server starts.',
    warns: ['TAUT-07/nonce'],
    conduct: { newNonce: () => 'b1946ac92492d2347c6235b4d2611184' },
  },
  {
    id: 'nonces-are-counted',
    story: 'The nonce can be guessed, because it is the number of the visit.',
    warns: ['TAUT-07/not-guessable'],
    conduct: { newNonce: () => nextNumber() },
  },
  {
    id: 'nonce-is-the-consent',
    story: 'The nonce is the ConsentId.',
    warns: ['TAUT-07/not-guessable'],
    conduct: { newNonce: (_session, consentId) => consentId },
  },
  {
    id: 'state-is-the-consent',
    story: 'The state is the ConsentId.',
    warns: ['TAUT-08/not-guessable'],
    conduct: { newState: (_session, consentId) => consentId },
  },
  {
    id: 'states-are-times',
    story: 'The state can be guessed, because it is the time in milliseconds.',
    warns: ['TAUT-08/not-guessable'],
    conduct: { newState: () => nextTime() },
  },
  {
    id: 'state-is-the-page',
    story: 'The state is always the path of the page to return to.',
    warns: ['TAUT-08/state'],
    conduct: { newState: () => '/accounts' },
  },
  {
    id: 'request-object-for-the-page',
    story:
      'The aud of the request object is the address of the authorisation page instead of the issuer.',
    warns: ['TAUT-09/audience'],
    stops: true,
    conduct: {
      requestObject: (claims) => ({ ...claims, aud: 'https://auth.bank.example/authorize' }),
    },
  },
  {
    id: 'request-object-for-a-day',
    story: 'The request object is valid for a day.',
    warns: ['TAUT-10/lifetime'],
    conduct: {
      requestObject: (claims) => ({ ...claims, exp: Number(claims.iat) + 86_400 }),
    },
  },
  {
    id: 'request-object-without-nbf',
    story: 'The request object has no nbf.',
    warns: ['TAUT-10/lifetime'],
    conduct: { requestObject: ({ nbf: _, ...claims }) => claims },
  },
  {
    id: 'connects-anew-after-ninety-days',
    story:
      'For a re-confirmation, the client creates a new consent instead of using the existing one.',
    fails: ['TAUT-11/same-intent'],
    conduct: { reconfirmsExisting: false },
  },
  {
    id: 'state-not-compared',
    story: 'The client does not compare the state of the redirect.',
    warns: ['TAUT-12/no-state'],
    conduct: { stateRefusal: () => undefined },
  },
  {
    id: 'neither-state-nor-s-hash',
    story:
      'The client compares neither the state of the redirect nor the s_hash of the ID token, so nothing ties the response to the session.',
    warns: [
      'TAUT-12/no-state',
      'TAUT-12/other-state',
      'TAUT-12/state-at-reconfirmation',
      'TIDT-08/s-hash',
    ],
    because: 'Neither is looked at, at any visit.',
    conduct: {
      stateRefusal: () => undefined,
      idTokenChecks: { ...right.idTokenChecks, sHash: false },
    },
  },
  {
    id: 'reconfirmations-not-checked',
    story: 'The client does not check the response to a re-confirmation.',
    warns: [
      'TAUT-12/state-at-reconfirmation',
      'TIDT-01/signature-at-reconfirmation',
      'TIDT-06/nonce-at-reconfirmation',
    ],
    conduct: { checksReconfirmations: false },
  },
  {
    id: 'errors-are-successes',
    story: 'The client tells the customer that all went well, even if the redirect has an error.',
    warns: ['TAUT-13/denied', 'TAUT-13/denied-in-query', 'TAUT-13/server-error'],
    conduct: { claimsSuccess: (reason) => reason.startsWith('the bank answered') },
  },
  {
    id: 'link-tried-again-after-an-error',
    story:
      'If the redirect has no code, the client sends the customer to the bank again with the same link.',
    warns: ['TAUT-13/denied', 'TAUT-13/denied-in-query', 'TAUT-13/server-error'],
    conduct: { triesTheLinkAgain: true },
  },
  {
    id: 'sent-to-the-bank-again-and-again',
    story: 'The client sends the customer to the bank again until there is a code.',
    warns: ['TAUT-13/denied', 'TAUT-13/denied-in-query', 'TAUT-13/server-error'],
    conduct: { visitsAgain: () => 7 },
  },
  {
    id: 'link-of-the-first-visit',
    story:
      'The client uses the link of the first visit again for a re-confirmation, with the same state and nonce.',
    warns: ['TAUT-07/nonce', 'TAUT-08/state'],
    conduct: { keepsTheLink: true },
  },
  {
    id: 'client-of-another-bank',
    story: 'The client sends the client_id of another bank.',
    fails: ['TAUT-01/client'],
    stops: true,
    conduct: {
      query: (query) => ({ ...query, client_id: 'of-another-bank' }),
      requestObject: (claims) => ({
        ...claims,
        client_id: 'of-another-bank',
        iss: 'of-another-bank',
      }),
    },
  },
  {
    id: 'client-of-another-bank-in-the-query',
    story:
      'The client sends the client_id of another bank in the query; the request object has the right one.',
    fails: ['TAUT-01/client'],
    stops: true,
    conduct: { query: (query) => ({ ...query, client_id: 'of-another-bank' }) },
  },
  {
    id: 'request-object-by-reference',
    story: 'The client sends request_uri instead of request.',
    fails: ['TAUT-01/parameters'],
    stops: true,
    conduct: {
      query: ({ request: _, ...query }) => ({ ...query, request_uri: 'https://tally.example/1' }),
    },
  },
  {
    id: 'intent-without-its-value',
    story: 'The request object asks for openbanking_intent_id but does not name the ConsentId.',
    warns: ['TAUT-15/in-the-object'],
    stops: true,
    conduct: {
      requestObject: (claims) => ({
        ...claims,
        claims: { id_token: { openbanking_intent_id: { essential: true } } },
      }),
    },
  },
  {
    id: 'parameters-of-the-answer-all-known',
    story: 'The client fails if the redirect has a parameter that it does not know.',
    warns: ['TAUT-16/more-parameters'],
    conduct: { needs: { ...nothing, answerParameters: true } },
  },
  {
    id: 'second-question-mark',
    story:
      'If the address of the authorisation endpoint has a query, the client loses it when it adds its parameters.',
    warns: ['TAUT-17/address-with-a-query'],
    conduct: { keepsTheQuery: false },
  },
  {
    id: 'confirms-the-newest-consent',
    story:
      'For a re-confirmation, the client uses its newest consent at the bank, not the one of the customer.',
    fails: ['TAUT-11/own-intent'],
    conduct: { consentOf: (own, last, goal) => (goal === 'reconfirm' ? (last ?? own) : own) },
  },
  {
    id: 'scope-twice-in-the-query',
    story: 'The client sends scope twice in the query.',
    warns: ['TAUT-19/once-each'],
    stops: true,
    conduct: { queryText: (text) => `${text}&scope=openid` },
  },
  {
    id: 'errors-in-the-fragment-alone',
    story:
      'The client does not read an error in the query of the redirect, and sends the customer to the bank again.',
    warns: ['TAUT-13/denied-in-query'],
    conduct: { readsTheQuery: false, visitsAgain: (answer) => (answer.size === 0 ? 7 : 0) },
  },
]

export default wrong
