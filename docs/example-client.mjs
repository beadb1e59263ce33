// A TPP's client on openid-client, as `assay tpp` drives one: docs/example-tpp.yaml names this program.
import { randomUUID } from 'node:crypto'
import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { decodeJwt, importPKCS8, SignJWT } from 'jose'
import * as oidc from 'openid-client'
import { Agent, fetch, ProxyAgent } from 'undici'
const { goal, bank, client, customer, customerPresent, state: folder } = JSON.parse(readFileSync(process.env.ASSAY_BRIEFING))
const file = (path) => readFileSync(path, 'utf8')
const tls = { ca: file(bank.trust), cert: file(client.transport.certificate), key: file(client.transport.key) }
const { HTTPS_PROXY: proxy } = process.env // such as that of `assay proxy`
const dispatcher = proxy ? new ProxyAgent({ uri: proxy, requestTls: tls }) : new Agent({ connect: tls })
const send = (url, options) => fetch(url, { ...options, dispatcher })
const signing = { key: await importPKCS8(file(client.signing.key), 'PS256'), kid: client.signing.kid }
const kept = existsSync(`${folder}/kept.json`) ? JSON.parse(file(`${folder}/kept.json`)) : {}

async function registered() { // the client as the bank stored it
  if (kept.client) return kept.client
  const { issuer, registration_endpoint } = await (await send(bank.discovery)).json()
  if (issuer !== bank.issuer) throw new Error(`the configuration is that of ${issuer}`)
  const software_statement = file(client.softwareStatement)
  const jwt = await new SignJWT({
    iss: decodeJwt(software_statement).software_id, aud: issuer, jti: randomUUID(), redirect_uris: client.redirectUris, software_statement,
    grant_types: ['authorization_code', 'refresh_token', 'client_credentials'], response_types: ['code id_token'],
    token_endpoint_auth_method: 'private_key_jwt', token_endpoint_auth_signing_alg: 'PS256', application_type: 'web',
    request_object_signing_alg: 'PS256', id_token_signed_response_alg: 'PS256', scope: 'openid accounts',
  }).setProtectedHeader({ alg: 'PS256', kid: signing.kid }).setIssuedAt().setExpirationTime('5m').sign(signing.key)
  const answer = await send(registration_endpoint, { method: 'POST', headers: { 'content-type': 'application/jwt' }, body: jwt })
  if (answer.status !== 201) throw new Error(`registration: ${answer.status} ${await answer.text()}`)
  return (kept.client = await answer.json())
}
async function configuration() {
  const metadata = await registered()
  const config = await oidc.discovery(new URL(bank.issuer), metadata.client_id, metadata, oidc.PrivateKeyJwt(signing), { [oidc.customFetch]: send })
  oidc.useCodeIdTokenResponseType(config)
  oidc.enableDetachedSignatureResponseChecks(config) // code id_token with c_hash and s_hash, as FAPI 1.0 Advanced has it
  oidc.enableNonRepudiationChecks(config) // the signature of the second ID token too
  return config
}
async function api(method, path, token, body) {
  const present = customerPresent && method === 'GET' && { 'x-fapi-customer-ip-address': '203.0.113.7' }
  const headers = { authorization: `Bearer ${token}`, accept: 'application/json', ...present, ...(body && { 'content-type': 'application/json' }) }
  const answer = await send(`${bank.api}/aisp${path}`, { method, headers, ...(body && { body: JSON.stringify(body) }) })
  if (answer.status === 401 && method === 'GET' && kept.refresh && !kept.refreshed) return api(method, path, await refreshed())
  if (!answer.ok) throw new Error(`${method} ${path}: ${answer.status} ${await answer.text()}`)
  return answer.status === 204 ? undefined : answer.json()
}
async function manage(method, path, body, again = true) {
  if (!(await registered()).grant_types.includes('client_credentials')) throw new Error('the bank registered us without client_credentials')
  const { access_token } = await oidc.clientCredentialsGrant(await configuration(), { scope: 'accounts' })
  return api(method, path, access_token, body).catch((error) => {
    if (again && error.message.includes(': 401 ')) return manage(method, path, body, false)
    throw error
  })
}
const keep = ({ access_token, refresh_token }) => Object.assign(kept, { access: access_token, refresh: refresh_token ?? kept.refresh })
async function refreshed() {
  kept.refreshed = true
  const tokens = await oidc.refreshTokenGrant(await configuration(), kept.refresh).catch((error) => {
    if (error.error === 'invalid_grant') delete kept.refresh // it is worth nothing any more
    throw error
  })
  if (tokens.id_token && tokens.claims().sub !== kept.sub) throw new Error('the ID token of the refresh is for somebody else')
  return keep(tokens).access
}
async function visit() { // the customer goes to the bank; what comes back is checked, and the code redeemed
  const config = await configuration()
  const claims = JSON.stringify({ id_token: { openbanking_intent_id: { value: kept.consent, essential: true } } })
  const asked = { response_type: 'code id_token', redirect_uri: kept.client.redirect_uris[0], scope: 'openid accounts', state: oidc.randomState() }
  const nonce = oidc.randomNonce()
  const link = await oidc.buildAuthorizationUrlWithJAR(config, { ...asked, nonce, claims }, signing)
  for (const [name, value] of Object.entries(asked)) link.searchParams.set(name, value) // the document wants them in the query too
  const home = new URL(await (await fetch(customer.visit + encodeURIComponent(link.href))).text())
  const first = new URLSearchParams(home.hash.slice(1)).get('id_token')
  if (first && decodeJwt(first).openbanking_intent_id !== kept.consent) throw new Error('the ID token is for another consent') // openid-client cannot know
  const tokens = await oidc.authorizationCodeGrant(config, home, { expectedState: asked.state, expectedNonce: nonce, idTokenExpected: true })
  const { sub, openbanking_intent_id: intent } = tokens.claims()
  if (sub !== decodeJwt(first).sub || intent !== kept.consent) throw new Error('the second ID token is for somebody else')
  keep(tokens)
  kept.sub = sub
}
const read = async () => {
  if (!kept.access) throw new Error('there is no access token: connect first')
  for (const path of ['/accounts', '/balances', '/transactions']) if (!(await api('GET', path, kept.access))?.Data) throw new Error(`${path}: no Data came`)
}
const Permissions = ['ReadAccountsDetail', 'ReadBalances', 'ReadTransactionsDetail', 'ReadTransactionsCredits', 'ReadTransactionsDebits']
const goals = {
  connect: async () => { kept.consent = (await manage('POST', '/account-access-consents', { Data: { Permissions }, Risk: {} })).Data.ConsentId; if (!kept.consent) throw new Error('no ConsentId came'); await visit(); await read() },
  read, reconfirm: async () => { await visit(); await read() },
  disconnect: async () => { await manage('DELETE', `/account-access-consents/${encodeURIComponent(kept.consent)}`); delete kept.access; delete kept.refresh },
  products: async () => { const answer = await send(bank.products, { headers: { accept: 'application/json', 'content-type': 'application/json' } }); if (!answer.ok) throw new Error(`products: ${answer.status}`); await answer.json() },
}
try { await goals[goal]() } catch (error) { console.error([error.message, error.cause?.message].filter(Boolean).join(': ')); process.exitCode = 10 }
finally { writeFileSync(`${folder}/kept.json`, JSON.stringify({ ...kept, refreshed: undefined })); await dispatcher.destroy() }
