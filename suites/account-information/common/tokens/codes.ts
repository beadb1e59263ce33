import type { Context } from '../../../../engine/suite-api/check.ts'
import type { TokenDeviation } from '../../../../engine/suite-api/client.ts'
import type { Approval } from '../../../../engine/suite-api/consents.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import { requireValue, tokensOf } from '../../../../engine/suite-api/flow.ts'
import { blockBy, NotApplicable } from '../../../../engine/suite-api/outcomes.ts'
import type { Exchange } from '../../../../engine/suite-api/responses.ts'
import { sharedFixture } from '../../../../engine/suite-api/shared-fixture.ts'
import { codeOfAnotherClient, everything } from '../../../consents.ts'
import { inOtherCase, SWAPPED } from './unknown-tokens.ts'
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

/**
 * One code, used at once, since it is valid for a minute. It is tried with its letters in the other case, by
 * the second client under its own name and under that of the first, then by its own client without grant_type
 * and with each wrong authentication that client_credentials refuses, until a token comes. If none came:
 * without redirect_uri, then correctly, first without client_id, which is optional, and then with it. The
 * approval continues with the tokens that its own client got, whether it should have got them or not.
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
  let recased: Exchange | undefined
  for (const other of inOtherCase(code)) {
    recased = await parties.tpp.token({ ...grant, code: other }, { deviation: `a code ${SWAPPED}` })
  }
  const taken = recased && tokensOf(recased) !== undefined
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
  const spent = [recased, foreign, named, untyped].some((answer) => answer && tokensOf(answer))
  let given: Exchange | undefined
  for (const attempt of spent ? [] : attempts) {
    if (given) break
    tried.push(attempt)
    if (tokensOf(attempt.elsewhere)) continue
    attempt.answer = await parties.tpp.token(grant, attempt.wrong)
    if (tokensOf(attempt.answer)) given = attempt.answer
  }
  // A code that gave a token is not tried again: that may end the token (RFC 6749 section 4.1.2).
  const deviation = 'a code that was refused before'
  let unplaced: Exchange | undefined
  if (!given && !spent) {
    const form = { redirect_uri: undefined }
    unplaced = await parties.tpp.token(grant, { form, deviation: 'a code without redirect_uri' })
    if (tokensOf(unplaced)) given = unplaced
  }
  const unnamed =
    given || taken
      ? undefined
      : await parties.tpp.token(grant, { form: { client_id: undefined }, deviation })
  const done = given ?? (unnamed && tokensOf(unnamed) ? unnamed : undefined)
  const last = done ?? (await parties.tpp.token(grant, { deviation }))
  const tokens = tokensOf(last)
  if (tokens) approval.use(tokens)
  return { recased, foreign, named, tried, untyped, unplaced, unnamed, last, approval }
})

/** The approval of that code. Ends the check where its client got no token for the code. */
export async function approvedAfterTries(
  context: Context<typeof everything | typeof codeOfAnotherClient>,
): Promise<Approval> {
  const tries = await tryOwnCode(context)
  requireGiven(tries)
  return tries.approval
}

/** Expects that nobody got tokens for the code before its own client tried it. */
export function relyOnNothingGiven({ recased, foreign, named }: Tries): void {
  if (recased) relyOn('TOK-11/other-case', recased).toGiveNoToken()
  if (foreign) relyOn('TOK-35/other-client', foreign).toGiveNoToken()
  if (named) relyOn('TOK-35/named', named).toGiveNoToken()
}

/** Expects that the code's own client got tokens for it, by whichever request. */
export function requireGiven({ recased, foreign, named, untyped, last }: Tries): void {
  if (tokensOf(last)) return
  if (recased && tokensOf(recased)) {
    blockBy('TOK-11/other-case', 'the code was exchanged in other letters', recased)
  }
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
