import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { ClientName } from '../../../engine/suite-api/consents.ts'
import type { JwtDeviation } from '../../../engine/suite-api/jwt.ts'
import { everything, secondClient } from '../../consents.ts'
import { expectTable } from '../../tables.ts'
import { jws } from '../../values/jws.ts'
import { expectNoCode, wrongVisit } from '../common/visits/visits.ts'
import { foreseenLawfulObjects, isLawfulObject, lawfulObjects } from './object-places.ts'

/**
 * GET /authorize: request objects that name a client other than that of the request, that come
 * twice, and that are lawful. Requirements: specs/account-information/authorisation.yaml
 */

/** Both clients have an approval of their own, which shows that their correct requests work. */
const OF_BOTH = { uses: [everything, secondClient], needs: ['clients.second'] } as const

const BOTH: readonly ClientName[] = ['first', 'second']

/** Each client's visit with a request object that contains identifiers of the other client. */
async function expectNoCodeForEither(
  context: Context<typeof everything | typeof secondClient>,
  words: string,
  object: (other: { id: string; kid: string }) => JwtDeviation,
): Promise<void> {
  await context.approved(secondClient)
  for (const client of context.cases(BOTH)) {
    const { tpp } = await context.caller(client === 'first' ? 'second' : 'first')
    const other = { id: tpp.registered?.client_id ?? '', kid: tpp.client.signing.kid }
    const purpose = purposeOf(client, words)
    const deviation = { requestObject: object(other) }
    expectNoCode(await wrongVisit(context, { client, purpose, deviation }))
  }
}

const purposeOf = (client: ClientName, words: string) => `${words}, sent by the ${client} client`
const refusals = (words: string) => BOTH.map((client) => purposeOf(client, words))

const REPLAYED = 'a request object that another client made for itself'

check(
  'AUTHZ-11/of-another-client',
  'A request object that another client made and signed for itself is refused',
  { ...OF_BOTH, refusals: refusals(REPLAYED), follows: ['AUTHZ-11/other-client'] },
  (context) =>
    expectNoCodeForEither(context, REPLAYED, ({ id, kid }) => ({
      key: 'other-client',
      header: { kid },
      claims: { client_id: id, iss: id },
    })),
)

const OTHER_CLIENT_ID = 'a request object with the client_id of another client'

check(
  'AUTHZ-37/client-id',
  'A request object that names another client_id than the request is refused',
  { ...OF_BOTH, refusals: refusals(OTHER_CLIENT_ID) },
  (context) =>
    expectNoCodeForEither(context, OTHER_CLIENT_ID, ({ id }) => ({ claims: { client_id: id } })),
)

const OTHER_ISSUER = 'a request object that names another client as its issuer'

check(
  'AUTHZ-37/issuer',
  'A request object that names another client as its issuer is refused',
  { ...OF_BOTH, refusals: refusals(OTHER_ISSUER) },
  (context) => expectNoCodeForEither(context, OTHER_ISSUER, ({ id }) => ({ claims: { iss: id } })),
)

/** OpenID Connect Core 6.1, RFC 7515 and RFC 7519. Fails: another end than the page of the usual request object. */
check(
  'AUTHZ-52/lawful',
  'A request object is accepted however its JSON is written, and with or without what is optional',
  {
    uses: [everything],
    asks: [jws],
    refusals: foreseenLawfulObjects,
    follows: ['GEN-36/unknown'],
  },
  (context) =>
    expectTable(context, {
      ...{ owner: 'AUTHZ-52/lawful', type: jws, rows: isLawfulObject },
      places: [lawfulObjects(context.target.attended)],
    }),
)
