import { answered } from '../../altering/consent-requests.ts'
import { rowsOf } from '../../altering/data-requests.ts'
import {
  answers,
  elements,
  type Json,
  jsonOf,
  partOf,
  successes,
} from '../../altering/rewriting.ts'
import type { Fault } from '../../run/proof.ts'

const faults: Fault[] = [
  {
    id: 'absent-addresses-say-null',
    story:
      'A transaction without an address has AddressLine "null, null", because absent lines are joined as text.',
    fails: [],
    warns: ['GEN-25/placeholders'],
    middleware: rowsOf(['transactions', 'account-transactions'], (rows) =>
      rows.length > 0
        ? rows.map((row) => (row.AddressLine ? row : { ...row, AddressLine: 'null, null' }))
        : undefined,
    ),
  },
  {
    id: 'merchants-in-windows-1252',
    story:
      'Addresses have wrong characters (Ã© instead of é). The core system sends UTF-8 and the gateway reads it as windows-1252.',
    fails: [],
    warns: ['GEN-25/misread'],
    middleware: rowsOf(['transactions', 'account-transactions'], (rows) =>
      rows.map((row) => ({ ...row, AddressLine: `CafÃ© du Nord, ${row.AddressLine ?? 'London'}` })),
    ),
  },
  {
    id: 'descriptions-escaped-for-a-page',
    story: 'Account descriptions are escaped for HTML (&amp; instead of &).',
    fails: [],
    warns: ['GEN-25/misread'],
    middleware: elements('Account', (account) => ({
      ...account,
      Description: 'Rewards card &amp; travel insurance',
    })),
  },
  {
    id: 'merchants-escaped-twice',
    story:
      'Merchant names contain escape sequences such as \\u00e9 as text, because they are escaped twice.',
    fails: [],
    warns: ['GEN-25/misread'],
    middleware: elements('Transaction', (row) => {
      const { MerchantName, ...details } = (row.MerchantDetails ?? {}) as Json
      if (typeof MerchantName !== 'string') return row
      const name = MerchantName.replace(
        /[^ -~]/g,
        (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
      )
      return { ...row, MerchantDetails: { ...details, MerchantName: name } }
    }),
  },
  {
    id: 'addresses-encoded-as-in-a-url',
    story: 'AddressLine is percent-encoded, because it is taken from a link to a map.',
    fails: [],
    warns: ['GEN-25/misread'],
    middleware: elements('Transaction', (row) =>
      row.AddressLine ? { ...row, AddressLine: encodeURIComponent(String(row.AddressLine)) } : row,
    ),
  },
  {
    id: 'account-description-says-undefined',
    story:
      'The Description of each account is the text "undefined", because nothing fills in the template.',
    fails: [],
    warns: ['GEN-25/placeholders'],
    middleware: elements('Account', (account) => ({ ...account, Description: 'undefined' })),
  },
  {
    id: 'funds-status-says-null',
    story:
      'The Status of a new funds confirmation consent is the text "null", because no status was set.',
    fails: [],
    warns: ['GEN-25/placeholders'],
    middleware: answered('funds-confirmation', 'POST', (data) => ({ ...data, Status: 'null' })),
  },
  {
    id: 'absent-texts-are-optionals',
    story:
      'Optional texts contain the name of a wrapper object, such as "Optional.empty", because the serializer writes the object itself.',
    fails: [],
    warns: ['GEN-25/placeholders', 'PROD-58/placeholders'],
    middleware: successes(['data', 'products'], (body) => {
      if (Array.isArray(body.data)) {
        const told = (each: Json) => ({ OtherKeyFeatures: 'Optional.empty', ...each })
        return { ...body, data: body.data.map(told) }
      }
      const { Transaction } = body.Data as { Transaction?: Json[] }
      const told = ({ AddressLine = 'empty', ...row }: Json) => ({
        ...row,
        AddressLine: AddressLine === 'empty' ? 'Optional.empty' : `Optional[${AddressLine}]`,
      })
      return Transaction && { ...body, Data: { Transaction: Transaction.map(told) } }
    }),
  },
  {
    id: 'merchants-filled-up',
    story:
      'Merchant names are padded with NUL characters to 40 characters, the length of the field in the mainframe.',
    fails: [],
    warns: ['GEN-25/misread'],
    middleware: elements('Transaction', (row) => {
      const { MerchantName, ...details } = (row.MerchantDetails ?? {}) as Json
      if (typeof MerchantName !== 'string') return row
      return {
        ...row,
        MerchantDetails: { ...details, MerchantName: MerchantName.padEnd(40, '\0') },
      }
    }),
  },
  {
    id: 'apostrophes-of-windows',
    story:
      'Texts have a control character instead of an apostrophe, because windows-1252 was read as ISO 8859-1.',
    fails: [],
    warns: ['GEN-25/misread', 'PROD-58/misread'],
    middleware: successes(['data', 'products'], (body) => {
      if (Array.isArray(body.data)) {
        const KeyFeatures = 'The traveller\u0092s card.'
        return { ...body, data: body.data.map((each: Json) => ({ ...each, KeyFeatures })) }
      }
      const { Account } = body.Data as { Account?: Json[] }
      const Description = 'Traveller\u0092s Credit Card'
      return (
        Account && { ...body, Data: { Account: Account.map((row) => ({ ...row, Description })) } }
      )
    }),
  },
  {
    id: 'value-dates-as-java-writes-them',
    story:
      'ValueDateTime of transactions has an offset without a colon (+0100) instead of UTC. This is the default format of the programming language.',
    fails: ['GEN-02/everywhere'],
    middleware: elements('Transaction', (row) => ({
      ...row,
      ValueDateTime: '2026-07-01T00:00:00.000+0100',
    })),
  },
  {
    id: 'value-dates-of-london',
    story: 'ValueDateTime of transactions has the offset of London (+01:00) instead of UTC.',
    fails: ['GEN-02/everywhere'],
    middleware: elements('Transaction', (row) => ({
      ...row,
      ValueDateTime: '2026-07-01T00:00:00+01:00',
    })),
  },
  {
    id: 'json-said-to-be-latin',
    story:
      'The Content-Type of JSON responses names the charset ISO-8859-1. The container adds its default charset.',
    fails: [],
    warns: ['GEN-26/charset', 'PROD-62/charset'],
    middleware: answers((ctx) => {
      if (ctx.status >= 300 || !jsonOf(ctx)) return false
      ctx.type = 'application/json;charset=ISO-8859-1'
      return true
    }),
  },
  {
    id: 'data-for-every-cache',
    story:
      'Data responses have Cache-Control: public, max-age=600, so shared caches may store them.',
    fails: [],
    warns: ['GEN-27/not-shared'],
    middleware: answers((ctx) => {
      if (ctx.status >= 300 || partOf(ctx) !== 'data') return false
      ctx.set('cache-control', 'public, max-age=600')
      return true
    }),
  },
]

export default faults
