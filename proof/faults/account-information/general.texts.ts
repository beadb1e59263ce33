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
    story: 'The lines of an address are joined, whether they are there or not.',
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
    story: 'The core system sends UTF-8, and the gateway reads windows-1252.',
    fails: [],
    warns: ['GEN-25/misread'],
    middleware: rowsOf(['transactions', 'account-transactions'], (rows) =>
      rows.map((row) => ({ ...row, AddressLine: `CafÃ© du Nord, ${row.AddressLine ?? 'London'}` })),
    ),
  },
  {
    id: 'descriptions-escaped-for-a-page',
    story:
      'One service fills the pages of the bank and the interface, and escapes what it gives out.',
    fails: [],
    warns: ['GEN-25/misread'],
    middleware: elements('Account', (account) => ({
      ...account,
      Description: 'Rewards card &amp; travel insurance',
    })),
  },
  {
    id: 'merchants-escaped-twice',
    story: 'The service of merchants gives JSON, which is put into the answer as text.',
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
    story: 'The address comes out of the link to a map.',
    fails: [],
    warns: ['GEN-25/misread'],
    middleware: elements('Transaction', (row) =>
      row.AddressLine ? { ...row, AddressLine: encodeURIComponent(String(row.AddressLine)) } : row,
    ),
  },
  {
    id: 'account-description-says-undefined',
    story: 'A template has a name for the description that nobody fills in.',
    fails: [],
    warns: ['GEN-25/placeholders'],
    middleware: elements('Account', (account) => ({ ...account, Description: 'undefined' })),
  },
  {
    id: 'funds-status-says-null',
    story: 'A status that nobody has set becomes a text.',
    fails: [],
    warns: ['GEN-25/placeholders'],
    middleware: answered('funds-confirmation', 'POST', (data) => ({ ...data, Status: 'null' })),
  },
  {
    id: 'absent-texts-are-optionals',
    story:
      'A text that may be absent is an object of the language, which the serializer writes out.',
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
      'A field of the mainframe has forty characters, and those behind the text are of no value.',
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
    story: 'Names were typed in windows-1252, and the service reads them as ISO 8859-1.',
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
      'The service formats dates with the default of its language, which has no colon in an offset.',
    fails: ['GEN-02/everywhere'],
    middleware: elements('Transaction', (row) => ({
      ...row,
      ValueDateTime: '2026-07-01T00:00:00.000+0100',
    })),
  },
  {
    id: 'value-dates-of-london',
    story: 'The day on which a payment counts comes from another system, which knows London alone.',
    fails: ['GEN-02/everywhere'],
    middleware: elements('Transaction', (row) => ({
      ...row,
      ValueDateTime: '2026-07-01T00:00:00+01:00',
    })),
  },
  {
    id: 'json-said-to-be-latin',
    story: 'The container adds its default charset to every Content-Type.',
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
    story: 'The network of caches before the bank sets the same life for pages and for data.',
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
