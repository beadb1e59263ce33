import { check } from '../../../engine/suite-api/check.ts'
import { expect, relyOn } from '../../../engine/suite-api/expect.ts'
import { everything, secondClient } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { askTable, expectNoneBroken, expectTable } from '../../tables.ts'
import {
  clientCertificate,
  isForwarded,
  isInvalidCertificate,
} from '../../values/client-certificate.ts'
import { accountAccess, fundsConfirmation } from '../common/consents/consent-kinds.ts'
import { filtersOf } from '../common/data/absent-reads.ts'
import { pathOf, requireAccountIds } from '../common/data/data-reads.ts'
import {
  behindGateway,
  certificatePlaces,
  consentsOverCertificates,
  dataBehindGateway,
  dataOverCertificates,
} from '../common/places/certificate-places.ts'
import { expectNoRows, spelledOtherwise } from '../common/places/path-spellings.ts'
import { clientsOf } from '../common/registration/clients.ts'

/**
 * The tests of security.check.ts, at all other endpoints, since a gateway
 * protects each path separately; and headers that name a certificate other than
 * that of the connection. Requirements: specs/account-information/security.yaml
 */

const QUERIES = ['SEC-01/no-certificate', 'SEC-01/untrusted', 'SEC-01/expired']
const LISTS = ['SEC-02/no-certificate', 'SEC-02/untrusted', 'SEC-02/expired']

const invalid = { type: clientCertificate, rows: isInvalidCertificate }
const forwarded = { type: clientCertificate, rows: isForwarded }

check(
  'SEC-01/create',
  'No consent is created without a valid transport certificate',
  { asks: [clientCertificate], follows: QUERIES },
  async (context) => {
    const places = certificatePlaces.creation(accountAccess, clientsOf(context))
    await expectTable(context, { ...invalid, owner: 'SEC-01/create', places })
  },
)

check(
  'SEC-01/delete',
  'No consent is deleted without a valid transport certificate',
  { asks: [clientCertificate], follows: QUERIES },
  async (context) => {
    const places = certificatePlaces.deletion(accountAccess, clientsOf(context))
    const asked = await askTable(context, { ...invalid, owner: 'SEC-01/delete', places })
    expectNoneBroken(asked, clientCertificate)
    for (const answer of asked.after) expect(answer).toSucceed()
  },
)

check(
  'SEC-01/funds-confirmation',
  'No funds confirmation consent is created without a valid transport certificate',
  { asks: [clientCertificate], follows: QUERIES },
  async (context) => {
    const clients = await fundsConfirmation.creators(context)
    const places = certificatePlaces.creation(fundsConfirmation, clients)
    await expectTable(context, { ...invalid, owner: 'SEC-01/funds-confirmation', places })
  },
)

check(
  'SEC-01/funds-deletion',
  'No funds confirmation consent is deleted without a valid transport certificate',
  { asks: [clientCertificate], follows: [...QUERIES, 'SEC-01/funds-confirmation'] },
  async (context) => {
    const clients = await fundsConfirmation.clients(context)
    const places = certificatePlaces.deletion(fundsConfirmation, clients)
    const asked = await askTable(context, { ...invalid, owner: 'SEC-01/funds-deletion', places })
    expectNoneBroken(asked, clientCertificate)
    for (const answer of asked.after) relyOn(OWNERS.fundsDeletion, answer).toSucceed()
  },
)

/**
 * Over no certificate, or one of an unknown authority, with the client's own in a header
 * by which some gateways forward a certificate to the servers behind them. Fails: 2xx.
 */
check(
  'SEC-01/forwarded',
  'No header of a request for a consent replaces a transport certificate',
  {
    asks: [clientCertificate],
    follows: [
      ...QUERIES,
      'SEC-01/create',
      'SEC-01/delete',
      'SEC-01/funds-confirmation',
      'SEC-01/funds-deletion',
    ],
  },
  async (context) => {
    const places = behindGateway(await consentsOverCertificates(context))
    const beside = dataBehindGateway
    await expectTable(context, { ...forwarded, owner: 'SEC-01/forwarded', places, beside })
  },
)

/** The certificate identifies the client, whichever customer's data it requests. */
const OTHERS = [secondClient] as const

check(
  'SEC-02/other-endpoints',
  'No data endpoint is served without a valid transport certificate',
  { asks: [clientCertificate], uses: [everything], beside: OTHERS, follows: LISTS },
  async (context) => {
    const all = await dataOverCertificates(context, [everything, ...OTHERS])
    const places = all.filter(({ name }) => name !== 'accounts')
    await expectTable(context, { ...invalid, owner: 'SEC-02/other-endpoints', places })
    // A gateway may have a separate rule for the same address with a filter.
    const approval = await context.approved(everything)
    const [id = ''] = await requireAccountIds(approval)
    const wrong = { identity: 'none', deviation: 'no client certificate' }
    for (const path of ['/transactions', pathOf(id, '/transactions')]) {
      for (const way of context.cases(filtersOf(path))) {
        expect(await approval.get(path, { ...way, ...wrong })).toBeRefused()
      }
    }
    for (const path of context.cases(spelledOtherwise(context.seed + 1))) {
      expectNoRows(await approval.get(path, wrong), wrong.deviation)
    }
  },
)

check(
  'SEC-02/forwarded',
  'No header of a request for data replaces a transport certificate',
  {
    asks: [clientCertificate],
    uses: [everything],
    follows: [...LISTS, 'SEC-02/other-endpoints'],
  },
  async (context) => {
    // Which headers a gateway accepts does not depend on whose data is requested.
    const places = behindGateway(await dataOverCertificates(context, [everything]))
    const beside = behindGateway(await consentsOverCertificates(context))
    await expectTable(context, { ...forwarded, owner: 'SEC-02/forwarded', places, beside })
  },
)
