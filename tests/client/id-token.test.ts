import { generateKeyPairSync } from 'node:crypto'
import { SignJWT } from 'jose'
import { describe, expect, test } from 'vitest'
import { signatureOf } from '../../engine/client/signature.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import {
  compareIdToken,
  halfHash,
  type IdTokenContext,
} from '../../suites/account-information/common/tokens/id-token.ts'
import { landingOf } from '../../suites/account-information/common/visits/landings.ts'

const { privateKey, publicKey } = generateKeyPairSync('rsa', { modulusLength: 2048 })
const other = generateKeyPairSync('rsa', { modulusLength: 2048 })
const jwk = { ...publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig' }
const now = 1_800_000_000

const jwks = { keys: [{ kty: 'unknown', kid: 'k1' }, 'garbage', jwk] }

const context: IdTokenContext = {
  issuer: 'https://bank.example',
  clientId: 'client-1',
  nonce: 'n',
  code: 'code',
  state: 'state',
  intentId: 'consent-1',
  now,
}

const claims = {
  iss: 'https://bank.example',
  sub: 'consent-1',
  aud: 'client-1',
  exp: now + 300,
  iat: now,
  nonce: 'n',
  c_hash: halfHash('code', 'PS256'),
  s_hash: halfHash('state', 'PS256'),
  openbanking_intent_id: 'consent-1',
  acr: 'urn:openbanking:psd2:sca',
}

function idToken(over: object = {}, header: object = {}, key = privateKey): Promise<string> {
  return new SignJWT({ ...claims, ...over })
    .setProtectedHeader({ alg: 'PS256', kid: 'k1', ...header })
    .sign(key)
}

async function wrong(
  token: Promise<string> | string,
  { keys = jwks, ...over }: Partial<IdTokenContext> & { keys?: unknown } = {},
) {
  const signature = await signatureOf(await token, keys)
  const findings = compareIdToken(await token, { ...context, signature, ...over })
  return findings.filter(({ ok }) => !ok).map(({ what }) => what)
}

describe('an ID token', () => {
  test('that is right has only good findings', async () => {
    const findings = compareIdToken(await idToken(), { ...context, signature: 'verifies' })
    expect(findings.map(({ what, ok }) => [what, ok])).toEqual(
      'form alg key signature iss sub aud exp iat nonce c_hash s_hash intent acr'
        .split(' ')
        .map((what) => [what, true]),
    )
  })

  test.each([
    ['iss', { iss: 'https://other.example' }],
    ['sub', { sub: undefined }],
    ['sub', { sub: 7 }],
    ['aud', { aud: ['other'] }],
    ['azp', { azp: 'other' }],
    ['azp', { aud: ['client-1', 'other'] }],
    ['exp', { exp: now - 61 }],
    ['exp', { exp: undefined }],
    ['iat', { iat: now + 61 }],
    ['nbf', { nbf: now + 61 }],
    ['nbf', { nbf: 'now' }],
    ['nonce', { nonce: 'other' }],
    ['c_hash', { c_hash: undefined }],
    ['s_hash', { s_hash: 'x' }],
    ['intent', { openbanking_intent_id: 'other' }],
    ['acr', { acr: undefined }],
  ])('%s', async (what, over) => {
    expect(await wrong(idToken(over))).toEqual([what])
  })

  test('that a person brought after its end is compared with its own iat', async () => {
    const late = idToken({ iat: now - 400, exp: now - 100 })
    expect(await wrong(late)).toEqual(['exp'])
    expect(await wrong(late, { told: true })).toEqual([])
    expect(await wrong(idToken({ iat: now, exp: now }), { told: true })).toEqual(['exp'])
    expect(await wrong(idToken({ exp: undefined }), { told: true })).toEqual(['exp'])
  })

  test.each([
    [0, true],
    [302, undefined],
  ])('came by a redirect of status %i, where 0 is one that somebody told of', (status, told) => {
    const redirectUri = 'https://tpp.example/back'
    const visit = { clientId: 'client-1', redirectUri, nonce: 'n' }
    const exchange = {
      about: { visit },
      request: { url: 'https://bank.example/authorize' },
      response: { status, headers: [['location', `${redirectUri}#code=c`]] },
    } as unknown as Exchange
    expect(landingOf(exchange)?.told).toBe(told)
  })

  test('signed by another key, under a key id that is not there, without one', async () => {
    expect(await wrong(idToken({}, {}, other.privateKey))).toEqual(['signature'])
    expect(await wrong(idToken({}, { kid: 'k2' }))).toEqual(['key'])
    expect(await wrong(idToken({}, { kid: undefined }))).toEqual([])
    const unnamed = { ...jwk, kid: undefined }
    expect(await wrong(idToken(), { keys: { keys: [unnamed] } })).toEqual([])
    const named = { ...other.publicKey.export({ format: 'jwk' }), kid: 'k1', use: 'sig' }
    expect(await wrong(idToken(), { keys: { keys: [unnamed, named] } })).toEqual(['signature'])
    expect(await wrong(idToken(), { keys: 'garbage' })).toEqual(['key'])
  })

  test('signed with another algorithm', async () => {
    expect(await wrong(idToken({}, { alg: 'RS256' }))).toEqual(['alg', 'signature'])
  })

  test('that was changed after signing, or is none', async () => {
    const [header, , signature] = (await idToken()).split('.')
    const payload = Buffer.from(JSON.stringify(claims)).toString('base64url')
    expect(await wrong(`${header}.${payload}x.${signature}`)).toContain('form')
    expect(await wrong('')).toEqual(['form'])
  })

  test('says what is absent, and what was expected', async () => {
    const findings = compareIdToken(await idToken({ acr: undefined, nonce: 'm' }), context)
    expect(findings.find(({ what }) => what === 'acr')).toMatchObject({
      absent: true,
      actual: 'absent',
    })
    expect(findings.find(({ what }) => what === 'nonce')).toEqual({
      what: 'nonce',
      ok: false,
      absent: false,
      expected: 'n',
      actual: 'm',
    })
  })

  test('at_hash is compared when there is an access token', async () => {
    expect(await wrong(idToken(), { accessToken: 't' })).toEqual(['at_hash'])
    expect(await wrong(idToken({ at_hash: halfHash('t', 'PS256') }), { accessToken: 't' })).toEqual(
      [],
    )
  })
})

test('halfHash: the example of OpenID Connect Core, appendix A.4', () => {
  expect(halfHash('Qcb0Orv1zh30vL1MPRsbm-diHiMwcLyZvn1arpZv-Jxf_11jnpEX3Tgfvk', 'RS256')).toBe(
    'LDktKdoQak3Pk0cnXxCltA',
  )
})
