import type { Level } from '../../engine/suite-api/check.ts'
import type { CallDeviation } from '../../engine/suite-api/flow.ts'
import type { Value, ValueType } from './value-type.ts'

/** Headers of a call that replace the correct ones; undefined removes one. */
export type HeaderValues = Required<Pick<CallDeviation, 'headers'>>

/** A call for a customer who is present. */
export interface Present {
  present: true
}

const SIGNALS = '“Header x-fapi-customer-ip-address signals that the customer is present.”'
const EITHER = `${SIGNALS} FAPI 1.0 Baseline 6.2.2 (4) has both 2001:DB8::1893:25c8:1946 and 198.51.100.119.`
const RECORDED = `${EITHER} RATE-08 records what IPv6 gets.`
const NO_ADDRESS = `${SIGNALS} What another value than an address does is not said.`
const NAMES = 'RFC 9110 5.1: “Field names are case-insensitive”.'

type Row = Value<Present, HeaderValues>
type Given = [id: string, words: string, address: string]

const NAME = 'x-fapi-customer-ip-address'

const rows = (level: Level, because: string, ...given: Given[]): Row[] =>
  given.map(([id, words, address]) => ({
    ...{ id, words, level, because },
    make: () => ({ headers: { [NAME]: address } }),
  }))

const lawful = (...given: Parameters<typeof rows>): Row[] =>
  rows(...given).map((row) => ({ ...row, lawful: true }))

/** Addresses of the ranges for documentation (RFC 5737, RFC 3849), and a private one. */
export const customerAddress: ValueType<Present, HeaderValues> = {
  name: NAME,
  grammar: 'RFC 3986 3.2.2: IPv4address and IPv6address, as FAPI 1.0 Baseline 6.2.2 (4) shows them',
  parts: [
    {
      part: 'IPv4address',
      rows: [
        ...lawful(
          'must',
          SIGNALS,
          ['ipv4', 'with an IPv4 address', '198.51.100.119'],
          ['ipv4-short', 'with an IPv4 address of short numbers', '192.0.2.1'],
          ['ipv4-highest', 'with an IPv4 address that ends in 255', '203.0.113.255'],
        ),
        ...lawful('should', SIGNALS, ['ipv4-private', 'with a private IPv4 address', '10.0.0.1']),
        ...rows(
          'observe',
          NO_ADDRESS,
          ['ipv4-too-high', 'with a number above 255', '198.51.100.256'],
          ['ipv4-three', 'with three numbers', '198.51.100'],
          ['ipv4-leading-zero', 'with a zero before a number', '198.051.100.119'],
          ['ipv4-integer', 'with an IPv4 address as one number', '3325256823'],
          ['ipv4-port', 'with an IPv4 address and a port', '198.51.100.119:443'],
          ['ipv4-mask', 'with an IPv4 network', '198.51.100.0/24'],
        ),
      ],
    },
    {
      part: 'IPv6address',
      rows: [
        ...lawful(
          'observe',
          RECORDED,
          ['ipv6', 'with the IPv6 address that FAPI shows', '2001:DB8::1893:25c8:1946'],
          ['ipv6-full', 'with all groups of IPv6', '2001:0db8:0000:0000:0000:0000:0000:0001'],
          ['ipv6-short', 'with an IPv6 address that ends in two colons', '2001:db8::'],
          ['ipv6-mapped', 'with an IPv4 address in an IPv6 one', '::ffff:198.51.100.119'],
        ),
        ...rows(
          'observe',
          NO_ADDRESS,
          ['ipv6-brackets', 'with an IPv6 address in brackets', '[2001:db8::1]'],
          ['ipv6-zone', 'with a zone after an IPv6 address', 'fe80::1%eth0'],
          ['ipv6-two-gaps', 'with two gaps in an IPv6 address', '2001:db8::1::1'],
        ),
      ],
    },
    {
      part: 'anything else',
      rows: rows(
        'observe',
        NO_ADDRESS,
        ['empty', 'that is empty', ''],
        ['unknown', 'with the word unknown', 'unknown'],
        ['name', 'with a name', 'localhost'],
        ['list', 'with two addresses', '198.51.100.119, 203.0.113.7'],
      ),
    },
    {
      part: 'field-name (RFC 9110 5.1)',
      rows: [
        {
          ...{ id: 'name-in-capitals', words: 'whose name is written in upper case' },
          ...{ lawful: true, level: 'should', because: NAMES },
          make: () => ({ headers: { [NAME.toUpperCase()]: '198.51.100.119' } }),
        },
        {
          ...{ id: 'name-with-underscores', words: 'whose name is written with underscores' },
          ...{ level: 'observe', because: `${SIGNALS} With underscores it is another name.` },
          make: () => ({
            headers: { [NAME]: undefined, [NAME.replaceAll('-', '_')]: '198.51.100.119' },
          }),
        },
      ],
    },
  ],
}
