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
    story: 'What the request object says need not be said twice.',
    fails: ['TAUT-01/parameters'],
    conduct: {
      query: ({ request = '', client_id: clientId = '' }) => ({ request, client_id: clientId }),
    },
  },
  {
    id: 'no-redirect-uri-in-the-query',
    story: 'The redirect URI is signed, so why repeat it.',
    fails: ['TAUT-01/parameters'],
    conduct: { query: ({ redirect_uri: _, ...query }) => query },
  },
  {
    id: 'code-flow',
    story: 'The library knows the code flow alone.',
    fails: ['TAUT-02/response-type'],
    stops: true,
    conduct: {
      query: (query) => ({ ...query, response_type: 'code' }),
      requestObject: (claims) => ({ ...claims, response_type: 'code' }),
    },
  },
  {
    id: 'redirect-uri-with-a-slash',
    story: 'A URL class put a slash at the end of the redirect URI.',
    fails: ['TAUT-03/registered'],
    stops: true,
    conduct: { redirectUri: (registered) => `${registered[0]}/` },
  },
  {
    id: 'scope-for-payments',
    story: 'The scope of the payment product was copied along.',
    fails: ['TAUT-04/registered'],
    stops: true,
    conduct: { visitScope: () => 'openid accounts payments' },
  },
  {
    id: 'request-object-in-rs256',
    story: 'The signer’s default is RS256.',
    fails: ['TAUT-05/signed'],
    stops: true,
    conduct: {
      jwtHeader: (header, use) => (use === 'request' ? { ...header, alg: 'RS256' } : header),
    },
  },
  {
    id: 'request-object-unsigned',
    story: 'The request object is not signed in development, and neither it is in production.',
    fails: ['TAUT-05/signed'],
    stops: true,
    conduct: {
      jwtHeader: (header, use) => (use === 'request' ? { ...header, alg: 'none' } : header),
    },
  },
  {
    id: 'request-object-of-an-old-key',
    story: 'The signing key was replaced at the directory and not in the vault.',
    fails: ['TAUT-05/signed'],
    stops: true,
    conduct: {
      jwtHeader: (header, use) => (use === 'request' ? { ...header, kid: 'last-year' } : header),
    },
  },
  {
    id: 'scope-in-the-query-alone',
    story: 'The request object holds what the library signs, and the rest is appended.',
    warns: ['TAUT-15/in-the-object'],
    stops: true,
    conduct: { requestObject: ({ scope: _, ...claims }) => claims },
  },
  {
    id: 'intent-forgotten',
    story: 'The consent is created, and the request object does not name it.',
    warns: ['TAUT-15/in-the-object'],
    stops: true,
    conduct: { requestObject: ({ claims: _, ...rest }) => rest },
  },
  {
    id: 'openid-in-the-object-alone',
    story: 'The library adds openid to what it signs, and the link is made before.',
    warns: ['TAUT-18/openid'],
    conduct: { query: (query) => ({ ...query, scope: 'accounts' }) },
  },
  {
    id: 'query-and-object-differ',
    story: 'The query is made from the template, the request object from the session.',
    warns: ['TAUT-06/agree'],
    conduct: { query: (query) => ({ ...query, state: 'from-the-template' }) },
  },
  {
    id: 'nonce-of-the-day',
    story: 'The nonce is made once when the server starts.',
    warns: ['TAUT-07/nonce'],
    conduct: { newNonce: () => 'b1946ac92492d2347c6235b4d2611184' },
  },
  {
    id: 'nonces-are-counted',
    story: 'The nonce is the number of the visit, with leading zeros.',
    warns: ['TAUT-07/not-guessable'],
    conduct: { newNonce: () => nextNumber() },
  },
  {
    id: 'nonce-is-the-consent',
    story: 'Each consent has an id that nobody else has, and it is the nonce as well.',
    warns: ['TAUT-07/not-guessable'],
    conduct: { newNonce: (_session, consentId) => consentId },
  },
  {
    id: 'state-is-the-consent',
    story: 'The state is the id of the consent, which finds the session.',
    warns: ['TAUT-08/not-guessable'],
    conduct: { newState: (_session, consentId) => consentId },
  },
  {
    id: 'states-are-times',
    story: 'The state is the millisecond in which the customer began.',
    warns: ['TAUT-08/not-guessable'],
    conduct: { newState: () => nextTime() },
  },
  {
    id: 'state-is-the-page',
    story: 'state holds the page to come back to.',
    warns: ['TAUT-08/state'],
    conduct: { newState: () => '/accounts' },
  },
  {
    id: 'request-object-for-the-page',
    story: 'aud of the request object is the address of the authorisation page.',
    warns: ['TAUT-09/audience'],
    stops: true,
    conduct: {
      requestObject: (claims) => ({ ...claims, aud: 'https://auth.bank.example/authorize' }),
    },
  },
  {
    id: 'request-object-for-a-day',
    story: 'Customers take their time: the link is good for a day.',
    warns: ['TAUT-10/lifetime'],
    conduct: {
      requestObject: (claims) => ({ ...claims, exp: Number(claims.iat) + 86_400 }),
    },
  },
  {
    id: 'request-object-without-nbf',
    story: 'nbf is optional in a JWT.',
    warns: ['TAUT-10/lifetime'],
    conduct: { requestObject: ({ nbf: _, ...claims }) => claims },
  },
  {
    id: 'connects-anew-after-ninety-days',
    story: 'Re-confirmation is a second connect.',
    fails: ['TAUT-11/same-intent'],
    conduct: { reconfirmsExisting: false },
  },
  {
    id: 'state-not-compared',
    story: 'state is read where it is there, and compared nowhere.',
    warns: ['TAUT-12/no-state'],
    conduct: { stateRefusal: () => undefined },
  },
  {
    id: 'neither-state-nor-s-hash',
    story: 'Nothing ties the answer to the session of the browser.',
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
    story: 'Who confirms again is known already, so the answer is taken as it comes.',
    warns: [
      'TAUT-12/state-at-reconfirmation',
      'TIDT-01/signature-at-reconfirmation',
      'TIDT-06/nonce-at-reconfirmation',
    ],
    conduct: { checksReconfirmations: false },
  },
  {
    id: 'errors-are-successes',
    story: 'Whoever comes back from the bank is told that all went well.',
    warns: ['TAUT-13/denied', 'TAUT-13/denied-in-query', 'TAUT-13/server-error'],
    conduct: { claimsSuccess: (reason) => reason.startsWith('the bank answered') },
  },
  {
    id: 'link-tried-again-after-an-error',
    story: 'Whoever comes back without a code is sent to the bank once more.',
    warns: ['TAUT-13/denied', 'TAUT-13/denied-in-query', 'TAUT-13/server-error'],
    conduct: { triesTheLinkAgain: true },
  },
  {
    id: 'sent-to-the-bank-again-and-again',
    story: 'The journey begins again until there is a code, or the customer closes the page.',
    warns: ['TAUT-13/denied', 'TAUT-13/denied-in-query', 'TAUT-13/server-error'],
    conduct: { visitsAgain: () => 7 },
  },
  {
    id: 'link-of-the-first-visit',
    story: 'The link is kept with the consent, and used again to confirm it.',
    warns: ['TAUT-07/nonce', 'TAUT-08/state'],
    conduct: { keepsTheLink: true },
  },
  {
    id: 'client-of-another-bank',
    story: 'The client_id is one for all banks.',
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
    story: 'The query is made from the template, the request object from the registration.',
    fails: ['TAUT-01/client'],
    stops: true,
    conduct: { query: (query) => ({ ...query, client_id: 'of-another-bank' }) },
  },
  {
    id: 'request-object-by-reference',
    story: 'The request object is fetched by other banks, so it lies at an address.',
    fails: ['TAUT-01/parameters'],
    stops: true,
    conduct: {
      query: ({ request: _, ...query }) => ({ ...query, request_uri: 'https://tally.example/1' }),
    },
  },
  {
    id: 'intent-without-its-value',
    story: 'The intent is asked for, and which one is told in the state.',
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
    story: 'The answer is read by a class that refuses unknown parameters.',
    warns: ['TAUT-16/more-parameters'],
    conduct: { needs: { ...nothing, answerParameters: true } },
  },
  {
    id: 'second-question-mark',
    story: 'Address and parameters are joined by a question mark.',
    warns: ['TAUT-17/address-with-a-query'],
    conduct: { keepsTheQuery: false },
  },
  {
    id: 'confirms-the-newest-consent',
    story: 'The consent to confirm again is found by the bank, and is the newest one there.',
    fails: ['TAUT-11/own-intent'],
    conduct: { consentOf: (own, last, goal) => (goal === 'reconfirm' ? (last ?? own) : own) },
  },
  {
    id: 'scope-twice-in-the-query',
    story: 'The library adds a scope, and the configuration has one already.',
    warns: ['TAUT-19/once-each'],
    stops: true,
    conduct: { queryText: (text) => `${text}&scope=openid` },
  },
  {
    id: 'errors-in-the-fragment-alone',
    story: 'The page of the redirect reads the fragment, and where nothing is in it begins again.',
    warns: ['TAUT-13/denied-in-query'],
    conduct: { readsTheQuery: false, visitsAgain: (answer) => (answer.size === 0 ? 7 : 0) },
  },
]

export default wrong
