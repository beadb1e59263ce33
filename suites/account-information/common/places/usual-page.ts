import type { Context, Foreseen } from '../../../../engine/suite-api/check.ts'
import { expectThat, noteControl } from '../../../../engine/suite-api/expect.ts'
import { type Visit, type VisitOptions, visitEnd } from '../../../../engine/suite-api/flow.ts'
import { blockBy } from '../../../../engine/suite-api/outcomes.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'
import type { everything } from '../../../consents.ts'
import { OWNERS } from '../../../owners.ts'
import type { Place } from '../../../tables.ts'
import type { Value, ValueType } from '../../../values/value-type.ts'
import { createConsent } from '../consents/consent-requests.ts'
import { expectAnswered, nobodyLogsIn, relyOnNoCode, wrongVisit } from '../visits/visits.ts'
import { foreseenVisits, type Named } from './visit-places.ts'

/** Lawful authorisation requests without a login: each leads to the page of the usual one. */

type Used = typeof everything

/** With `dear`, one value of each part of the grammar is enough at every target. */
const pageOf = (attended: boolean, dear?: true): Named => ({
  ...{ name: 'authorisation', kind: 'authorisation' },
  ...((attended || dear) && { dear: true as const }),
})

/** The visit of a correct request with no login. It must end on a page. */
async function usualPage(context: Context<Used>): Promise<Visit> {
  const usual = await nobodyLogsIn(context)
  relyOnNoCode('AUTHZ-22/before-login', usual)
  if (usual.kind === 'refused') {
    blockBy(OWNERS.visit, `the visit ended with ${visitEnd(usual)}`, usual.last)
  }
  return usual
}

/** The authorisation endpoint, which shows a page wherever it does so for the usual request. */
export const usualPagePlace = <Right, Made>(
  attended: boolean,
  parts: {
    dear?: true
    rightOf(usual: Visit, context: Context<Used>): Right
    deviationOf(made: Made, right: Right): VisitOptions['deviation']
    /** What should come, for the finding. */
    expected: string
  },
): Place<Right, Made, Used> => ({
  ...pageOf(attended, parts.dear),
  async open(context) {
    const usual = await usualPage(context)
    const client = await context.caller()
    let consentId = await createConsent(client)
    const right = parts.rightOf(usual, context)
    return {
      right,
      async ask(made, purpose) {
        const deviation = parts.deviationOf(made, right)
        const visit = await wrongVisit(context, {
          ...{ purpose, consentId, decision: 'none', deviation },
          // Whether the bank accepts another state is judged by the checks of state.
          state: usual.request.state,
        })
        // Another consent for the next one: a bank may be done with one whose page was shown.
        consentId = await createConsent(client)
        expectAnswered(visit)
        const finding = otherEnd(visit, usual, parts.expected)
        return { ...(visit.last && { exchange: visit.last }), ...(finding && { finding }) }
      },
    }
  },
})

/** The purposes of the visits of such a place, as far as they are known before anything is sent. */
export const foreseenPages =
  <Right, Made>(
    type: ValueType<Right, Made>,
    rows: (row: Value<Right, Made>) => boolean,
    { dear, rightOf }: { dear?: true; rightOf: (foreseen: Foreseen) => Right },
  ) =>
  (foreseen: Foreseen): readonly string[] => [
    'nobody logs in',
    ...foreseenVisits(type, rows, 'first', {
      placeOf: (_client, attended) => pageOf(attended, dear),
      shared: false,
      rightOf,
    })(foreseen),
  ]

/** Fails: without a login, the request does not lead to the page of a correct one. */
export async function expectSamePage(
  context: Context<Used>,
  purpose: string,
  deviation: VisitOptions['deviation'],
): Promise<void> {
  const usual = await usualPage(context)
  const { state } = usual.request
  const visit = await wrongVisit(context, { purpose, decision: 'none', deviation, state })
  if (usual.last)
    noteControl({ exchange: usual.last, summary: 'the same request without it led to a page' })
  expectAnswered(visit)
  const finding = otherEnd(visit, usual, 'the page that the same request without it leads to')
  if (!finding) return
  const message = `${finding.message} (${purpose})`
  expectThat(false, { ...finding, message, exchange: visit.last })
}

/** How the bank answered: by a redirect, or by a page with a status. Login pages may have any status. */
const ledTo = ({ kind, pages: [page] }: Visit) => (kind === 'stopped' ? page?.status : kind)

/** The finding where a visit did not lead to the page of the usual request. */
function otherEnd(visit: Visit, usual: Visit, expected: string): Finding | undefined {
  if (ledTo(visit) === ledTo(usual)) return undefined
  const actual = visitEnd(visit)
  return { message: `the visit ended with ${actual}`, expected, actual }
}
