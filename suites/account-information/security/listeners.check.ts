import { type Context, check } from '../../../engine/suite-api/check.ts'
import { expectThat, noteNegative, relyOn } from '../../../engine/suite-api/expect.ts'
import { requireValue } from '../../../engine/suite-api/flow.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { type Exchange, member } from '../../../engine/suite-api/responses.ts'
import { everything } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { consentPath } from '../common/consents/consent-requests.ts'
import { servedRead } from '../common/data/data-reads.ts'
import { expectNoRows } from '../common/places/path-spellings.ts'

/**
 * The addresses of consents and data at the listeners of discovery and of the authorisation page, which ask for no
 * certificate: one server may stand behind all of them. Requirements: specs/account-information/security.yaml
 */

const WRONG = { identity: 'none', deviation: 'another listener, without a certificate' } as const

/** A gateway may choose the listener by the name in the TLS handshake, and what it serves by the header Host. */
const NAMED = {
  identity: 'none',
  deviation: 'another listener with the host of the API in the header Host, without a certificate',
} as const

check(
  'SEC-01/other-listeners',
  'No consent is queried at a listener of the bank that asks for no certificate',
  { uses: [everything], follows: ['SEC-01/no-certificate'] },
  async (context) => {
    const { tpp, get, consentId } = await context.approved(everything)
    const control = await get(consentPath(consentId))
    relyOn(OWNERS.query, control).toSucceed()
    const bearer = requireValue(await context.steps.management())
    for (const wrong of atOtherListeners(context, control)) {
      const answer = await tpp.call('elsewhere', { ...wrong, bearer })
      noteNegative()
      const shown = member(answer.response?.json, 'Data', 'ConsentId')
      expectThat(shown !== consentId, {
        message: `the consent is shown in spite of ${wrong.deviation}`,
        expected: 'a refusal, or an answer without the consent',
        actual: `the consent at ${wrong.path}`,
        exchange: answer,
      })
    }
  },
)

check(
  'SEC-02/other-listeners',
  'No data are read at a listener of the bank that asks for no certificate',
  { uses: [everything], follows: ['SEC-02/no-certificate'] },
  async (context) => {
    const approval = await context.approved(everything)
    const control = await servedRead(approval, '/accounts')
    relyOn(OWNERS.accounts, control).toSucceed()
    const { accessToken: bearer } = await approval.tokens()
    for (const wrong of atOtherListeners(context, control)) {
      const answer = await approval.tpp.call('elsewhere', { ...wrong, bearer })
      expectNoRows(answer, wrong.deviation)
    }
  },
)

/** This request at each other origin, as it is and with the Host of its own; not applicable where there is none. */
function atOtherListeners({ target }: Pick<Context, 'target'>, { request }: Exchange) {
  const { origin, host, pathname } = new URL(request.url)
  const { discovery, authorisation } = target.endpoints
  const known = [discovery, authorisation].filter((url) => URL.canParse(url))
  const others = [...new Set(known.map((url) => new URL(url).origin))]
  const paths = others.filter((other) => other !== origin).map((other) => `${other}${pathname}`)
  if (paths.length === 0) throw new NotApplicable('all addresses of the bank are of one listener')
  return paths.flatMap((path) => [
    { ...WRONG, path },
    { ...NAMED, path, headers: { Host: host } },
  ])
}
