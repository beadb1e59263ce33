import { randomBytes } from 'node:crypto'
import type { TokenDeviation } from '../../engine/client/tpp.ts'
import { type Context, check } from '../../engine/journey/context.ts'
import { once } from '../../engine/journey/once.ts'
import { exchangeOf, OWNERS, taken } from '../../engine/journey/steps.ts'
import { tokensOf } from '../../engine/journey/tokens.ts'
import { type Visit, visitEnd } from '../../engine/journey/visit.ts'
import { expect, expectThat, relyOn } from '../../engine/judge/expect.ts'
import { answerOf } from '../../engine/judge/matchers.ts'
import { Blocked, lacking } from '../../engine/judge/outcome.ts'
import { member } from '../../engine/judge/rows.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import {
  codeForAnotherRedirect,
  codeOfAnotherClient,
  everything,
  secondClient,
} from '../consents.ts'
import { relyOnNoToken } from './common/earlier-refusal.ts'
import { withFewerScopes } from './common/narrow-registration.ts'
import { unregisteredScope } from './common/unregistered-scope.ts'
import { elsewhere, newConsent } from './common/visits.ts'

/** POST /oauth/token: the grants, their codes and tokens. Requirements: specs/account-information/token.yaml */

const CLIENT = { grant_type: 'client_credentials' } as const

check(
  'TOK-03/client-credentials',
  'A client_credentials request gets an access token',
  {},
  async ({ steps }) => {
    expect(exchangeOf(await steps.management())).toGiveAToken()
  },
)

check(
  'TOK-03/authorization-code',
  'The code of an approval is exchanged for an access token',
  { uses: ['everything'] },
  async ({ steps }) => {
    expect(exchangeOf(await steps.exchange(everything))).toGiveAToken()
  },
)

check(
  'TOK-03/refresh-token',
  'A refresh token gets an access token',
  { uses: ['everything'] },
  async ({ steps }) => {
    expect(exchangeOf(await steps.refresh(everything))).toGiveAToken()
  },
)

check(
  'TOK-11/unknown',
  'A code that the bank did not issue is refused',
  { uses: ['everything'] },
  async ({ approved }) => {
    const { tpp, visit } = await approved(everything)
    const code = made(visit.code)
    const answer = await tpp.token(
      { grant_type: 'authorization_code', code, redirect_uri: visit.request.redirectUri },
      { deviation: 'a made-up code' },
    )
    expect(answer).toGiveNoToken()
  },
)

/** A random value as long as a real one. */
function made({ length }: string): string {
  return randomBytes(length).toString('base64url').slice(0, length)
}

/**
 * One code: with another redirect URI, without assertion, then as it should be, then once more. Whether
 * a code survives a refusal is open: where it does not, the last three have fresh ones.
 */
const triedCode = once(async (context) => {
  await context.approved(everything)
  const { visit } = await context.approved(codeForAnotherRedirect)
  const uris = (await context.caller()).tpp.registered?.redirect_uris ?? []
  const other = uris.find((uri) => uri !== visit.request.redirectUri) ?? elsewhere()
  const wrong = await exchanged(context, visit, {
    deviation: 'another redirect URI',
    form: { redirect_uri: other },
  })
  const first = await triedByNobody(context, visit)
  if (tokensOf(wrong) || tokensOf(first.byNobody) || tokensOf(first.right)) {
    return { elsewhere: wrong, ...first, ...(await twice(context, visit, first.right)) }
  }
  const { byNobody } = await triedByNobody(context, await freshCode(context))
  const fresh = await freshCode(context)
  const right = await exchanged(context, fresh)
  return { elsewhere: wrong, byNobody, ...(await twice(context, fresh, right)) }
})

type Granted = Visit & { kind: 'granted' }

/** The exchange of a visit's code. */
async function exchanged(
  { caller }: Context,
  { code, request }: Granted,
  deviation: TokenDeviation = {},
): Promise<Exchange> {
  const grant = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: request.redirectUri,
  } as const
  return (await caller()).tpp.token(grant, deviation)
}

async function triedByNobody(context: Context, visit: Granted) {
  const byNobody = await exchanged(context, visit, {
    authentication: 'none',
    deviation: 'a code without client authentication',
  })
  const deviation = 'a code that was refused before'
  return { byNobody, right: await exchanged(context, visit, { deviation }) }
}

async function twice(context: Context, visit: Granted, right: Exchange) {
  const deviation = 'a code that was exchanged before'
  return { right, again: await exchanged(context, visit, { deviation }) }
}

/** A code that nobody has tried, for a consent of its own. */
async function freshCode(context: Context): Promise<Granted> {
  const consentId = await newConsent(await context.caller())
  const visit = await context.visit({ purpose: 'a code that nobody has tried', consentId })
  if (visit.kind === 'granted') return visit
  const why = `the visit ended with ${visitEnd(visit)}`
  throw new Blocked({ kind: 'check', id: OWNERS.visit }, why, visit.last)
}

check(
  'TOK-12/other',
  'A code is not exchanged with another redirect URI than that of its request',
  { uses: ['everything', 'code for another redirect URI'] },
  async (context) => expect((await triedCode(context)).elsewhere).toGiveNoToken(),
)

/** The same of a client_credentials request is TOK-04/no-assertion's. */
async function relyOnAuthentication({ caller }: Context): Promise<void> {
  const { tpp } = await caller()
  const deviation = 'no client authentication'
  relyOnNoToken(
    'TOK-04/no-assertion',
    await tpp.token(CLIENT, { authentication: 'none', deviation }),
  )
}

check(
  'TOK-04/authorization-code',
  'A code is not exchanged without client authentication',
  { uses: ['everything', 'code for another redirect URI'] },
  async (context) => {
    const tried = await triedCode(context)
    relyOnNoToken('TOK-12/other', tried.elsewhere)
    await relyOnAuthentication(context)
    expect(tried.byNobody).toGiveNoToken()
  },
)

check(
  'TOK-14/replayed',
  'An authorisation code works once',
  { uses: ['everything', 'code for another redirect URI'] },
  async (context) => {
    const tried = await triedCode(context)
    relyOnNoToken('TOK-12/other', tried.elsewhere)
    relyOnNoToken('TOK-04/authorization-code', tried.byNobody)
    relyOn(OWNERS.exchange, tried.right)
    expect(tried.again).toGiveNoToken()
  },
)

check(
  'TOK-13/unknown',
  'A refresh token that the bank did not issue is refused',
  { uses: ['everything'] },
  async ({ approved, steps }) => {
    const { refreshToken = '' } = taken(await steps.refresh(everything))
    const { tpp } = await approved(everything)
    const answer = await tpp.token(
      { grant_type: 'refresh_token', refresh_token: made(refreshToken) },
      { deviation: 'a made-up refresh token' },
    )
    expect(answer).toGiveNoToken()
  },
)

check(
  'TOK-23/not-wider',
  'A refreshed access token has no scope that the first one did not have',
  { uses: ['everything'] },
  async ({ steps }) => {
    const exchanged = await steps.exchange(everything)
    taken(exchanged)
    const first = scopesOf(exchangeOf(exchanged))
    const refreshed = await steps.refresh(everything)
    taken(refreshed)
    const later = scopesOf(exchangeOf(refreshed))
    const wider = later.filter((scope) => !first.includes(scope))
    expectThat(wider.length === 0, {
      message: `the refreshed token has more scopes: ${wider.join(' ')}`,
      expected: first.join(' '),
      actual: later.join(' '),
      exchange: refreshed.exchange,
    })
  },
)

check(
  'TOK-23/asked-for',
  'A refresh that asks for a scope which the first access token did not have does not get it',
  { uses: ['everything'] },
  async (context) => {
    const { approved, steps, caller } = context
    const exchanged = await steps.exchange(everything)
    taken(exchanged)
    const first = scopesOf(exchangeOf(exchanged))
    taken(await steps.refresh(everything))
    const approval = await approved(everything)
    const { refreshToken = '' } = await approval.tokens()
    const { scopes } = (await caller()).tpp.client
    const { fundsConfirmation = (await unregisteredScope(context)).beyond } = scopes
    if (first.includes(fundsConfirmation)) lacking('a scope that the approval does not have')
    const answer = await approval.tpp.token(
      { grant_type: 'refresh_token', refresh_token: refreshToken },
      {
        form: { scope: `${first.join(' ')} ${fundsConfirmation}` },
        deviation: 'a refresh that asks for more',
        about: { owns: ['TOK-36/within-registration'] },
      },
    )
    const tokens = tokensOf(answer)
    if (!tokens) return expect(answer).toGiveNoToken()
    approval.use({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken })
    const later = scopesOf(answer)
    expectThat(!later.includes(fundsConfirmation), {
      message: `the refreshed token has the scope ${fundsConfirmation}`,
      expected: first.join(' '),
      actual: later.join(' '),
      exchange: answer,
    })
  },
)

check(
  'TOK-36/asked-for',
  'A client_credentials request for a scope that is not registered does not get it',
  {},
  async (context) => {
    const { tpp } = await context.caller()
    const control = await tpp.token(CLIENT)
    relyOn(OWNERS.management, control)
    const { beyond, registered } = await unregisteredScope(context)
    if (scopesOf(control).includes(beyond)) {
      const because = { kind: 'check', id: 'TOK-36/within-registration' } as const
      throw new Blocked(because, 'it is given to a client that does not ask', control)
    }
    const answer = await tpp.token(CLIENT, {
      form: { scope: `${tpp.client.scopes.accounts} ${beyond}` },
      deviation: `the scope ${beyond} as well`,
      about: { owns: ['TOK-36/within-registration'] },
    })
    if (!tokensOf(answer)) return expect(answer).toGiveNoToken()
    const scopes = scopesOf(answer)
    expectThat(!scopes.includes(beyond), {
      message: `the access token has the scope ${beyond}`,
      expected: `no scope but ${registered}`,
      actual: scopes.join(' '),
      exchange: answer,
    })
  },
)

check(
  'TOK-36/left-out',
  'A client does not get a scope that it did not register, and that others have',
  { registers: true },
  async (context) => {
    const { tpp, leftOut } = await withFewerScopes(context)
    const scope = tpp.client.scopes.accounts
    const deviation = `the scope ${leftOut}, which this client did not register`
    relyOn(OWNERS.management, await tpp.token({ ...CLIENT, scope }))
    const answer = await tpp.token(
      { ...CLIENT, scope: leftOut },
      { deviation, about: { owns: ['TOK-36/within-registration'] } },
    )
    if (!tokensOf(answer)) return expect(answer).toGiveNoToken()
    expectThat(!scopesOf(answer).includes(leftOut), {
      message: `the access token has the scope ${leftOut}`,
      expected: `no scope but ${scope}`,
      actual: scopesOf(answer).join(' '),
      exchange: answer,
    })
  },
)

function scopesOf(exchange: Exchange): string[] {
  const scope = member(exchange.response?.json, 'scope')
  if (typeof scope === 'string') return scope.split(' ').filter(Boolean)
  throw new Blocked({ kind: 'check', id: 'TOK-16/scope' }, 'it names no scope', exchange)
}

check(
  'TOK-27/recorded',
  'What the token endpoint answers without a client certificate',
  {},
  async ({ caller, observe }) => {
    const { tpp } = await caller()
    const answer = await tpp.token(CLIENT, { identity: 'none', deviation: 'no certificate' })
    observe('token request without client certificate', answerOf(answer), answer)
  },
)

check(
  'TOK-30/recorded',
  'What a client_credentials request without scope is answered',
  {},
  async ({ caller, observe }) => {
    const { tpp } = await caller()
    const answer = await tpp.token(CLIENT, { form: { scope: undefined }, deviation: 'no scope' })
    observe('client_credentials without scope', answerOf(answer), answer)
    observe('its scope', tokensOf(answer)?.scope ?? 'absent', answer)
  },
)

check(
  'TOK-35/other-client',
  'A code is not exchanged for another client than the one that it was issued to',
  { uses: ['everything', 'code for another client'] },
  async ({ approved, caller, tpp }) => {
    tpp('second')
    await approved(everything)
    const { tpp: other } = await caller('second')
    const { visit } = await approved(codeOfAnotherClient)
    relyOn(OWNERS.management, await other.token(CLIENT))
    const answer = await other.token(
      {
        grant_type: 'authorization_code',
        code: visit.code,
        redirect_uri: visit.request.redirectUri,
      },
      { deviation: 'a code of the first client' },
    )
    expect(answer).toGiveNoToken()
  },
)

check(
  'TOK-04/refresh-token',
  'A refresh token gets no access token without client authentication',
  { uses: ['second client'], spends: 'second client' },
  async (context) => {
    const { tpp } = await context.approved(secondClient)
    const { refreshToken = '' } = taken(await context.steps.refresh(secondClient))
    await relyOnAuthentication(context)
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken } as const
    const deviation = 'a refresh token without client authentication'
    expect(await tpp.token(grant, { authentication: 'none', deviation })).toGiveNoToken()
  },
)

// The last one here: a bank may take it for theft and end the approval.
check(
  'TOK-13/other-client',
  'A refresh token is not exchanged for another client than the one that it was issued to',
  { uses: ['second client'], spends: 'second client' },
  async ({ approved, caller, steps, observe }) => {
    const owner = await approved(secondClient)
    const { refreshToken = '' } = taken(await steps.refresh(secondClient))
    const grant = { grant_type: 'refresh_token', refresh_token: refreshToken } as const
    const { tpp } = await caller()
    relyOn(OWNERS.management, await tpp.token(CLIENT))
    expect(
      await tpp.token(grant, { deviation: 'a refresh token of another client' }),
    ).toGiveNoToken()
    const still = await owner.tpp.token(grant)
    const tokens = tokensOf(still)
    if (tokens) owner.use({ ...tokens, refreshToken: tokens.refreshToken ?? refreshToken })
    observe('its owner’s refresh afterwards', answerOf(still), still)
  },
)
