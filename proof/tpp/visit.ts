import { type Knowledge, newId } from './conduct.ts'
import { checkedIdToken } from './id-token-check.ts'
import { inspectAnswer, inspectTokens } from './inspect.ts'
import { LEVELS } from './levels.ts'
import { Refusal } from './refusal.ts'
import { now, type Session } from './session.ts'

/** Sends a customer to the bank. Returns the address to which the customer comes back. */
export type SendCustomer = (link: string) => Promise<string>

/**
 * Sends the customer to the bank for a consent, checks the answer, and redeems the code.
 *
 * @throws Refusal when the answer, or the tokens, are not what was requested
 */
export async function visit(
  session: Session,
  consentId: string,
  sendCustomer: SendCustomer = (link) => sendByAddress(session, link),
  attempt = 0,
): Promise<void> {
  const { conduct, keys, memory, token } = session
  const { link: fresh, known: asked } = await authorisationRequest(session, consentId)
  const usual = { link: fresh, known: asked }
  const isKept = conduct.keepsTheLink && memory.visit?.known.consentId === consentId
  const { link, known } = (isKept ? memory.visit : undefined) ?? usual
  memory.visit = { link, known }
  const answerOf = async () => {
    const { hash, search } = new URL(await sendCustomer(link))
    return new URLSearchParams(hash ? hash.slice(1) : conduct.readsTheQuery ? search : '')
  }
  const once = await answerOf()
  const answer = once.has('error') && conduct.triesTheLinkAgain ? await answerOf() : once
  const isGranted = answer.has('code') && !answer.has('error')
  if (!isGranted && attempt < conduct.visitsAgain(answer)) {
    return visit(session, consentId, sendCustomer, attempt + 1)
  }
  const trusting = session.briefing.goal === 'reconfirm' && !conduct.checksReconfirmations
  const refusal =
    conduct.errorRefusal(answer) ??
    (trusting ? undefined : conduct.stateRefusal(answer.get('state'), known.state))
  if (refusal) throw new Refusal(refusal)
  inspectAnswer(answer, conduct)
  const code = answer.get('code') ?? ''
  const redirect = { code, state: answer.get('state') }
  const first = trusting
    ? undefined
    : await checkedIdToken(answer.get('id_token'), known, conduct, keys, redirect)
  const form = { grant_type: 'authorization_code', code, redirect_uri: known.redirectUri }
  const tokens = await token(form)
  if (conduct.redeemsTwice) await token(form).catch(() => {})
  inspectTokens(tokens, conduct)
  if (conduct.checksSecondIdToken && typeof tokens.id_token === 'string') {
    const second = await checkedIdToken(tokens.id_token, known, conduct, keys)
    if (conduct.idTokenChecks.subject && first && second?.sub !== first.sub) {
      throw new Refusal('the second ID token is about somebody else')
    }
  }
  const keeps =
    conduct.keepsFirstTokens ||
    (conduct.customerRows === 'first-stays' && session.briefing.goal === 'connect-another') ||
    (conduct.keepsTokensAtReconfirmation && session.briefing.goal === 'reconfirm')
  const kept = keeps && memory.accessToken !== undefined
  Object.assign(memory, {
    consentId,
    lastConsent: consentId,
    lastRefreshToken: tokens.refresh_token as string | undefined,
    ...(!kept && {
      accessToken: String(tokens.access_token),
      refreshToken: tokens.refresh_token as string | undefined,
    }),
    idToken: tokens.id_token as string | undefined,
    subject: first?.sub as string | undefined,
  })
}

/** The link that takes the customer to the bank, and the values that the answer must contain. */
async function authorisationRequest(
  { briefing, conduct, discover, jwt, register }: Session,
  consentId: string,
): Promise<{ link: string; known: Knowledge }> {
  const { client } = briefing
  const registered = await register()
  const { issuer = '', authorization_endpoint: endpoint, token_endpoint = '' } = await discover()
  const known: Knowledge = {
    clientId: registered.client_id,
    issuer,
    tokenEndpoint: token_endpoint,
    redirectUri: conduct.redirectUri(registered.redirect_uris, client.redirectUris),
    scope: conduct.visitScope(registered.scope, `openid ${client.scopes.accounts}`),
    consentId,
    state: conduct.newState(briefing.customer.visit, consentId),
    nonce: conduct.newNonce(briefing.customer.visit, consentId),
  }
  const said = {
    response_type: 'code id_token',
    client_id: known.clientId,
    redirect_uri: known.redirectUri,
    scope: known.scope,
    state: known.state,
  }
  const requestObject = conduct.requestObject(
    {
      iss: known.clientId,
      aud: issuer,
      ...said,
      nonce: known.nonce,
      iat: now(),
      nbf: now(),
      exp: now() + 300,
      jti: newId(),
      claims: {
        id_token: {
          openbanking_intent_id: { value: consentId, essential: true },
          acr: { values: LEVELS, essential: true },
        },
      },
    },
    known,
  )
  const query = conduct.query({ ...said, request: jwt(requestObject, 'request') }, known)
  const parameters = conduct.queryText(new URLSearchParams(query).toString())
  const joint = conduct.keepsTheQuery && endpoint?.includes('?') ? '&' : '?'
  return { link: `${endpoint}${joint}${parameters}`, known }
}

async function sendByAddress({ briefing, send }: Session, link: string): Promise<string> {
  const { status, text } = await send(`${briefing.customer.visit}${encodeURIComponent(link)}`)
  if (status !== 200) throw new Refusal(`the customer did not come back: ${text}`)
  return text
}
