import { type Conduct, right } from '../conduct.ts'
import type { WrongTpp } from '../tpp-proof.ts'

const without = (...checks: (keyof Conduct['idTokenChecks'])[]): Partial<Conduct> => ({
  idTokenChecks: {
    ...right.idTokenChecks,
    ...Object.fromEntries(checks.map((check) => [check, false])),
  },
})

const wrong: WrongTpp[] = [
  {
    id: 'signature-not-verified',
    story: 'The client does not verify the signature of ID tokens.',
    warns: [
      'TIDT-01/key-in-the-header',
      'TIDT-01/signature-at-reconfirmation',
      'TIDT-01/unknown-kid',
      'TIDT-01/wrong-signature',
    ],
    because: 'Whoever signs, at every visit.',
    conduct: without('signature'),
  },
  {
    id: 'any-alg',
    story: 'The client accepts every alg in the header of an ID token.',
    warns: [
      'TIDT-02/hs256',
      'TIDT-02/rs256',
      'TIDT-02/rs256-from-token-endpoint',
      'TIDT-02/unsigned',
      'TIDT-02/unsigned-from-token-endpoint',
    ],
    because: 'alg none and other algs, at either place.',
    conduct: without('alg'),
  },
  {
    id: 'issuer-not-compared',
    story: 'The client does not compare the iss of ID tokens.',
    warns: [
      'TIDT-03/issuer',
      'TIDT-03/issuer-from-token-endpoint',
      'TIDT-03/slash',
      'TIDT-15/issuer-at-refresh',
    ],
    because: 'Another issuer and one that is spelt otherwise, at every place.',
    conduct: without('iss'),
  },
  {
    id: 'issuer-compared-by-its-beginning',
    story: 'The client accepts every iss that begins with the issuer of the bank.',
    warns: [
      'TIDT-03/issuer',
      'TIDT-03/issuer-from-token-endpoint',
      'TIDT-03/slash',
      'TIDT-15/issuer-at-refresh',
    ],
    because: 'Whatever follows is as good, at every place.',
    conduct: { sameIssuer: (named, bank) => String(named).startsWith(bank) },
  },
  {
    id: 'issuer-compared-without-its-slash',
    story: 'The client ignores a slash at the end of the iss.',
    warns: ['TIDT-03/slash'],
    conduct: { sameIssuer: (named, bank) => String(named).replace(/\/$/, '') === bank },
  },
  {
    id: 'public-key-as-a-secret',
    story: 'The client accepts an ID token in HS256 and uses the public key as secret.',
    warns: ['TIDT-02/hs256'],
    conduct: { takesHs256: true },
  },
  {
    id: 'one-audience-is-enough',
    story: 'The client accepts an ID token with a second audience and without azp.',
    warns: ['TIDT-04/second-audience', 'TIDT-04/second-audience-from-token-endpoint'],
    conduct: {
      ownAudience: (audiences, party, client) =>
        audiences.includes(client) && [undefined, client].includes(party as string),
    },
  },
  {
    id: 'audience-is-a-string',
    story: 'The client fails if aud is an array.',
    warns: ['TIDT-16/array'],
    conduct: { readsAudienceArrays: false },
  },
  {
    id: 'key-from-the-header',
    story: 'The client verifies an ID token with the key in its header.',
    warns: ['TIDT-01/key-in-the-header'],
    conduct: { takesTheKeyOfTheHeader: true },
  },
  {
    id: 'clock-with-an-hour-to-spare',
    story: 'The client accepts an ID token that expired up to fifty minutes ago.',
    warns: ['TIDT-05/expired', 'TIDT-05/expired-from-token-endpoint'],
    conduct: { leeway: 3000 },
  },
  {
    id: 'audience-not-compared',
    story: 'The client does not compare the aud of ID tokens.',
    warns: [
      'TIDT-04/audience',
      'TIDT-04/audience-from-token-endpoint',
      'TIDT-04/second-audience',
      'TIDT-04/second-audience-from-token-endpoint',
      'TIDT-15/audience-at-refresh',
    ],
    because: 'Another audience and a second one, at every place.',
    conduct: without('aud'),
  },
  {
    id: 'expiry-not-looked-at',
    story: 'The client does not check the exp of ID tokens.',
    warns: [
      'TIDT-05/expired',
      'TIDT-05/expired-from-token-endpoint',
      'TIDT-05/no-exp',
      'TIDT-05/no-exp-from-token-endpoint',
    ],
    because: 'An exp that has passed and none, at either place.',
    conduct: without('exp'),
  },
  {
    id: 'nonce-not-compared',
    story: 'The client does not compare the nonce of ID tokens.',
    warns: [
      'TIDT-06/no-nonce',
      'TIDT-06/nonce-at-reconfirmation',
      'TIDT-06/nonce-from-token-endpoint',
      'TIDT-06/other-nonce',
    ],
    because: 'Another nonce and none, at every place.',
    conduct: without('nonce'),
  },
  {
    id: 'c-hash-not-compared',
    story: 'The client does not compare the c_hash of ID tokens with the code.',
    warns: ['TIDT-07/c-hash', 'TIDT-07/other-code'],
    conduct: without('cHash'),
  },
  {
    id: 's-hash-not-compared',
    story: 'The client does not compare the s_hash of ID tokens with the state.',
    warns: ['TIDT-08/s-hash'],
    conduct: without('sHash'),
  },
  {
    id: 'intent-not-compared',
    story: 'The client does not compare the ConsentId in ID tokens.',
    warns: ['TIDT-09/intent', 'TIDT-09/intent-from-token-endpoint'],
    conduct: without('intent'),
  },
  {
    id: 'id-token-not-needed',
    story: 'The client accepts a redirect without an ID token.',
    warns: ['TIDT-10/absent'],
    conduct: without('present'),
  },
  {
    id: 'subject-not-compared',
    story: 'The client does not compare the sub of the two ID tokens.',
    warns: ['TIDT-11/no-subject', 'TIDT-11/subject', 'TIDT-15/subject-at-refresh'],
    conduct: without('subject'),
  },
  {
    id: 'extensions-of-the-header-ignored',
    story: 'The client ignores crit in the header of an ID token.',
    warns: ['TIDT-18/extension'],
    conduct: without('extensions'),
  },
  {
    id: 'level-not-compared',
    story: 'The client asks for an acr but does not compare it in the ID token.',
    warns: ['TIDT-19/level'],
    conduct: without('acr'),
  },
  {
    id: 'key-by-its-kid-alone',
    story: 'The client fails if an ID token has no kid.',
    warns: ['TIDT-14/no-kid'],
    conduct: { needsKid: true },
  },
  {
    id: 'second-id-token-ignored',
    story: 'The client does not check the ID token of the token endpoint.',
    warns: [
      'TIDT-02/rs256-from-token-endpoint',
      'TIDT-02/unsigned-from-token-endpoint',
      'TIDT-03/issuer-from-token-endpoint',
      'TIDT-04/audience-from-token-endpoint',
      'TIDT-04/second-audience-from-token-endpoint',
      'TIDT-05/expired-from-token-endpoint',
      'TIDT-05/no-exp-from-token-endpoint',
      'TIDT-06/nonce-from-token-endpoint',
      'TIDT-09/intent-from-token-endpoint',
      'TIDT-11/no-subject',
      'TIDT-11/subject',
    ],
    because: 'Whatever is wrong with it goes unnoticed.',
    conduct: { checksSecondIdToken: false },
  },
  {
    id: 'id-token-of-a-refresh-ignored',
    story: 'The client does not check the ID token of a refresh.',
    warns: [
      'TIDT-15/audience-at-refresh',
      'TIDT-15/issuer-at-refresh',
      'TIDT-15/subject-at-refresh',
    ],
    conduct: { checksRefreshedIdToken: false },
  },
  {
    id: 'keys-fetched-once',
    story: 'The client reads the JWKS only when it starts, so it does not find a new key.',
    warns: ['TIDT-14/new-key'],
    conduct: { refetchesKeys: false },
  },
  {
    id: 'first-key-of-the-set',
    story: 'The client always uses the first key of the JWKS.',
    warns: ['TIDT-14/new-key', 'TIDT-14/several-keys'],
    conduct: { takesFirstKey: true },
  },
]

export default wrong
