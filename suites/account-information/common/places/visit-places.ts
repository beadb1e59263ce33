import type { Context, Foreseen } from '../../../../engine/suite-api/check.ts'
import type { ClientName } from '../../../../engine/suite-api/consents.ts'
import type { Visit, VisitOptions } from '../../../../engine/suite-api/flow.ts'
import type { Finding } from '../../../../engine/suite-api/rule.ts'
import { everything } from '../../../consents.ts'
import { cellsOf, deviationOf, type OpenPlace, type Place } from '../../../tables.ts'
import { rowsOf, type Value, type ValueType } from '../../../values/value-type.ts'
import { createConsent } from '../consents/consent-requests.ts'
import { placeName } from '../registration/clients.ts'
import { approvedBefore, codeFinding, expectAnswered, wrongVisit } from '../visits/visits.ts'

/** Places of parameters of an authorisation request. */

/** A place, as far as a draw needs it. */
export type Named = Pick<Place<never, never>, 'name' | 'kind' | 'enough' | 'dear'>

/** A wrong bank creates at most this many clients or approvals, which nobody can undo. */
export const ENOUGH = 3

/** With an attended target, one value of each part: a person is not sent to the bank a hundred times. */
export const authorisationOf = (client: ClientName, attended: boolean): Named => ({
  name: placeName('authorisation', client),
  kind: 'authorisation',
  enough: ENOUGH,
  ...(attended && { dear: true }),
})

/** The same where a bank may show a page for each value: one value of each part of the grammar is enough. */
export const dearAuthorisation = (client: ClientName, attended: boolean): Named => ({
  ...authorisationOf(client, attended),
  dear: true,
})

/** The place of a client, if there is a second client to share a draw with. */
export const besideAuthorisation = ({ target }: Context<never>, client: ClientName): Named[] =>
  target.clients.second ? [authorisationOf(client, target.attended)] : []

export const byClient = (words: string, client: ClientName): string =>
  client === 'first' ? words : `${words}, by the second client`

/**
 * Visits with a wrong value, which must give no code. One consent is enough for all of them until a page is shown.
 *
 * @param parts.right the correct value, or what it is made from.
 * @param parts.wrong the request with this value.
 * @param parts.visits each visit is added to it.
 * @param parts.judge the finding for a visit, if it is not only about a code.
 */
export async function openVisits<Right, Made>(
  context: Context<typeof everything>,
  client: ClientName,
  parts: {
    right: Right
    wrong(made: Made): VisitOptions['deviation']
    visits?: Visit[]
    judge?(visit: Visit, words: string): Finding | undefined | Promise<Finding | undefined>
  },
): Promise<OpenPlace<Right, Made>> {
  await approvedBefore(context, everything)
  const caller = await context.caller(client)
  let consentId = await createConsent(caller)
  return {
    right: parts.right,
    async ask(made, words) {
      const purpose = byClient(words, client)
      const deviation = parts.wrong(made)
      const visit = await wrongVisit(context, { client, purpose, consentId, deviation })
      parts.visits?.push(visit)
      // With a page, the bank may have recorded something about the consent.
      if (!isRefusedAtOnce(visit)) consentId = await createConsent(caller)
      expectAnswered(visit)
      const finding = await (parts.judge ?? codeFinding)(visit, words)
      return { ...(visit.last && { exchange: visit.last }), ...(finding && { finding }) }
    },
  }
}

/** Is the first answer a redirect, or an error page? */
const isRefusedAtOnce = ({ kind, pages: [page, ...others] }: Visit) =>
  kind !== 'granted' && others.length === 0 && (page === undefined || page.status >= 400)

/**
 * The purposes of these visits, as far as they are known before anything is sent.
 *
 * @param rightOf the correct value for a target; absent where every row can be made.
 */
export const foreseenVisits =
  <Right, Made>(
    type: ValueType<Right, Made>,
    rows: (row: Value<Right, Made>) => boolean,
    client: ClientName,
    options: {
      placeOf?: (client: ClientName, attended: boolean) => Named
      shared?: boolean
      rightOf?: (foreseen: Foreseen) => Right
    } = {},
  ) =>
  (foreseen: Foreseen): readonly string[] => {
    const { placeOf = authorisationOf, shared = true, rightOf } = options
    const { target, attended, draw } = foreseen
    const at = (name: ClientName) =>
      target.clients[name] ? cellsOf(type, rows, [placeOf(name, attended)]) : []
    const others = shared ? at(client === 'first' ? 'second' : 'first') : []
    const byId = new Map(rowsOf(type).map((row) => [row.id, row]))
    const right = rightOf?.(foreseen)
    return draw(at(client), others).flatMap(({ value }) => {
      const row = byId.get(value)
      if (!row || (right && row.make(right) === undefined)) return []
      return byClient(deviationOf(type, row), client)
    })
  }
