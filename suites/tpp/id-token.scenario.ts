/** ID tokens with one error each. Requirements: specs/tpp/id-token.yaml */
import { type ScenarioRun, scenario } from '../../engine/suite-api/certification.ts'
import { Nonconformance, NotApplicable } from '../../engine/suite-api/outcomes.ts'
import type { Exchange } from '../../engine/suite-api/responses.ts'
import {
  after,
  dataIn,
  lastSaid,
  redemptions,
  refusesTheCode,
  refusesTheTokens,
  requireAltered,
  requireRefusal,
  requireSecondVisit,
  requireState,
  requireUnbroken,
  survives,
} from './common/expect.ts'
import { requestObjectOf } from './common/messages.ts'

/**
 * The client has the data. Not applicable to one that stops with the keys that it fetched before: it fetches others only
 * from time to time, and saw nothing of this bank's.
 */
function survivesByItsKeys(run: ScenarioRun): void {
  const asked = (endpoint: Exchange['endpoint']) =>
    run.exchanges.some((each) => each.endpoint === endpoint)
  if (lastSaid(run).end === 'refused' && asked('authorisation') && !asked('jwks')) {
    throw new NotApplicable('the client has the keys of an earlier scenario, and fetches no others')
  }
  survives(run)
}

// Before scenarios with a kid that is unknown: who fetches the keys for it fetches none for a while. A client that has one
// key needs no kid, so this comes first.
scenario({
  id: 'TIDT-14/no-kid',
  title: 'the bank has one key, and no ID token names it by a kid',
  right: 'It takes the key that there is.',
  alteration: 'id-tokens-without-kid',
  judge: survivesByItsKeys,
})

scenario({
  id: 'TIDT-14/several-keys',
  title: 'the bank publishes several keys, of other types too, and signs with any of them',
  right: 'It takes the key that the kid of the ID token names.',
  alteration: 'many-keys',
  judge: survivesByItsKeys,
})

/** Id, alteration, and the error in words that follow “an ID token”. */
const REDIRECT: [id: string, alteration: string, what: string][] = [
  ['TIDT-01/wrong-signature', 'redirect-id-token-of-a-stranger', 'signed by somebody else'],
  ['TIDT-01/unknown-kid', 'redirect-id-token-of-unknown-kid', 'of a key that is not published'],
  [
    'TIDT-01/key-in-the-header',
    'redirect-id-token-with-a-key-of-its-own',
    'signed by somebody else whose key stands in its header',
  ],
  ['TIDT-02/unsigned', 'redirect-id-token-unsigned', 'with alg none'],
  ['TIDT-02/rs256', 'redirect-id-token-in-rs256', 'with alg RS256 where PS256 is registered'],
  [
    'TIDT-02/hs256',
    'redirect-id-token-in-hs256',
    'with alg HS256 under the public key as a secret',
  ],
  ['TIDT-03/issuer', 'redirect-id-token-of-another-issuer', 'of another issuer'],
  [
    'TIDT-03/slash',
    'redirect-id-token-of-an-issuer-with-a-slash',
    'of the issuer with a slash at its end',
  ],
  ['TIDT-04/audience', 'redirect-id-token-for-another-client', 'for another client'],
  ['TIDT-04/second-audience', 'redirect-id-token-for-two-clients', 'for another client as well'],
  ['TIDT-05/expired', 'redirect-id-token-expired', 'that has expired'],
  ['TIDT-05/no-exp', 'redirect-id-token-without-exp', 'without exp'],
  ['TIDT-06/other-nonce', 'redirect-id-token-of-another-nonce', 'with the nonce of another visit'],
  ['TIDT-06/no-nonce', 'redirect-id-token-without-nonce', 'without nonce'],
  ['TIDT-07/c-hash', 'redirect-id-token-of-another-c-hash', 'with a c_hash of another code'],
  ['TIDT-07/other-code', 'code-of-another-visit', 'beside the code of another visit'],
  ['TIDT-08/s-hash', 'redirect-id-token-of-another-s-hash', 'with an s_hash of another state'],
  ['TIDT-09/intent', 'redirect-id-token-of-another-intent', 'for the intent of another consent'],
]

for (const [id, alteration, what] of REDIRECT) {
  scenario({
    id,
    title: `the answer of the authorisation page holds an ID token ${what}`,
    right: 'It validates the ID token before it redeems the code, and redeems none.',
    alteration,
    judge(run) {
      if (id === 'TIDT-08/s-hash') requireState(run)
      refusesTheCode(run, `an ID token ${what}`)
    },
  })
}

for (const [id, alteration, what] of [
  [
    'TIDT-01/signature-at-reconfirmation',
    'later-redirect-id-token-of-a-stranger',
    'signed by somebody else',
  ],
  [
    'TIDT-06/nonce-at-reconfirmation',
    'later-redirect-id-token-of-another-nonce',
    'with the nonce of another visit',
  ],
] as const) {
  scenario({
    id,
    title: `the customer re-confirms, and the answer holds an ID token ${what}`,
    right: 'It validates the ID token of each visit, and redeems no code beside a wrong one.',
    alteration,
    steps: ['connect', 'reconfirm'],
    judge: (run) => refusesTheCode(run, `an ID token ${what}`),
  })
}

scenario({
  id: 'TIDT-18/extension',
  title: 'the ID token has an unknown critical extension (crit) in its header',
  right: 'It does not understand the ID token, and redeems no code.',
  alteration: 'redirect-id-token-with-an-extension',
  judge: (run) => refusesTheCode(run, 'an ID token with an unknown extension'),
})

/** Does this visit insist on a level of authentication? */
function insistsOnLevel(visit: Exchange): boolean {
  const { claims } = (requestObjectOf(visit)?.claims ?? {}) as {
    claims?: { id_token?: { acr?: { essential?: boolean; value?: string; values?: string[] } } }
  }
  const { essential, value, values } = claims?.id_token?.acr ?? {}
  return essential === true && (value !== undefined || Array.isArray(values))
}

scenario({
  id: 'TIDT-19/level',
  title: 'the ID token states another level of authentication (acr) than was asked for',
  right: 'It compares acr with the levels on which its request insists, and redeems no code.',
  alteration: 'redirect-id-token-of-another-level',
  judge(run) {
    const visits = run.exchanges.filter(({ endpoint }) => endpoint === 'authorisation')
    if (visits.length > 0 && !visits.some(insistsOnLevel))
      throw new NotApplicable('the client insists on no level of authentication')
    refusesTheCode(run, 'an ID token of another level of authentication')
  },
})

scenario({
  id: 'TIDT-10/absent',
  title: 'the answer of the authorisation page holds a code and no ID token',
  right: 'It does not redeem a code that comes without an ID token.',
  alteration: 'redirect-without-id-token',
  judge: (run) => refusesTheCode(run, 'an answer without an ID token'),
})

const TOKEN_ENDPOINT: [id: string, alteration: string, what: string][] = [
  ['TIDT-02/unsigned-from-token-endpoint', 'token-id-token-unsigned', 'with alg none'],
  [
    'TIDT-02/rs256-from-token-endpoint',
    'token-id-token-in-rs256',
    'with alg RS256 where PS256 is registered',
  ],
  ['TIDT-03/issuer-from-token-endpoint', 'token-id-token-of-another-issuer', 'of another issuer'],
  [
    'TIDT-04/audience-from-token-endpoint',
    'token-id-token-for-another-client',
    'for another client',
  ],
  [
    'TIDT-04/second-audience-from-token-endpoint',
    'token-id-token-for-two-clients',
    'for another client as well',
  ],
  ['TIDT-05/expired-from-token-endpoint', 'token-id-token-expired', 'that has expired'],
  ['TIDT-05/no-exp-from-token-endpoint', 'token-id-token-without-exp', 'without exp'],
  [
    'TIDT-06/nonce-from-token-endpoint',
    'token-id-token-of-another-nonce',
    'with the nonce of another visit',
  ],
  [
    'TIDT-09/intent-from-token-endpoint',
    'token-id-token-of-another-intent',
    'for the intent of another consent',
  ],
  [
    'TIDT-11/subject',
    'token-id-token-of-another-subject',
    'of another customer than the first one',
  ],
]

for (const [id, alteration, what] of TOKEN_ENDPOINT) {
  scenario({
    id,
    title: `the token endpoint answers with an ID token ${what}`,
    right: 'It validates the ID token, and uses no access token that came beside it.',
    alteration,
    judge: (run) => refusesTheTokens(run, `an ID token ${what}`),
  })
}

scenario({
  id: 'TIDT-11/no-subject',
  title: 'the first ID token names no customer, and the second one does',
  right: 'It uses no access token: the two ID tokens are not for the same customer.',
  alteration: 'redirect-id-token-without-sub',
  judge(run) {
    const altered = requireAltered(run, 'sends a customer to the bank')
    const [used] = dataIn(after(run, altered))
    const what = 'an ID token without sub'
    if (used) {
      throw new Nonconformance({
        message: `the client accepts ${what}`,
        expected: 'no request for data: the two ID tokens cannot be compared',
        actual: `${used.request.method} ${used.endpoint} was sent`,
        exchange: used,
      })
    }
    requireRefusal(run, what, altered)
  },
})

for (const [id, alteration, what] of [
  ['TIDT-15/issuer-at-refresh', 'refresh-id-token-of-another-issuer', 'of another issuer'],
  ['TIDT-15/audience-at-refresh', 'refresh-id-token-for-another-client', 'for another client'],
  ['TIDT-15/subject-at-refresh', 'refresh-id-token-of-another-subject', 'of another customer'],
] as const) {
  scenario({
    id,
    title: `a refresh is answered with an ID token ${what}`,
    right:
      'It compares the ID token with the first one, and uses no access token beside a wrong one.',
    alteration,
    steps: ['connect', { fact: 'token-expired' }, 'read'],
    judge(run) {
      const [altered] = run.altered
      if (!altered) {
        requireUnbroken(run)
        throw new NotApplicable('the client refreshes no token, or gets no ID token then')
      }
      refusesTheTokens(run, `an ID token ${what}`)
    },
  })
}

for (const [id, alteration, what, because] of [
  [
    'TIDT-12/signature-from-token-endpoint',
    'token-id-token-of-a-stranger',
    'signed by somebody else',
    'TLS may replace the check of the signature here',
  ],
  [
    'TIDT-12/unknown-kid-from-token-endpoint',
    'token-id-token-of-unknown-kid',
    'of a key that is not published',
    'TLS may replace the check of the signature here',
  ],
  [
    'TIDT-13/at-hash-from-token-endpoint',
    'token-id-token-of-another-at-hash',
    'with an at_hash of another access token',
    'a client may compare at_hash, and no sentence obliges it',
  ],
  [
    'TIDT-13/c-hash-from-token-endpoint',
    'token-id-token-of-another-c-hash',
    'with a c_hash of another code',
    'c_hash may be omitted here, and no sentence has it compared',
  ],
  [
    'TIDT-17/party-from-token-endpoint',
    'token-id-token-of-another-party',
    'whose azp is another client',
    'no sentence obliges a client to compare azp where aud is the client alone',
  ],
] as const) {
  scenario({
    id,
    title: `the token endpoint answers with an ID token ${what}`,
    right: `Whether it notices is recorded: ${because}.`,
    alteration,
    judge(run) {
      const taken = dataIn(run.exchanges).length > 0
      const said = taken ? 'taken' : `refused: ${lastSaid(run).words}`
      run.observe(`an ID token ${what} from the token endpoint is`, said)
    },
  })
}

for (const [id, alteration, what, because] of [
  [
    'TIDT-13/no-c-hash',
    'redirect-id-token-without-c-hash',
    'without c_hash',
    'c_hash is compared where it is present',
  ],
  [
    'TIDT-17/party',
    'redirect-id-token-of-another-party',
    'whose azp is another client',
    'no sentence obliges a client to compare azp where aud is the client alone',
  ],
] as const) {
  scenario({
    id,
    title: `the answer of the authorisation page holds an ID token ${what}`,
    right: `Whether it continues is recorded: ${because}.`,
    alteration,
    judge(run) {
      const taken = redemptions(run.exchanges).length > 0
      run.observe(`an ID token ${what} is`, taken ? 'taken' : `refused: ${lastSaid(run).words}`)
    },
  })
}

scenario({
  id: 'TIDT-16/array',
  title: 'aud of every ID token is an array with the client alone',
  right: 'It finds itself in the array, and continues.',
  alteration: 'id-tokens-with-aud-in-an-array',
  judge: (run) => survives(run),
})

scenario({
  id: 'TIDT-14/new-key',
  title: 'between two logins the bank begins to sign with a new key',
  right: 'It fetches the JWKS again when a kid is unknown to it.',
  alteration: 'keys-change-during-the-run',
  steps: ['connect', 'connect'],
  judge(run) {
    requireSecondVisit(run)
    survives(run)
  },
})
