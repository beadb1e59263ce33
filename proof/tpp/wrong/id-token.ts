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
    story: 'The ID token is decoded, not verified: TLS protects it, does it not.',
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
    story: 'The library verifies with whatever alg the header names.',
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
    story: 'One bank, one issuer: it is never compared.',
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
    story: 'Whatever begins with the address of the bank is taken for the bank.',
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
    story:
      'A slash at the end of an address means nothing, so it is cut off before the comparison.',
    warns: ['TIDT-03/slash'],
    conduct: { sameIssuer: (named, bank) => String(named).replace(/\/$/, '') === bank },
  },
  {
    id: 'public-key-as-a-secret',
    story:
      'The library verifies by the alg of the header, and a key is a text: HS256 takes it too.',
    warns: ['TIDT-02/hs256'],
    conduct: { takesHs256: true },
  },
  {
    id: 'one-audience-is-enough',
    story: 'The client is among the audiences, and azp is compared where it is named.',
    warns: ['TIDT-04/second-audience', 'TIDT-04/second-audience-from-token-endpoint'],
    conduct: {
      ownAudience: (audiences, party, client) =>
        audiences.includes(client) && [undefined, client].includes(party as string),
    },
  },
  {
    id: 'audience-is-a-string',
    story: 'aud is compared with the client_id, and the test bank sent a string.',
    warns: ['TIDT-16/array'],
    conduct: { readsAudienceArrays: false },
  },
  {
    id: 'key-from-the-header',
    story: 'The library takes the key that the token brings along.',
    warns: ['TIDT-01/key-in-the-header'],
    conduct: { takesTheKeyOfTheHeader: true },
  },
  {
    id: 'clock-with-an-hour-to-spare',
    story: 'Summer time once broke the login, and the leeway went up to fifty minutes.',
    warns: ['TIDT-05/expired', 'TIDT-05/expired-from-token-endpoint'],
    conduct: { leeway: 3000 },
  },
  {
    id: 'audience-not-compared',
    story: 'aud is not looked at.',
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
    story: 'The clock of the test machine was wrong, so exp is not looked at.',
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
    story: 'The nonce is sent and forgotten.',
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
    story: 'The code is redeemed whatever the ID token says of it.',
    warns: ['TIDT-07/c-hash', 'TIDT-07/other-code'],
    conduct: without('cHash'),
  },
  {
    id: 's-hash-not-compared',
    story: 's_hash is a claim that OpenID Connect does not know.',
    warns: ['TIDT-08/s-hash'],
    conduct: without('sHash'),
  },
  {
    id: 'intent-not-compared',
    story: 'Which consent was approved is read from the session.',
    warns: ['TIDT-09/intent', 'TIDT-09/intent-from-token-endpoint'],
    conduct: without('intent'),
  },
  {
    id: 'id-token-not-needed',
    story: 'Without an ID token there is nothing to check.',
    warns: ['TIDT-10/absent'],
    conduct: without('present'),
  },
  {
    id: 'subject-not-compared',
    story: 'The second ID token is verified by itself.',
    warns: ['TIDT-11/no-subject', 'TIDT-11/subject', 'TIDT-15/subject-at-refresh'],
    conduct: without('subject'),
  },
  {
    id: 'extensions-of-the-header-ignored',
    story: 'Of the header alg and kid are read.',
    warns: ['TIDT-18/extension'],
    conduct: without('extensions'),
  },
  {
    id: 'level-not-compared',
    story: 'The level of authentication is asked for, as the bank wants it, and is not looked at.',
    warns: ['TIDT-19/level'],
    conduct: without('acr'),
  },
  {
    id: 'key-by-its-kid-alone',
    story: 'Keys are kept in a map by their kid.',
    warns: ['TIDT-14/no-kid'],
    conduct: { needsKid: true },
  },
  {
    id: 'second-id-token-ignored',
    story: 'The ID token of the token endpoint is thrown away.',
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
    story: 'A refresh is for the access token: what comes beside it is thrown away.',
    warns: [
      'TIDT-15/audience-at-refresh',
      'TIDT-15/issuer-at-refresh',
      'TIDT-15/subject-at-refresh',
    ],
    conduct: { checksRefreshedIdToken: false },
  },
  {
    id: 'keys-fetched-once',
    story: 'The JWKS is fetched when the server starts.',
    warns: ['TIDT-14/new-key'],
    conduct: { refetchesKeys: false },
  },
  {
    id: 'first-key-of-the-set',
    story: 'The bank has one key, so the first one is it.',
    warns: ['TIDT-14/new-key', 'TIDT-14/several-keys'],
    conduct: { takesFirstKey: true },
  },
]

export default wrong
