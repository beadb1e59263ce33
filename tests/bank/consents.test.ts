import { randomUUID } from 'node:crypto'
import { afterEach, describe, expect, test } from 'vitest'
import { supportedPermissions } from '../../bank/state/consents.ts'
import { directoryOfFile, open, openForFile, shut } from './opened.ts'
import { everything } from './tpp.ts'

const directory = await directoryOfFile()
const { bank, first, second } = await openForFile({ directory })
const { endpoints } = bank.services
const accessPath = '/aisp/account-access-consents'
const fundsPath = '/cbpii/funds-confirmation-consents'
const bearer = await first.clientToken('accounts fundsconfirmations')
const secondBearer = await second.clientToken('accounts fundsconfirmations')

afterEach(() => expect(bank.problems).toEqual([]))

const create = (data: unknown, Risk: unknown = {}) =>
  first.call(accessPath, { bearer, body: { Data: data, Risk } })

test('a consent is created, queried and deleted', async () => {
  const made = await create({
    Permissions: everything,
    ExpirationDateTime: '2031-01-01T01:00:00+01:00',
    TransactionFromDateTime: '2025-06-01T00:00:00Z',
    TransactionToDateTime: '2025-07-01T00:00:00.5Z',
  })
  expect(made.status).toBe(201)
  const { ConsentId } = made.json.Data
  const Self = `${endpoints.at.api}/open-banking/v3.1${accessPath}/${ConsentId}`
  expect(made.json).toEqual({
    Data: {
      ConsentId,
      Status: 'AwaitingAuthorisation',
      StatusUpdateDateTime: expect.stringMatching(/Z$/),
      CreationDateTime: expect.stringMatching(/Z$/),
      Permissions: everything,
      ExpirationDateTime: '2031-01-01T00:00:00.000Z',
      TransactionFromDateTime: '2025-06-01T00:00:00.000Z',
      TransactionToDateTime: '2025-07-01T00:00:00.500Z',
    },
    Risk: {},
    Links: { Self },
    Meta: { TotalPages: 1 },
  })
  const queried = await first.call(`${accessPath}/${ConsentId}`, { bearer })
  expect([queried.status, queried.json]).toEqual([200, made.json])
  const deleted = await first.call(`${accessPath}/${ConsentId}`, { bearer, method: 'DELETE' })
  expect([deleted.status, deleted.text]).toEqual([204, ''])
  expect((await first.call(`${accessPath}/${ConsentId}`, { bearer })).status).toBe(400)
  expect(
    (await first.call(`${accessPath}/${ConsentId}`, { bearer, method: 'DELETE' })).status,
  ).toBe(403)
})

test.each(supportedPermissions)('%s alone is accepted', async (permission) => {
  const { status, json } = await create({ Permissions: [permission] })
  expect([status, json.Data.Permissions]).toEqual([201, [permission]])
})

describe('400 with the open banking error body', () => {
  const Permissions = everything
  test.each<[string, unknown, unknown?]>([
    ['no permissions', {}],
    ['empty permissions', { Permissions: [] }],
    ['permissions a string', { Permissions: 'ReadBalances' }],
    ['a permission that is a number', { Permissions: [1] }],
    ['ReadPAN', { Permissions: [...everything, 'ReadPAN'] }],
    ['ReadAccountsDetails', { Permissions: ['ReadAccountsDetails'] }],
    ['no date', { Permissions, ExpirationDateTime: 'soon' }],
    ['no such day', { Permissions, ExpirationDateTime: '2031-02-30T00:00:00Z' }],
    ['no zone', { Permissions, TransactionFromDateTime: '2025-01-01T00:00:00' }],
    ['a day alone', { Permissions, TransactionToDateTime: '2025-01-01' }],
    ['a space for T', { Permissions, TransactionToDateTime: '2025-01-01 00:00:00Z' }],
    ['null', { Permissions, ExpirationDateTime: null }],
    ['expired', { Permissions, ExpirationDateTime: '2020-01-01T00:00:00Z' }],
    ['no Data', undefined],
    ['Data an array', []],
    ['no Risk', { Permissions }, null],
    ['Risk not empty', { Permissions }, { Anything: 1 }],
  ])('%s', async (_what, data, risk) => {
    const body = { Data: data, ...(risk === null ? {} : { Risk: risk ?? {} }) }
    const { status, json } = await first.call(accessPath, { bearer, body })
    expect(status).toBe(400)
    expect(json).toEqual({
      Code: expect.any(String),
      Id: expect.any(String),
      Message: expect.any(String),
      Errors: [expect.objectContaining({ ErrorCode: expect.stringMatching(/^UK\.OBIE\./) })],
    })
  })

  test('no JSON, JSON that is no object, another content type', async () => {
    expect((await first.call(accessPath, { bearer, body: '{' })).status).toBe(400)
    expect((await first.call(accessPath, { bearer, body: '[]' })).status).toBe(400)
    expect((await first.call(accessPath, { bearer, body: '' })).status).toBe(400)
    const headers = { 'content-type': 'text/plain' }
    expect((await first.call(accessPath, { bearer, body: '{}', headers })).status).toBe(415)
  })
})

test('another client’s consent, an unknown one, one of the other kind', async () => {
  const { ConsentId } = (await create({ Permissions: everything })).json.Data
  const path = `${accessPath}/${ConsentId}`
  expect((await second.call(path, { bearer: secondBearer })).status).toBe(403)
  expect((await second.call(path, { bearer: secondBearer, method: 'DELETE' })).status).toBe(403)
  expect((await first.call(path, { bearer })).status).toBe(200)
  expect((await first.call(`${accessPath}/${randomUUID()}`, { bearer })).status).toBe(400)
  expect((await first.call(`${accessPath}/%E0%A4%A`, { bearer })).status).toBe(400)
  expect((await first.call(`${fundsPath}/${ConsentId}`, { bearer, method: 'DELETE' })).status).toBe(
    403,
  )
})

test('401 without a token, with an invalid one, with a customer’s; 403 with another scope', async () => {
  const { bearer: customers, consentId } = await first.approved()
  const path = `${accessPath}/${consentId}`
  for (const method of ['GET', 'DELETE']) {
    const none = await first.call(path, { method })
    expect([none.status, none.headers['www-authenticate']]).toEqual([401, 'Bearer'])
    const invalid = await first.call(path, { method, bearer: 'nonsense' })
    expect(invalid.headers['www-authenticate']).toBe('Bearer error="invalid_token"')
    expect(invalid.status).toBe(401)
    const basic = await first.call(path, { method, headers: { authorization: 'Basic eDp5' } })
    expect(basic.status).toBe(401)
    expect((await first.call(path, { method, bearer: customers })).status).toBe(401)
    const narrow = await first.clientToken('fundsconfirmations')
    expect((await first.call(path, { method, bearer: narrow })).status).toBe(403)
    const stolen = await second.call(path, { method, bearer })
    expect(stolen.status).toBe(401)
  }
})

test('x-fapi-interaction-id is played back, or made up', async () => {
  const id = randomUUID()
  const headers = { 'x-fapi-interaction-id': id }
  const right = await first.call(`${accessPath}/x`, { bearer, headers })
  expect(right.headers['x-fapi-interaction-id']).toBe(id)
  const made = await first.call(`${accessPath}/x`)
  expect(made.headers['x-fapi-interaction-id']).toMatch(/^[0-9a-f-]{36}$/)
})

test('404, 405 and 406 have the error body', async () => {
  const unknown = await first.call('/aisp/nothing', { bearer })
  expect([unknown.status, unknown.json.Errors[0].ErrorCode]).toEqual([
    404,
    'UK.OBIE.Resource.NotFound',
  ])
  const method = await first.call(accessPath, { bearer })
  expect([method.status, method.headers.allow]).toEqual([405, 'POST'])
  const headers = { accept: 'text/html' }
  expect((await first.call(`${accessPath}/x`, { bearer, headers })).status).toBe(406)
  expect((await first.call('/aisp/Account-Access-Consents/x', { bearer })).status).toBe(404)
  const outside = await first.send(`${endpoints.at.api}/elsewhere`)
  expect([outside.status, typeof outside.json.Code]).toEqual([404, 'string'])
})

describe('funds confirmation', () => {
  const DebtorAccount = { SchemeName: 'UK.OBIE.PAN', Identification: '4417' }
  const made = (data: unknown) => first.call(fundsPath, { bearer, body: { Data: data, Risk: {} } })

  test('created and deleted', async () => {
    const account = { ...DebtorAccount, Name: 'Everyday', SecondaryIdentification: 'main' }
    const { status, json } = await made({
      DebtorAccount: account,
      ExpirationDateTime: '2031-01-01T00:00:00Z',
    })
    expect(status).toBe(201)
    expect(json).toEqual({
      Data: {
        ConsentId: expect.any(String),
        Status: 'AwaitingAuthorisation',
        StatusUpdateDateTime: expect.stringMatching(/Z$/),
        CreationDateTime: expect.stringMatching(/Z$/),
        ExpirationDateTime: '2031-01-01T00:00:00.000Z',
        DebtorAccount: account,
      },
      Risk: {},
      Links: { Self: `${endpoints.at.api}/open-banking/v3.1${fundsPath}/${json.Data.ConsentId}` },
      Meta: { TotalPages: 1 },
    })
    const path = `${fundsPath}/${json.Data.ConsentId}`
    expect((await second.call(path, { bearer: secondBearer, method: 'DELETE' })).status).toBe(403)
    expect((await first.call(path, { method: 'DELETE' })).status).toBe(401)
    expect((await first.call(path, { bearer, method: 'DELETE' })).status).toBe(204)
    expect((await first.call(path, { bearer, method: 'DELETE' })).status).toBe(403)
  })

  test('its scheme may be spelt as the document spells it (AMB-04)', async () => {
    const account = { ...DebtorAccount, SchemeName: 'UK.STD.PAN' }
    const { status, json } = await made({ DebtorAccount: account })
    expect([status, json.Data?.DebtorAccount]).toEqual([201, account])
  })

  test.each<[string, unknown]>([
    ['no account', {}],
    [
      'another scheme',
      { DebtorAccount: { ...DebtorAccount, SchemeName: 'UK.OBIE.SortCodeAccountNumber' } },
    ],
    ['no scheme', { DebtorAccount: { Identification: '4417' } }],
    ['no identification', { DebtorAccount: { SchemeName: 'UK.OBIE.PAN' } }],
    ['a whole number', { DebtorAccount: { ...DebtorAccount, Identification: '4929123456784417' } }],
    ['three digits', { DebtorAccount: { ...DebtorAccount, Identification: '441' } }],
    ['letters', { DebtorAccount: { ...DebtorAccount, Identification: 'abcd' } }],
    ['a number', { DebtorAccount: { ...DebtorAccount, Identification: 4417 } }],
    ['a name that is none', { DebtorAccount: { ...DebtorAccount, Name: 5 } }],
    ['expired', { DebtorAccount, ExpirationDateTime: '2020-01-01T00:00:00Z' }],
  ])('400: %s', async (_what, data) => {
    expect((await made(data)).status).toBe(400)
  })

  test('the ambiguous paths are a setting', async () => {
    const fundsConfirmationPaths = {
      create: 'aisp/cbpii/funds-confirmation-consents',
      delete: 'aisp/funds-confirmation-consents',
    }
    const opened = await open({ directory, settings: { fundsConfirmationPaths } })
    const token = await opened.first.clientToken('fundsconfirmations')
    const body = { Data: { DebtorAccount }, Risk: {} }
    const { status, json } = await opened.first.call(`/${fundsConfirmationPaths.create}`, {
      bearer: token,
      body,
    })
    expect(status).toBe(201)
    const path = `/${fundsConfirmationPaths.delete}/${json.Data.ConsentId}`
    expect((await opened.first.call(path, { bearer: token, method: 'DELETE' })).status).toBe(204)
    await shut(opened)
  })
})
