import { mkdtempSync, readFileSync, rmSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { startBank } from '../../bank/bank.ts'
import type { Directory } from '../../bank/directory/directory.ts'
import type { Bank } from '../../bank/running-bank.ts'
import { httpDriver } from '../../engine/authorisation-drivers/http.ts'
import { parseRedirect, redirectsTo } from '../../engine/client/redirect.ts'
import { signatureOf } from '../../engine/client/signature.ts'
import { createTpp } from '../../engine/client/tpp.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { openExchangeLog } from '../../engine/wire/exchange-log.ts'
import { createRedactor } from '../../engine/wire/redaction.ts'
import { createWire } from '../../engine/wire/wire.ts'
import { compareIdToken } from '../../suites/account-information/common/tokens/id-token.ts'
import { openDirectory } from '../directory.ts'
import { leaks } from './leaks.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-flow-'))
let directory: Directory
let bank: Bank

beforeAll(async () => {
  directory = await openDirectory()
})

afterAll(async () => {
  await directory.close()
  rmSync(folder, { recursive: true })
})

type Consent = { Data: { ConsentId: string } }

function members(exchange: Exchange): Record<string, string> {
  return exchange.response?.json as Record<string, string>
}

describe.each(['production', 'sandbox'] as const)('against the reference bank, %s', (layout) => {
  test('every message is understood, and the log gives nothing away', async () => {
    bank = await startBank({ directory, settings: { layout } })
    const target = targetFrom(bank.target)
    expect(target.layout).toBe(layout)
    const wire = createWire(target)
    const path = join(folder, `${layout}.jsonl`)
    const log = openExchangeLog(path, createRedactor(target.secrets))
    const raw: string[] = []
    wire.onExchange((exchange) => {
      raw.push(JSON.stringify(exchange))
      log.append(exchange)
    })
    const tpp = createTpp({ name: 'first', target, wire })
    const status = (exchange: Exchange) => exchange.response?.status ?? exchange.failure

    const discovery = members(await tpp.call('discovery'))
    tpp.learn({ issuer: discovery.issuer })
    const jwks = await tpp.call('jwks', { path: discovery.jwks_uri })
    const registration = await tpp.register()
    expect(status(registration)).toBe(201)
    tpp.adopt(registration.response?.json)
    const grant = await tpp.token({ grant_type: 'client_credentials' })
    const bearer = members(grant).access_token
    const created = await tpp.call('create-account-access-consent', {
      bearer,
      body: {
        Data: { Permissions: ['ReadAccountsDetail', 'ReadBalances', 'ReadTransactionsDetail'] },
        Risk: {},
      },
    })
    expect(status(created)).toBe(201)
    const consentId = (created.response?.json as Consent | undefined)?.Data.ConsentId ?? ''
    const request = await tpp.authorisation({ consentId })
    const end = await httpDriver(wire, target, target.document.authorisation.forms ?? []).visit({
      url: request.url,
      redirectUris: [request.redirectUri],
      decision: 'approve',
      customer: target.document.customers.first,
      customerName: 'first',
      purpose: 'test',
      about: { client: 'first' },
    })
    const redirect = end.kind === 'redirected' ? parseRedirect(end.url) : undefined
    if (!redirect?.code || !redirect.idToken) throw new Error(`no code: ${JSON.stringify(end)}`)
    expect(redirectsTo(redirect, request.redirectUri)).toBe(true)
    expect(redirect.state).toBe(request.state)
    const findings = compareIdToken(redirect.idToken, {
      signature: await signatureOf(redirect.idToken, jwks.response?.json),
      issuer: discovery.issuer,
      clientId: tpp.registered?.client_id,
      nonce: request.nonce,
      code: redirect.code,
      state: request.state,
      intentId: request.consentId,
    })
    expect(findings.filter(({ ok }) => !ok)).toEqual([])
    const exchanged = await tpp.token({
      grant_type: 'authorization_code',
      code: redirect.code,
      redirect_uri: request.redirectUri,
    })
    const tokens = members(exchanged)
    expect(status(exchanged)).toBe(200)
    for (const endpoint of ['accounts', 'balances', 'transactions'] as const) {
      expect(status(await tpp.call(endpoint, { bearer: tokens.access_token }))).toBe(200)
    }
    const refreshed = await tpp.token({
      grant_type: 'refresh_token',
      refresh_token: tokens.refresh_token ?? '',
    })
    expect(status(refreshed)).toBe(200)
    expect(status(await tpp.call('products'))).toBe(200)
    const subject = consentId
    expect(status(await tpp.call('delete-account-access-consent', { bearer, subject }))).toBe(204)
    await wire.close()
    log.close()
    await bank.close()

    const written = readFileSync(path, 'utf8')
    const sent = raw.join('\n')
    const assertions = [...sent.matchAll(/client_assertion=[^&"]*\.([^&".]+)/g)].map(([, s]) => s)
    const cookies = [...sent.matchAll(/"set-cookie","[^"=]+=([^;"]{8,})/gi)].map(([, s]) => s)
    expect(assertions.length).toBeGreaterThan(2)
    expect(cookies.length).toBeGreaterThan(0)
    const secrets = {
      bearer,
      code: redirect.code,
      idToken: redirect.idToken.split('.')[2],
      accessToken: tokens.access_token,
      refreshToken: tokens.refresh_token,
      refreshed: members(refreshed).access_token,
      registrationToken: members(registration).registration_access_token,
      requestObject: request.requestObject.split('.')[2],
      statement: target.clients.first.softwareStatement?.split('.')[2],
      ...Object.fromEntries(assertions.map((value, at) => [`assertion${at}`, value])),
      ...Object.fromEntries(cookies.map((value, at) => [`cookie${at}`, value])),
      ...target.document.customers.first.credentials,
    }
    for (const [name, secret] of Object.entries(secrets)) {
      expect(secret, name).toBeTruthy()
      expect(leaks(sent, String(secret)), `${name} was there to be found`).toBe(true)
      const lines = written.split('\n').filter((line) => leaks(line, String(secret)))
      expect(lines, name).toEqual([])
    }
  })
})
