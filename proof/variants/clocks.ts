import { stateOf } from '../../bank/state/state.ts'
import { answered } from '../altering/consent-requests.ts'
import { idTokens } from '../altering/id-tokens.ts'
import { type Json, jsonOf, partOf } from '../altering/rewriting.ts'
import { tokensSpelt } from '../altering/token-spelling.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobin } from '../run/round-robin.ts'

/** Seconds by which the clocks differ: less than the 60 that the target allows. */
const APART = 55

/** A bank whose clock is this many seconds ahead, and that strictly checks iat, nbf and exp. */
function strictClock(ahead: number): Pick<Variant, 'policies' | 'middleware'> {
  const refusal = ({ iat, nbf, exp }: Json) => {
    const now = Date.now() / 1000 + ahead
    if ([iat, nbf].some((instant) => Number(instant ?? 0) > now)) return 'issued in the future'
    return Number(exp) <= now ? 'expired' : undefined
  }
  return {
    policies: (correct, { fired }) => {
      const judged = (claims: Json) => {
        fired()
        return refusal(claims)
      }
      return {
        clientAssertionRefusal: (claims, header) =>
          judged(claims) ?? correct.clientAssertionRefusal(claims, header),
        requestObjectRefusal: (claims, settings) =>
          judged(claims) ?? correct.requestObjectRefusal(claims, settings),
        registrationValueRefusal: (claims, advertised) =>
          judged(claims) ?? correct.registrationValueRefusal(claims, advertised),
        dateTimeOf: (instant) => correct.dateTimeOf(instant),
        consentView: (consent, spelling) =>
          correct.consentView(
            {
              ...consent,
              created: consent.created + ahead * 1000,
              statusUpdated: consent.statusUpdated + ahead * 1000,
            },
            spelling,
          ),
      }
    },
    async middleware(ctx, next) {
      await next()
      if (partOf(ctx) === 'pages') return
      ctx.set('date', new Date(Date.now() + ahead * 1000).toUTCString())
      stateOf(ctx).fired()
    },
  }
}

/** Seconds by which exp of an access token differs from what expires_in says. */
const shift = roundRobin([-APART, 240])

const variants: Variant[] = [
  {
    id: 'tokens-that-tell-their-end',
    story: `The exp of an access token (a JWT) is ${APART} seconds earlier than expires_in says, because clocks differ, or four minutes later, so that clients ask for a new one in time.`,
    middleware: tokensSpelt((token, ctx) => {
      const told = Math.floor(Date.now() / 1000) + Number(jsonOf(ctx)?.expires_in)
      return stateOf(ctx).bank.signAsBank({ jti: token, exp: told + shift() })
    }),
  },
  {
    id: 'times-to-the-second',
    story:
      'Date-times have no fraction of a second, so two changes of Status within one second have the same StatusUpdateDateTime. RFC 3339 does not require fractions.',
    policies: (correct, { fired }) => ({
      dateTimeOf(instant) {
        fired()
        return correct.dateTimeOf(instant - (instant % 1000)).replace(/\.\d+/, '')
      },
    }),
  },
  {
    id: 'times-to-the-second-move-with-re-confirmation',
    story:
      'Date-times have no fraction of a second, and a re-confirmation changes StatusUpdateDateTime. A revocation within the same second shows the same time. It is “when the consent was last updated”.',
    policies: (correct, { fired }) => ({
      dateTimeOf: (instant) => correct.dateTimeOf(instant - (instant % 1000)).replace(/\.\d+/, ''),
      consentView(consent, spelling) {
        const statusUpdated = Math.max(consent.statusUpdated, consent.confirmed ?? 0)
        if (statusUpdated > consent.statusUpdated) fired()
        return correct.consentView({ ...consent, statusUpdated }, spelling)
      },
    }),
  },
  {
    id: 'times-to-the-tenth',
    story:
      'Date-times have one digit of a fraction, so two changes of Status within a tenth of a second have the same StatusUpdateDateTime. RFC 3339 leaves the number of digits open.',
    policies: (correct, { fired }) => ({
      dateTimeOf(instant) {
        fired()
        const tenth = correct.dateTimeOf(instant - (instant % 100))
        return tenth.replace(/\.(\d)\d*/, '.$1')
      },
    }),
  },
  {
    id: 'creations-by-another-clock',
    story:
      'CreationDateTime comes from a clock that is 0.4 seconds ahead of the clock of StatusUpdateDateTime. Clocks differ, and a bank has several.',
    policies: (correct, { fired }) => ({
      consentView(consent, spelling) {
        fired()
        return correct.consentView({ ...consent, created: consent.created + 400 }, spelling)
      },
    }),
  },
  {
    id: 'creations-answered-by-another-clock',
    story:
      'CreationDateTime in the response to a creation is 0.7 seconds earlier than in every query, because two servers have different clocks.',
    middleware: answered('account-access', 'POST', ({ CreationDateTime, ...data }) => ({
      ...data,
      CreationDateTime: new Date(Date.parse(String(CreationDateTime)) - 700).toISOString(),
    })),
  },
  {
    id: 'strict-clock-ahead',
    story: `The clock of the bank is ${APART} seconds ahead, and the bank refuses everything that has expired by that clock.`,
    ...strictClock(APART),
  },
  {
    id: 'strict-clock-behind',
    story: `The clock of the bank is ${APART} seconds behind, and the bank refuses everything that was issued in the future by that clock.`,
    ...strictClock(-APART),
  },
  {
    id: 'id-tokens-of-a-fast-clock',
    story: "The clock of the bank is 20 seconds ahead of the TPP's clock.",
    policies: (correct) => ({
      consentView: (consent, spelling) => {
        const created = consent.created + 20_000
        const statusUpdated = consent.statusUpdated + 20_000
        return correct.consentView({ ...consent, created, statusUpdated }, spelling)
      },
    }),
    middleware: idTokens((claims, sign) =>
      sign({
        ...claims,
        iat: Number(claims.iat) + 20,
        exp: Number(claims.exp) + 20,
        ...(claims.auth_time !== undefined && { auth_time: Number(claims.auth_time) + 20 }),
      }),
    ),
  },
]

export default variants
