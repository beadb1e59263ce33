import { webcrypto } from 'node:crypto'
import * as oauth from 'oauth4webapi'
import { Agent, fetch as undiciFetch } from 'undici'
import { afterAll, expect, test } from 'vitest'
import { directoryOfFile, openForFile } from './opened.ts'

const directory = await directoryOfFile()
const { bank, first } = await openForFile({ directory })
const { transport, signing } = bank.target.clients.first
const dispatcher = new Agent({
  connect: { ca: bank.target.trust, cert: transport.certificate, key: transport.key },
})
afterAll(() => dispatcher.destroy())

/** oauth4webapi speaks through this client's certificate. */
const options = {
  [oauth.customFetch]: (url: string, init: oauth.CustomFetchOptions<string, unknown>) =>
    undiciFetch(url, {
      ...init,
      headers: init.headers,
      dispatcher,
    } as never) as unknown as Promise<Response>,
}

async function importKey() {
  const der = Buffer.from(signing.key.replace(/-----[^-]+-----|\s/g, ''), 'base64')
  const algorithm = { name: 'RSA-PSS', hash: 'SHA-256' }
  const key = await webcrypto.subtle.importKey('pkcs8', der, algorithm, false, ['sign'])
  return { key, kid: signing.kid }
}

test('oauth4webapi completes the whole flow and finds nothing wrong', async () => {
  const issuer = new URL(bank.services.endpoints.issuer)
  const found = await oauth.discoveryRequest(issuer, options)
  const server = await oauth.processDiscoveryResponse(issuer, found)
  const client: oauth.Client = {
    client_id: String(first.client.client_id),
    id_token_signed_response_alg: 'PS256',
    use_mtls_endpoint_aliases: false,
  }
  const key = await importKey()
  const authentication = oauth.PrivateKeyJwt(key)

  const credentials = await oauth.processClientCredentialsResponse(
    server,
    client,
    await oauth.clientCredentialsGrantRequest(
      server,
      client,
      authentication,
      { scope: 'accounts' },
      options,
    ),
  )
  expect(credentials.scope).toBe('accounts')

  const consentId = await first.consent()
  const state = oauth.generateRandomState()
  const nonce = oauth.generateRandomNonce()
  const redirectUri = first.own.redirectUris[0] as string
  const parameters = {
    response_type: 'code id_token',
    redirect_uri: redirectUri,
    scope: 'openid accounts',
    state,
    nonce,
    claims: JSON.stringify({
      id_token: { openbanking_intent_id: { value: consentId, essential: true } },
    }),
  }
  const request = await oauth.issueRequestObject(server, client, parameters, key)
  const { url } = await first.visit(first.authoriseUrl(request, { state }))

  // FAPI 1.0 Advanced: signature, nonce, c_hash, s_hash, iss, aud, times.
  const callback = await oauth.validateDetachedSignatureResponse(
    server,
    client,
    new URL(String(url)),
    nonce,
    state,
    undefined,
    options,
  )
  const answer = await oauth.authorizationCodeGrantRequest(
    server,
    client,
    authentication,
    callback,
    redirectUri,
    oauth.nopkce,
    options,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(server, client, answer, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(server, answer, options)
  expect(oauth.getValidatedIdTokenClaims(tokens)?.openbanking_intent_id).toBe(consentId)

  const refreshed = await oauth.processRefreshTokenResponse(
    server,
    client,
    await oauth.refreshTokenGrantRequest(
      server,
      client,
      authentication,
      String(tokens.refresh_token),
      options,
    ),
  )
  const accounts = new URL(`${bank.services.endpoints.at.api}/open-banking/v3.1/aisp/accounts`)
  const headers = new Headers({ accept: 'application/json' })
  const read = await oauth.protectedResourceRequest(
    refreshed.access_token,
    'GET',
    accounts,
    headers,
    null,
    options,
  )
  expect(read.status).toBe(200)
  expect(bank.problems).toEqual([])
})
