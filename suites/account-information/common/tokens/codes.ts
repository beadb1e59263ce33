import type { Context } from '../../../../engine/suite-api/check.ts'
import type { TokenDeviation, Tpp } from '../../../../engine/suite-api/client.ts'
import type { Approval } from '../../../../engine/suite-api/consents.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import { requireValue, tokensOf } from '../../../../engine/suite-api/flow.ts'
import { blockBy, NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import type { Exchange } from '../../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { codeOfAnotherClient, everything } from '../../../consents.ts'
import { alteredBy, OTHER_CASE, OTHER_END } from './unknown-tokens.ts'
import {
  partiesOf,
  REPLAYED,
  WRONG_AUTHENTICATIONS,
  withClientCredentials,
} from './wrong-authentications.ts'

/** The id of the requirement in the id of a check. */
export const requirementOf = (id: string): string => id.slice(0, id.indexOf('/'))

/** An attempt to exchange a code with wrong client authentication. */
interface Attempt {
  /** The check that tries the same authentication with client_credentials. */
  id: string
  wrong: TokenDeviation
  /** The answer to the same authentication with client_credentials. */
  elsewhere: Exchange
  /** Absent where that gave a token: the attempt would use up the code, and the other check reports it. */
  answer?: Exchange
}

/** Another text than the code, the check that judges it, and what it gave. */
interface Near {
  id: string
  answer: Exchange
}

/** Texts that nearly are the code, until one of them is exchanged. */
async function exchangedNearly(tpp: Tpp, { code, ...grant }: CodeGrant): Promise<Near[]> {
  const tried: Near[] = []
  for (const { id, text, words } of [
    ...alteredBy(OTHER_CASE, code).map((one) => ({ id: 'TOK-11/other-case', ...one })),
    ...alteredBy(OTHER_END, code).map((one) => ({ id: 'TOK-11/other-end', ...one })),
  ]) {
    const answer = await tpp.token({ ...grant, code: text }, { deviation: `a code ${words}` })
    tried.push({ id, answer })
    if (tokensOf(answer)) break
  }
  return tried
}

type CodeGrant = { grant_type: 'authorization_code'; code: string; redirect_uri: string }

/** A bank that takes the first of two values finds the first form right, and a bank that takes the last one the second. */
const TWICE: TokenDeviation[] = [
  {
    deviation: 'redirect_uri sent twice: right, then wrong',
    respelled: (form) => `${form}&redirect_uri=https%3A%2F%2Ftpp.example%2Felsewhere`,
  },
  {
    deviation: 'code sent twice: wrong, then right',
    respelled: (form) => `code=e30&${form}`,
  },
]

/** The correct form with a field twice, until a token comes. */
async function exchangedTwice(tpp: Tpp, grant: CodeGrant): Promise<Exchange[]> {
  const tried: Exchange[] = []
  for (const wrong of TWICE) {
    tried.push(await tpp.token(grant, wrong))
    if (tried.some(tokensOf)) break
  }
  return tried
}

/**
 * One code, used at once, since it is valid for a minute. It is tried with a few other characters, by the second
 * client under its own name and under that of the first, then by its own client without grant_type and with each
 * wrong authentication that client_credentials refuses, until a token comes. If none came: with a field twice and
 * without redirect_uri, then correctly, first without client_id, which is optional, and then with it. The approval
 * continues with the tokens that its own client got, whether it should have got them or not.
 */
export const tryOwnCode = sharedFixture([everything, codeOfAnotherClient], async (context) => {
  requireValue(await context.steps.exchange(everything))
  const parties = await partiesOf(context)
  // Before the code is issued, since it is valid for a minute.
  const attempts: Attempt[] = []
  for (const { id, byAnother, ...each } of [...WRONG_AUTHENTICATIONS, REPLAYED]) {
    if (byAnother && !parties.other) continue
    for (const wrong of each.attempts(parties)) {
      attempts.push({ id, wrong, elsewhere: await withClientCredentials(parties, id, wrong) })
    }
  }
  const approval = await context.approved(codeOfAnotherClient)
  const { code, request } = approval.visit
  const grant = {
    grant_type: 'authorization_code',
    code,
    redirect_uri: request.redirectUri,
  } as const
  const near = await exchangedNearly(parties.tpp, grant)
  const taken = near.some(({ answer }) => tokensOf(answer))
  const foreign = taken
    ? undefined
    : await parties.other?.token(grant, { deviation: 'a code of the first client' })
  // The same, with the client_id of the code's client in the form: the assertion decides whose request it is.
  const named =
    foreign && !tokensOf(foreign)
      ? await parties.other?.token(grant, {
          form: { client_id: parties.tpp.registered?.client_id },
          deviation: 'a code of the first client, which the form names',
        })
      : undefined
  const untyped =
    taken || [foreign, named].some((answer) => answer && tokensOf(answer))
      ? undefined
      : await parties.tpp.token(grant, {
          form: { grant_type: undefined },
          deviation: 'a code without grant_type',
        })
  const tried: Attempt[] = []
  const spent = taken || [foreign, named, untyped].some((answer) => answer && tokensOf(answer))
  let given: Exchange | undefined
  for (const attempt of spent ? [] : attempts) {
    if (given) break
    tried.push(attempt)
    if (tokensOf(attempt.elsewhere)) continue
    attempt.answer = await parties.tpp.token(grant, attempt.wrong)
    if (tokensOf(attempt.answer)) given = attempt.answer
  }
  // A code that gave a token is not tried again: that may end the token (RFC 6749 section 4.1.2).
  const twice = given || spent ? undefined : await exchangedTwice(parties.tpp, grant)
  given ??= twice?.find(tokensOf)
  let unplaced: Exchange | undefined
  if (!given && !spent) {
    const form = { redirect_uri: undefined }
    unplaced = await parties.tpp.token(grant, { form, deviation: 'a code without redirect_uri' })
    if (tokensOf(unplaced)) given = unplaced
  }
  const deviation = 'a code that was refused before'
  const unnamed =
    given || taken
      ? undefined
      : await parties.tpp.token(grant, { form: { client_id: undefined }, deviation })
  const done = given ?? (unnamed && tokensOf(unnamed) ? unnamed : undefined)
  const last = done ?? (await parties.tpp.token(grant, { deviation }))
  const tokens = tokensOf(last)
  if (tokens) approval.use(tokens)
  return { near, foreign, named, tried, untyped, twice, unplaced, unnamed, last, approval }
})

/** The approval of that code. Ends the check where its client got no token for the code. */
export async function approvedAfterTries(
  context: Context<typeof everything | typeof codeOfAnotherClient>,
): Promise<Approval> {
  const tries = await tryOwnCode(context)
  requireGiven(tries)
  return tries.approval
}

/** Expects that no other text than the code was exchanged for tokens. */
export function relyOnThisCode({ near }: Tries): void {
  for (const { id, answer } of near) relyOn(id, answer).toGiveNoToken()
}

/** Expects that nobody got tokens for the code before its own client tried it. */
export function relyOnNothingGiven(tries: Tries): void {
  const { foreign, named } = tries
  relyOnThisCode(tries)
  if (foreign) relyOn('TOK-35/other-client', foreign).toGiveNoToken()
  if (named) relyOn('TOK-35/named', named).toGiveNoToken()
}

/** Expects that the code's own client got tokens for it, by whichever request. */
export function requireGiven({ near, foreign, named, untyped, last }: Tries): void {
  if (tokensOf(last)) return
  const other = near.find(({ answer }) => tokensOf(answer))
  if (other) blockBy(other.id, 'another text than the code was exchanged', other.answer)
  if (foreign && tokensOf(foreign)) {
    blockBy('TOK-35/other-client', 'the code was exchanged for another client', foreign)
  }
  if (named && tokensOf(named)) {
    blockBy('TOK-35/named', 'the code was exchanged for another client', named)
  }
  if (untyped && tokensOf(untyped)) {
    blockBy('TOK-02/with-code', 'the code was exchanged without grant_type', untyped)
  }
  throw new NotApplicable('the bank ends a code at the first refusal')
}

type Tries = Awaited<ReturnType<typeof tryOwnCode>>
