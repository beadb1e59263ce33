import { randomInt } from 'node:crypto'
import { check } from '../../../engine/suite-api/check.ts'
import { expect, expectThat, noteNegative, relyOn } from '../../../engine/suite-api/expect.ts'
import type { Caller } from '../../../engine/suite-api/flow.ts'
import { answerOf, type Exchange, header, succeeded } from '../../../engine/suite-api/responses.ts'
import { everything } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { consentPath } from '../common/consents/consent-requests.ts'
import { pathOf, requireAccountIds, servedRead } from '../common/data/data-reads.ts'
import { readOwner } from '../common/data/read-owners.ts'

/**
 * HEAD at the addresses whose path names an account or a consent: a rule for GET alone does not protect them.
 * Requirements: specs/account-information/security.yaml
 */

check(
  'SEC-16/data',
  'HEAD of an account, its balances or its transactions reveals nothing without an access token',
  { uses: [everything], follows: ['DATA-03/without-authorization'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const [id = ''] = await requireAccountIds(approval)
    for (const tail of ['', '/balances', '/transactions'] as const) {
      const path = pathOf(id, tail)
      relyOn(readOwner(approval, path), await servedRead(approval, path)).toSucceed()
      await expectNothingTold(approval, path, pathOf(ofNobody(id), tail))
    }
  },
)

check(
  'SEC-16/consent',
  'HEAD of a consent reveals nothing without an access token',
  { uses: [everything], follows: ['SEC-03/query-without'] },
  async ({ approved }) => {
    const approval = await approved(everything)
    const path = consentPath(approval.consentId)
    relyOn(OWNERS.query, await approval.get(path)).toSucceed()
    await expectNothingTold(approval, path, consentPath(ofNobody(approval.consentId)))
  },
)

const SIGNS = ['0123456789', 'abcdef', 'ghijklmnopqrstuvwxyz', 'ABCDEF', 'GHIJKLMNOPQRSTUVWXYZ']

/**
 * An id of nobody in the form of this one, and as long: its last third has other letters and digits. A balancer may look at
 * the form of an id, and a page may repeat the address.
 */
function ofNobody(id: string): string {
  const kept = id.length - Math.ceil(id.length / 3)
  const other = (sign: string) => {
    const alike = (SIGNS.find((signs) => signs.includes(sign)) ?? sign).replace(sign, '') || sign
    return alike.charAt(randomInt(alike.length))
  }
  return id.slice(0, kept) + [...id.slice(kept)].map(other).join('')
}

/** Fails: a success, and not the one that an address with an id of nobody gives, as where a balancer answers HEAD itself. */
async function expectNothingTold({ head }: Caller, path: string, another: string): Promise<void> {
  const wrong = { bearer: null, deviation: 'HEAD without an Authorization header' }
  const answer = await head(path, wrong)
  if (!succeeded(answer)) return expect(answer).toBeRefused()
  noteNegative()
  const other = await head(another, wrong)
  expectThat(told(answer) === told(other), {
    message: 'without an access token, HEAD reveals what is there',
    expected: `${told(other)}, as for an unknown id`,
    actual: told(answer),
    exchange: answer,
  })
}

function told(exchange: Exchange): string {
  return `${answerOf(exchange)} with Content-Length ${header(exchange, 'content-length') ?? 'absent'}`
}
