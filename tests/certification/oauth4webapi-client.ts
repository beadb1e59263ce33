import { randomUUID } from 'node:crypto'
import { decodeJwt, importPKCS8, SignJWT } from 'jose'
import * as oauth from 'oauth4webapi'
import { Agent, type Dispatcher, fetch } from 'undici'
import type { Briefing, ClientDriver } from '../../engine/certification/client.ts'

/** A client on oauth4webapi that does what its documentation says of FAPI 1.0 Advanced, and no more. */
export const oauth4webapiClient: ClientDriver = {
  async pursue(briefing) {
    const { bank, client } = briefing
    const { certificate, key } = client.transport ?? {}
    const dispatcher = new Agent({ connect: { ca: bank.trust, cert: certificate, key } })
    try {
      await connect(briefing, dispatcher)
      return { end: 'done', words: '' }
    } catch (error) {
      return { end: 'refused', words: (error as Error).message }
    } finally {
      await dispatcher.destroy()
    }
  },
  async close() {},
}

async function connect({ bank, client, customer }: Briefing, dispatcher: Dispatcher) {
  const send = (url: string, options: object = {}) =>
    fetch(url, { ...options, dispatcher }) as unknown as Promise<Response>
  const options = { [oauth.customFetch]: send as never }
  const issuer = new URL(bank.issuer)
  const found = await oauth.discoveryRequest(issuer, options)
  const as = await oauth.processDiscoveryResponse(issuer, found)
  const { key: pem = '', kid = '' } = client.signing ?? {}
  const signing = { key: await importPKCS8(pem, 'PS256'), kid }
  const { software_id: softwareId } = decodeJwt(client.softwareStatement)
  const jwt = await new SignJWT({
    iss: String(softwareId),
    aud: bank.issuer,
    jti: randomUUID(),
    redirect_uris: client.redirectUris,
    software_statement: client.softwareStatement,
    scope: 'openid accounts',
  })
    .setProtectedHeader({ alg: 'PS256', kid })
    .setIssuedAt()
    .setExpirationTime('5m')
    .sign(signing.key)
  const registered = await send(String(as.registration_endpoint), {
    method: 'POST',
    headers: { 'content-type': 'application/jwt' },
    body: jwt,
  })
  const self = (await registered.json()) as oauth.Client
  const auth = oauth.PrivateKeyJwt(signing)
  const granted = await oauth.clientCredentialsGrantRequest(
    as,
    self,
    auth,
    { scope: 'accounts' },
    options,
  )
  const { access_token: token } = await oauth.processClientCredentialsResponse(as, self, granted)
  const api = (method: string, path: string, bearer: string, body?: object) =>
    send(`${bank.api}/aisp${path}`, {
      method,
      headers: {
        authorization: `Bearer ${bearer}`,
        accept: 'application/json',
        ...(body && { 'content-type': 'application/json' }),
      },
      ...(body && { body: JSON.stringify(body) }),
    })
  const Permissions = [
    'ReadAccountsDetail',
    'ReadBalances',
    'ReadTransactionsDetail',
    'ReadTransactionsDebits',
  ]
  const created = await api('POST', '/account-access-consents', token, {
    Data: { Permissions },
    Risk: {},
  })
  const { Data } = (await created.json()) as { Data: { ConsentId: string } }
  const state = oauth.generateRandomState()
  const nonce = oauth.generateRandomNonce()
  const claims = { id_token: { openbanking_intent_id: { value: Data.ConsentId, essential: true } } }
  const asked = {
    response_type: 'code id_token',
    redirect_uri: String((self.redirect_uris as string[])[0]),
    scope: 'openid accounts',
    state,
    client_id: self.client_id,
  }
  const parameters = new URLSearchParams({ ...asked, nonce, claims: JSON.stringify(claims) })
  const request = await oauth.issueRequestObject(as, self, parameters, signing)
  const link = `${as.authorization_endpoint}?${new URLSearchParams({ ...asked, request })}`
  const home = await (await send(customer.visit + encodeURIComponent(link))).text()
  const checked = await oauth.validateDetachedSignatureResponse(
    as,
    self,
    new URL(home),
    nonce,
    state,
    undefined,
    options,
  )
  const redeemed = await oauth.authorizationCodeGrantRequest(
    as,
    self,
    auth,
    checked,
    asked.redirect_uri,
    oauth.nopkce,
    options,
  )
  const tokens = await oauth.processAuthorizationCodeResponse(as, self, redeemed, {
    expectedNonce: nonce,
    requireIdToken: true,
  })
  await oauth.validateApplicationLevelSignature(as, redeemed, options)
  for (const path of ['/accounts', '/balances', '/transactions']) {
    const answer = await api('GET', path, tokens.access_token)
    if (answer.status !== 200) throw new Error(`${path}: ${answer.status}`)
  }
}
