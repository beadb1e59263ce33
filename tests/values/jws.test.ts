import { createPublicKey, generateKeyPairSync, type KeyObject } from 'node:crypto'
import fc from 'fast-check'
import { compactVerify, type JWTPayload, jwtVerify } from 'jose'
import { describe, expect, test } from 'vitest'
import { jwt, type Signer } from '../../engine/client/jwt.ts'
import { jws } from '../../suites/values/jws.ts'
import type { Jws, JwsKind, JwsRow } from '../../suites/values/jws-rows.ts'
import { rowsOf } from '../../suites/values/value-type.ts'

const KINDS: JwsKind[] = [
  'client-assertion',
  'request-object',
  'registration',
  'software-statement',
  'id-token',
]

const rsa = (): KeyObject => generateKeyPairSync('rsa', { modulusLength: 2048 }).privateKey
const signer: Signer = { key: rsa(), kid: 'own-kid', otherKey: rsa() }
const publicKey = createPublicKey(signer.key)
const now = Math.floor(Date.now() / 1000)

/** What a client and a bank may be called. */
const clientId = fc.oneof(
  fc.uuid(),
  fc.stringMatching(/^[A-Za-z0-9._-]{2,30}$/),
  fc.webUrl({ withQueryParameters: true }),
)
const issuer = fc.oneof(
  fc.webUrl({ validSchemes: ['https'] }),
  fc.constantFrom(
    'https://127.0.0.1:4201',
    'https://bank.example',
    'https://bank.example/',
    'https://Bank.example:8443/open/Banking',
  ),
)

const rights: fc.Arbitrary<Jws> = fc
  .record({
    kind: fc.constantFrom(...KINDS),
    own: clientId,
    otherId: clientId,
    issuer,
    jti: fc.uuid(),
    two: fc.boolean(),
  })
  .filter(({ own, otherId }) => own !== otherId)
  .map(({ kind, own, otherId, issuer: bank, jti, two }) => ({
    kind,
    claims: claimsOf(kind, own, bank, jti),
    parties: {
      own,
      issuer: bank,
      ...(two && {
        other: { id: otherId, kid: 'other-kid', jwksUri: 'https://other.example/jwks' },
      }),
    },
    now,
  }))

function claimsOf(kind: JwsKind, own: string, bank: string, jti: string): Jws['claims'] {
  const times = { iat: now - 60, exp: now + 120 }
  switch (kind) {
    case 'client-assertion':
      return { iss: own, sub: own, aud: `${bank}/token`, jti, ...times }
    case 'request-object':
      return {
        ...{ iss: own, aud: bank, client_id: own, response_type: 'code id_token' },
        ...{ scope: 'openid accounts', redirect_uri: 'https://tpp.example/', state: 'state' },
        ...{ nonce: 'nonce', claims: { id_token: {} }, jti, nbf: now - 60, ...times },
      }
    case 'registration':
      return { iss: 'software', aud: bank, software_statement: 'a.b.c', jti, ...times }
    case 'software-statement':
      return { iss: 'directory', software_id: 'software', jti, iat: now - 60 }
    case 'id-token':
      return {
        ...{ iss: bank, sub: 'customer', aud: own, nonce: `kiss ${jti}`, ...times },
        ...{ c_hash: 'LDktKdoQak3Pk0cnXxCltA', s_hash: 'bOhtX8F73IMjSPeVAqxyTQ' },
      }
  }
}

/** A strict reader: the right one, and no other, to the letter. */
async function isRight(text: string, { claims }: Jws): Promise<boolean> {
  const parts = text.split('.')
  const canonical = parts.every(
    (part) => Buffer.from(part, 'base64url').toString('base64url') === part,
  )
  if (parts.length !== 3 || !canonical) return false
  try {
    await compactVerify(text, publicKey, { algorithms: ['PS256'] })
    const json = [{ alg: 'PS256', typ: 'JWT', kid: 'own-kid' }, claims].map((one) =>
      Buffer.from(JSON.stringify(one)).toString('base64url'),
    )
    return json.every((part, index) => part === parts[index])
  } catch {
    return false
  }
}

const REQUIRED: Partial<Record<JwsKind, string[]>> = {
  'client-assertion': ['iss', 'sub', 'aud', 'exp', 'jti'],
  'id-token': ['iss', 'sub', 'aud', 'exp', 'iat'],
}

/** What the documents and their standards have a careful reader check, by a library that is not ours. */
async function taken(text: string, { kind, claims, parties }: Jws): Promise<JWTPayload> {
  const aud = String(claims.aud)
  const { payload } = await jwtVerify(text, publicKey, {
    algorithms: ['PS256'],
    issuer: String(claims.iss),
    ...(claims.aud !== undefined && { audience: aud }),
    ...(['client-assertion', 'id-token'].includes(kind) && { subject: String(claims.sub) }),
    requiredClaims: REQUIRED[kind] ?? [],
    currentDate: new Date(now * 1000),
    clockTolerance: 60,
  })
  if (kind === 'request-object' && payload.client_id !== parties.own) throw new Error('client_id')
  for (const name of REQUIRED[kind] ?? []) if (payload[name] === null) throw new Error(name)
  if (kind === 'id-token') {
    if ([payload.aud].flat().length > 1) throw new Error('aud')
    for (const name of ['nonce', 'c_hash', 's_hash']) {
      if (payload[name] !== claims[name]) throw new Error(name)
    }
  }
  return payload
}

const rows = rowsOf(jws)
const wrong = rows.filter(({ lawful }) => !lawful)
const lawful = rows.filter((row) => row.lawful)

function made(row: JwsRow, right: Jws): string | undefined {
  const deviation = row.make(right)
  return deviation && jwt({ ...right.claims }, signer, deviation)
}

const example = (kind: JwsKind): Jws => ({
  kind,
  claims: claimsOf(
    kind,
    'Client-kiss-1',
    'https://bank.example',
    '0b8f1c56-6f0e-4c6e-9d13-1f0a2b7c9e10',
  ),
  parties: {
    own: 'Client-kiss-1',
    issuer: 'https://bank.example',
    other: { id: 'client-2', kid: 'other-kid', jwksUri: 'https://other.example/jwks' },
  },
  now,
})

describe('a wrong row', () => {
  test('is never the right JWS, whatever that is', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(rights, fc.constantFrom(...wrong), async (right, row) => {
        const text = made(row, right)
        if (text === undefined) return
        expect(await isRight(text, right), row.id).toBe(false)
      }),
      { numRuns: 1500 },
    )
  })

  test.each(KINDS)(
    'is refused by a careful reader, unless that is only recorded: %s',
    async (kind) => {
      const right = example(kind)
      await expect(taken(jwt({ ...right.claims }, signer), right)).resolves.toBeDefined()
      for (const row of wrong.filter(({ level }) => level !== 'observe')) {
        const text = made(row, right)
        if (text === undefined) continue
        await expect(taken(text, right), `${row.id} ${kind}`).rejects.toThrow()
      }
    },
  )
})

describe('a lawful row', () => {
  test('means the same, whatever the right one is', { timeout: 120_000 }, async () => {
    await fc.assert(
      fc.asyncProperty(rights, fc.constantFrom(...lawful), async (right, row) => {
        const text = made(row, right)
        if (text === undefined) return
        const payload = await taken(text, right)
        const { iat, exp, jti, aud, nbf, ...same } = right.claims
        expect(payload, row.id).toMatchObject(same)
        expect([payload.aud].flat()).toEqual([aud])
        expect(payload.exp ?? now).toBeCloseTo(Number(exp ?? now), -1)
        expect(payload.jti === undefined).toBe(jti === undefined)
      }),
      { numRuns: 600 },
    )
  })

  test.each(KINDS)('differs from the right one: %s', async (kind) => {
    const right = example(kind)
    for (const row of lawful) {
      const text = made(row, right)
      if (text !== undefined) expect(await isRight(text, right), row.id).toBe(false)
    }
  })
})

/** A deviation as text: its functions by what they do. */
const shown = (deviation: unknown) =>
  JSON.stringify(deviation, (name, value) =>
    typeof value === 'function' ? String(value(name === 'sent' ? 'e30.e30.AAAA' : '{}')) : value,
  )

test('every row is made of some JWS, and the same of the same', () => {
  for (const row of rows) {
    const deviations = KINDS.map((kind) => row.make(example(kind)))
    expect(deviations.some(Boolean), row.id).toBe(true)
    for (const kind of KINDS) {
      const [one, two] = [row.make(example(kind)), row.make(example(kind))]
      expect(shown(one)).toBe(shown(two))
    }
  }
})

test('without another client there is nothing of one', () => {
  for (const kind of KINDS) {
    const { other: _, ...alone } = example(kind).parties
    for (const row of rows.filter(({ id }) => /another-client/.test(id))) {
      expect(row.make({ ...example(kind), parties: alone }), row.id).toBeUndefined()
    }
  }
})

test('a row of several levels stands once for each, and of each kind once', () => {
  for (const kind of KINDS) {
    const ids = rows
      .filter((row) => row.make(example(kind)))
      .map(({ id }) => id.replace(/-in-(assertion|request|registration|statement|id-token).*$/, ''))
    expect(new Set(ids).size).toBe(ids.length)
  }
})

test('what is signed for another kind holds at its level: an expired assertion must be refused', () => {
  const of = (kind: JwsKind) =>
    rows.find((row) => /^exp-an-hour-ago/.test(row.id) && row.make(example(kind)))
  expect(of('client-assertion')?.level).toBe('must')
  expect(of('request-object')?.level).toBe('should')
  expect(of('software-statement')).toBeUndefined()
})
