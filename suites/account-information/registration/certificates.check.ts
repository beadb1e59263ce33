import { type Context, check } from '../../../engine/suite-api/check.ts'
import type { Tpp } from '../../../engine/suite-api/client.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { expectTable, type Place } from '../../tables.ts'
import {
  type Certificates,
  clientCertificate,
  isForwarded,
  isOver,
  type OverCertificate,
} from '../../values/client-certificate.ts'
import { certificatesOf } from '../common/places/certificate-places.ts'
import {
  clientMade,
  register,
  registeredSecond,
  wrongRegistrationCheck,
} from '../common/registration/fresh-registration.ts'

/** POST /oauth/register over different certificates. Requirements: specs/account-information/registration.yaml */

type Row = Parameters<typeof isForwarded>[0]
type Registration = Place<Certificates, OverCertificate>

/** Rows without a token, since a registration has none. */
const alone =
  (rows: (row: Row) => boolean) =>
  (row: Row): boolean =>
    rows(row) && !row.id.endsWith('-with-token')

const ofFirst: Registration = {
  name: 'registration',
  kind: 'registration',
  async open(context) {
    return {
      right: certificatesOf(context.tpp()),
      ask: ({ tokenOver: _, ...wrong }, deviation) => register(context, { ...wrong, deviation }),
      judge: clientMade,
    }
  },
}

const ofSecond = (second: Tpp): Registration => ({
  name: 'registration, second client',
  kind: 'registration',
  async open() {
    return {
      right: certificatesOf(second),
      ask: ({ tokenOver: _, ...wrong }, deviation) => second.register({ ...wrong, deviation }),
      judge: clientMade,
    }
  },
})

const ask = (context: Context, owner: string, rows: (row: Row) => boolean, place: Registration) =>
  expectTable(context, { owner, type: clientCertificate, rows: alone(rows), places: [place] })

wrongRegistrationCheck(
  'REG-01/no-certificate',
  'A registration without a client certificate is refused',
  { asks: [clientCertificate] },
  (context) => ask(context, 'REG-01/no-certificate', isOver('none'), ofFirst),
)

wrongRegistrationCheck(
  'REG-01/untrusted',
  'A registration over a certificate of an unknown authority is refused',
  { asks: [clientCertificate] },
  (context) => ask(context, 'REG-01/untrusted', isOver('untrusted'), ofFirst),
)

wrongRegistrationCheck(
  'REG-01/expired',
  'A registration over an expired certificate is refused',
  { asks: [clientCertificate], needs: ['refusedCertificates.expired'] },
  async (context) => {
    if (!context.tpp().wire.has('expired')) {
      throw new NotApplicable('the target has no expired certificate')
    }
    await ask(context, 'REG-01/expired', isOver('expired'), ofFirst)
  },
)

/**
 * Over no certificate, or one of an unknown authority, with the client's own in a header by which
 * some gateways forward a certificate to the servers behind them. Fails: 2xx with a client_id.
 */
wrongRegistrationCheck(
  'REG-01/forwarded',
  'No header of a registration replaces a transport certificate',
  { asks: [clientCertificate], follows: ['REG-01/no-certificate', 'REG-01/untrusted'] },
  (context) => ask(context, 'REG-01/forwarded', isForwarded, ofFirst),
)

check(
  'REG-01/second-client',
  'A registration of the second client without a valid transport certificate is refused',
  {
    asks: [clientCertificate],
    registers: true,
    needs: ['clients.second'],
    follows: ['REG-01/no-certificate', 'REG-01/untrusted', 'REG-01/expired', 'REG-01/forwarded'],
  },
  async (context) => {
    const second = await registeredSecond(context)
    // Each kind of certificate, and one of an unknown authority together with one in a header.
    const rows = (row: Row) =>
      row.level === 'must' && (!row.id.startsWith('header') || row.id === 'header-client-cert')
    await ask(context, 'REG-01/second-client', rows, ofSecond(second))
  },
)
