import type { Context } from 'koa'
import { DAY } from '../../engine/record/durations.ts'
import {
  answers,
  type Json,
  jsonOf,
  type Part,
  partOf,
  refusals,
  successes,
} from '../altering/rewriting.ts'
import type { Variant } from '../run/proof.ts'
import { roundRobin, roundRobinOf } from '../run/round-robin.ts'

/** The parts of the first document, which does not show error bodies. */
const ACCOUNT_INFORMATION: Part[] = ['consents', 'data', 'registration', 'token']

/** First letters of the names of resources in a path. */
const NAMES = /(?<=\/)[abft](?=ccounts|alances|ransactions|ccount-access|unds-confirm)/g

/** Replaces the body and its type; the status does not change. */
function say(ctx: Context, type: string, body: string | undefined) {
  const { status } = ctx
  ctx.remove('content-type')
  ctx.body = body ?? null
  if (body === undefined) ctx.remove('content-type')
  else ctx.set('content-type', type)
  ctx.status = status
}

const variants: Variant[] = [
  {
    id: 'no-next-page-spelt-out',
    story: 'Links also has empty First, Next, Prev and Last. "No pagination" still holds.',
    middleware: successes(['consents', 'data'], (body) => ({
      ...body,
      Links: { First: '', Next: '', Prev: '', Last: '', ...(body.Links as Json) },
    })),
  },
  {
    id: 'errors-of-any-shape',
    story:
      'Error bodies have different forms: empty, an HTML page, plain text, problem details, an OAuth error (RFC 6749), a list, and XML with a JSON Content-Type. "The error body shape of this interface: not shown."',
    middleware: refusals(
      ACCOUNT_INFORMATION,
      roundRobinOf<[Context], void>(
        (ctx) => say(ctx, '', undefined),
        (ctx) => say(ctx, 'text/html', `<html><head><title>${ctx.status}</title></head></html>`),
        (ctx) => say(ctx, 'text/plain', ctx.message),
        (ctx) =>
          say(
            ctx,
            'application/problem+json',
            JSON.stringify({ type: 'about:blank', title: ctx.message, status: ctx.status }),
          ),
        (ctx) => say(ctx, 'application/json;charset=UTF-8', '{"error":"invalid_request"}'),
        (ctx) =>
          say(ctx, 'application/json', JSON.stringify([{ code: ctx.status, text: ctx.message }])),
        (ctx) => say(ctx, 'application/json', `<Fault><Code>${ctx.status}</Code></Fault>`),
      ),
    ),
  },
  {
    id: 'more-members-everywhere',
    story:
      'Every JSON object has extra members. The document does not forbid members that are not in its tables.',
    middleware: answers((ctx) => {
      const body = jsonOf(ctx)
      if (!body || partOf(ctx) === 'pages') return false
      ctx.body = withExtras(body)
    }),
  },
  {
    id: 'lists-of-the-other-resources-are-empty',
    story:
      'Data also has empty arrays of the other resources. The document does not forbid more members.',
    middleware: successes(['data'], (body) => ({
      ...body,
      Data: { Account: [], Balance: [], Transaction: [], ...(body.Data as Json) },
    })),
  },
  {
    id: 'json-written-in-any-way',
    story:
      'JSON has its members in another order (RFC 8259 4), is indented, or escapes all characters outside ASCII (2, 7). Content-Type has parameters or upper case (RFC 9110 8.3.1).',
    middleware: answers((ctx) => {
      const body = jsonOf(ctx)
      return body ? write(ctx, body) : false
    }),
  },
  {
    id: 'sets-in-any-order',
    story:
      'Permissions, scopes, grant types, response types and products are in another order in each response, and some extra grant types are listed. They are sets.',
    middleware: successes(['consents', 'products', 'registration', 'token'], disordered),
  },
  {
    id: 'consents-without-pages',
    story:
      'Consent responses have no Links and Meta, or an empty Meta. The table of the envelope says presence only of Data and Risk.',
    middleware: successes(
      ['consents'],
      roundRobinOf<[Json], Json>(
        ({ Links: _links, Meta: _meta, ...rest }) => rest,
        (body) => ({ ...body, Meta: {} }),
      ),
    ),
    warns: ['ENV-10/links-and-meta'],
    because: 'AMB-31: the presence of both, and of TotalPages, is implied, so a should.',
  },
  {
    id: 'data-without-a-count-of-pages',
    story:
      'Meta of data responses is empty. TotalPages is optional in 3.1.2, and the table only describes it.',
    middleware: successes(['data'], (body) => ({ ...body, Meta: {} })),
    warns: ['ENV-09/total-pages'],
    because: 'AMB-31: 3.1.2 makes the section mandatory, and TotalPages optional in it.',
  },
  {
    id: 'envelopes-with-more',
    story:
      'Data responses have Risk, First and Last links (AMB-29) and empty Prev and Next links. TotalPages of an empty list is 0.',
    middleware: successes(['data'], (body) => {
      const links = (body.Links ?? {}) as Json
      const [rows] = Object.values((body.Data ?? {}) as Json)
      const empty = Array.isArray(rows) && rows.length === 0
      return {
        Risk: {},
        ...body,
        Links: { First: links.Self, Last: links.Self, Prev: '', Next: '', ...links },
        ...(empty && { Meta: { TotalPages: 0 } }),
      }
    }),
  },
  {
    id: 'absent-members-are-null',
    story:
      'Optional members without a value are null. The document does not say how they are shown.',
    middleware: successes(
      ['consents', 'data', 'discovery', 'products', 'registration', 'token'],
      withNulls,
    ),
    warns: ['GEN-16/no-null', 'PROD-54/no-null'],
    because: 'AMB-17: null is no value, and that such a member is left out is a should.',
  },
  {
    id: 'links-of-any-form',
    story:
      'Links.Self has different forms: with or without the query, with the public or the internal host and path, with upper-case letters in the path, or with /account-requests. It is an absolute URL that references the resource.',
    policies: (correct, { fired }) => {
      const ways = ['without-query', 'public', 'behind', 'below', 'requests', 'capital'] as const
      const next = roundRobin(ways)
      return {
        selfLink(base, path) {
          fired()
          const how = next()
          if (how === 'public') return `https://api.bank.example:443${path}`
          if (how === 'behind')
            return correct.selfLink(base, path.replace(/^.*\/v3\.1\//, '/ob-aisp/v1.0.0/'))
          if (how === 'requests' && /-consents\/[^/]+$/.test(path)) {
            return correct.selfLink(
              base,
              path.replace('account-access-consents', 'account-requests'),
            )
          }
          if (how === 'capital')
            return correct.selfLink(
              base,
              path.replace(NAMES, (name) => name.toUpperCase()),
            )
          if (how === 'below') return correct.selfLink(`${base}/gateway/v2.4`, path)
          return correct.selfLink(base, path.split('?', 1)[0] ?? path)
        },
      }
    },
  },
  {
    id: 'links-with-the-filter-that-was-applied',
    story:
      'Links.Self has the date filters that the bank applied: they begin with its history and end now. Whether Links.Self has the query of the request is not said.',
    policies: (correct, { fired }) => ({
      selfLink(base, path) {
        const self = new URL(correct.selfLink(base, path))
        const bounds = {
          fromBookingDateTime: (at: number) => Math.max(at, Date.now() - HISTORY),
          toBookingDateTime: (at: number) => Math.min(at, Date.now()),
        }
        for (const [name, bounded] of Object.entries(bounds)) {
          const at = Date.parse(self.searchParams.get(name) ?? '')
          if (Number.isNaN(at) || bounded(at) === at) continue
          self.searchParams.set(name, new Date(bounded(at)).toISOString())
          fired()
        }
        return self.href
      },
    }),
  },
]

/** So many milliseconds before now the history of this bank begins. */
const HISTORY = 600 * DAY

/** Writes bodies in turn: in reverse order, indented and in ASCII, with another spelling of the content type. */
const write = roundRobinOf<[Context, Json], void>(
  (ctx, body) => {
    ctx.body = backwards(body)
  },
  (ctx, body) => {
    const escaped = JSON.stringify(body, null, 2).replace(
      /[\u007f-\uffff]/g,
      (character) => `\\u${character.charCodeAt(0).toString(16).padStart(4, '0')}`,
    )
    say(ctx, 'application/json', `${escaped}\r\n`)
  },
  (ctx, body) => say(ctx, 'Application/JSON;charset=UTF-8', JSON.stringify(body)),
)

const backwardsOrSorted = roundRobinOf<[unknown[]], unknown[]>(
  (values) => values.toReversed(),
  (values) => values.toSorted(),
  (values) => [...values.slice(1), ...values.slice(0, 1)],
)

function disordered(body: Json, ctx: Context): Json | undefined {
  const words = (text: unknown) => backwardsOrSorted(String(text).split(' ')).join(' ')
  switch (partOf(ctx)) {
    case 'consents': {
      const data = body.Data as Json
      if (!Array.isArray(data.Permissions)) return undefined
      return { ...body, Data: { ...data, Permissions: backwardsOrSorted(data.Permissions) } }
    }
    case 'products':
      return { ...body, data: (body.data as Json[]).toReversed() }
    case 'registration':
      return {
        ...body,
        scope: words(body.scope),
        grant_types: backwardsOrSorted([...(body.grant_types as string[]), 'implicit']),
        response_types: ['id_token code'],
      }
    default: {
      if (body.scope === undefined) return undefined
      // The scope openid gives access to no resource and need not be named.
      const scope = words(body.scope).replace(/ openid\b|\bopenid /, '')
      return { ...body, scope }
    }
  }
}

/** Adds one member to each object, except to Risk, which is empty. */
function withExtras(value: unknown, name = ''): unknown {
  if (Array.isArray(value)) return value.map((one) => withExtras(one))
  if (typeof value !== 'object' || value === null || name === 'Risk') return value
  const members = Object.entries(value).map(([key, one]) => [key, withExtras(one, key)])
  return { ...Object.fromEntries(members), 'x-extra': EXTRA }
}

/** A time, an IBAN and the id of a card acceptor that pass the check-digit test of card numbers (ISO/IEC 7812-1). */
const EXTRA = {
  of: ['this', 'bank'],
  count: 1,
  RequestId: '2026112912410007',
  Payer: 'AT78 3200 0000 1234 5809',
  AcceptorId: '543210000000017',
}

/** Writes absent optional members as null; also every third AddressLine. */
function withNulls(body: Json, ctx: Context): Json {
  const absent = (value: unknown, names: string[]): Json => {
    const object = value as Json
    return { ...Object.fromEntries(names.map((name) => [name, null])), ...object }
  }
  switch (partOf(ctx)) {
    case 'token':
      return absent(body, ['refresh_token', 'id_token', 'token_type'])
    case 'registration':
      return absent(body, ['software_on_behalf_of'])
    case 'discovery':
      return absent(body, [
        'request_object_signing_alg_values_supported',
        'token_endpoint_auth_signing_alg_values_supported',
        'grant_types_supported',
      ])
    case 'products': {
      const data = (body.data as Json[]).map((product) => {
        const details = product.Details as Json
        const item = absent(details.ConsumerCreditCardItem, OPTIONAL.item)
        return {
          ...absent(product, OPTIONAL.product),
          Details: { ...details, ConsumerCreditCardItem: item },
          Eligibility: absent(product.Eligibility, OPTIONAL.eligibility),
        }
      })
      return { ...body, data }
    }
    case 'consents': {
      const data = absent(body.Data, OPTIONAL.consent)
      const debtor =
        data.DebtorAccount === undefined ? undefined : absent(data.DebtorAccount, OPTIONAL.debtor)
      return { ...body, Data: { ...data, ...(debtor && { DebtorAccount: debtor }) } }
    }
    default: {
      const [[name = '', rows] = []] = Object.entries(body.Data as Json)
      if (!Array.isArray(rows)) return body
      const members = OPTIONAL[name as 'Transaction'] ?? []
      return { ...body, Data: { [name]: rows.map((row) => absent(row, members)) } }
    }
  }
}

const OPTIONAL = {
  product: ['OtherKeyFeatures', 'ProductSegment'],
  item: ['CashbackPercent', 'MinimumRepaymentAmount', 'OverLimitFee'],
  eligibility: ['IncomeRelated', 'MinimumAge'],
  consent: ['ExpirationDateTime', 'TransactionFromDateTime', 'TransactionToDateTime'],
  debtor: ['Name', 'SecondaryIdentification'],
  Account: ['Account'],
  Balance: ['CreditLine'],
  Transaction: ['BookingDateTime', 'AddressLine', 'MerchantDetails'],
}

function backwards(value: unknown): unknown {
  if (Array.isArray(value)) return value.map(backwards)
  if (typeof value !== 'object' || value === null) return value
  const members = Object.entries(value).map(([key, one]) => [key, backwards(one)])
  return Object.fromEntries(members.reverse())
}

export default variants
