import { type Context, check } from '../../../engine/suite-api/check.ts'
import { matchers, relyOn } from '../../../engine/suite-api/expect.ts'
import { NotApplicable } from '../../../engine/suite-api/outcomes.ts'
import { everything } from '../../consents.ts'
import { OWNERS } from '../../owners.ts'
import { expectTable, type Place } from '../../tables.ts'
import { type Encoded, formEncoding, type Respelled } from '../../values/form-encoding.ts'
import { needsLogin } from '../common/data/history.ts'
import { otherThanAround } from '../common/data/same-rows.ts'
import { filtered, relyOnFilters, relyOnSteadyRows } from '../common/data/transaction-readings.ts'
import { expectSamePage, foreseenPages, usualPagePlace } from '../common/places/usual-page.ts'
import { inBoth } from '../common/visits/visits.ts'

/** Names and values in forms and queries, as libraries do. Requirements: specs/account-information/general.yaml */

type Row = { id: string; level: string; lawful?: true }
type Used = typeof everything
type EncodedPlace = Place<Encoded, Respelled, Used>

const isLawful = ({ lawful }: Row) => lawful === true
const isOfEveryForm = (row: Row) => isLawful(row) && row.level === 'must'
/** Not the rows about order: these are tested with the filters. */
const isOfFilters = (row: Row) => isLawful(row) && !['reversed', 'sorted'].includes(row.id)
const isEquivalent = (row: Row) => isLawful(row) && row.level === 'should'

const token: EncodedPlace = {
  ...{ name: 'token', kind: 'token' },
  async open({ caller }) {
    const { tpp } = await caller()
    const right = await tpp.token({ grant_type: 'client_credentials' })
    relyOn(OWNERS.management, right).toSucceed()
    return {
      right: { text: right.request.body ?? '' },
      ask: (respelled, deviation) =>
        tpp.token({ grant_type: 'client_credentials' }, { respelled, deviation }),
    }
  },
}

/** Requests with both filters, at each address that has them. */
async function filters(context: Context<Used>): Promise<EncodedPlace[]> {
  const approval = await context.approved(everything)
  await relyOnFilters(approval, 'both')
  return (await filtered(approval, 'both')).map(({ path, answer: usual }, at) => ({
    ...{ name: `filters of ${at === 0 ? 'transactions' : `account ${at}`}`, kind: 'filters' },
    async open() {
      relyOn('TXN-15/each-combination', usual).toSucceed()
      const { search, searchParams } = new URL(usual.request.url)
      const query = Object.fromEntries(searchParams)
      return {
        right: { text: search.slice(1) },
        async ask(respelled) {
          const exchange = await approval.get(path, { query, respelled })
          const refused = matchers.toSucceed(exchange)
          // By now the usual encoding may need another login as well.
          if (needsLogin(exchange) && needsLogin(await approval.get(path, { query })))
            throw new NotApplicable('the bank asks for another login of the customer')
          if (refused) return { exchange, finding: refused }
          const other = otherThanAround(approval, path, [usual, exchange, usual])
          if (other) await relyOnSteadyRows(approval)
          return { exchange, ...(other && { finding: other }) }
        },
      }
    },
  }))
}

/** Parameters that every authorisation request has, where their encodings can differ. */
const USUAL = 'scope=openid%20accounts&redirect_uri=https%3A%2F%2Ftpp.example%2Fa-b'

/** A request without a login: the bank shows a page wherever it does so for the usual encoding. */
const authorisation = (attended: boolean): EncodedPlace =>
  usualPagePlace(attended, {
    rightOf: (usual) => ({ text: new URL(usual.request.url).search.slice(1) }),
    deviationOf: (respelled) => ({ respelled }),
    expected: USUALLY_WRITTEN,
  })

const USUALLY_WRITTEN = 'the page that the same parameters lead to as they are usually written'

const visits = (rows: (row: Row) => boolean) => ({
  uses: [everything],
  asks: [formEncoding],
  refusals: foreseenPages(formEncoding, rows, { rightOf: () => ({ text: USUAL }) }),
})

/** A check that tests these rows of the table at these places. */
const asking =
  (
    owner: string,
    rows: (row: Row) => boolean,
    places: (context: Context<Used>) => EncodedPlace[] | Promise<EncodedPlace[]>,
  ) =>
  async (context: Context<Used>) =>
    expectTable(context, { owner, type: formEncoding, rows, places: await places(context) })

const atToken = () => [token]
const atPage = ({ target }: Context<Used>) => [authorisation(target.attended)]

check(
  'GEN-22/token',
  'A token request is read as a form, in whichever order and spelling its fields stand',
  { uses: [everything], asks: [formEncoding] },
  asking('GEN-22/token', isOfEveryForm, atToken),
)

check(
  'GEN-22/authorisation',
  'An authorisation request is read as a form, in whichever order and spelling its parameters stand',
  visits(isOfEveryForm),
  asking('GEN-22/authorisation', isOfEveryForm, atPage),
)

const UNKNOWN = 'a parameter that no server knows'

check(
  'GEN-36/unknown',
  'A parameter that no server knows changes nothing of an authorisation request',
  { uses: [everything], refusals: ['nobody logs in', UNKNOWN] },
  (context) => expectSamePage(context, UNKNOWN, inBoth({ colour_of_the_button: 'blue' })),
)

const WITHOUT_VALUE = 'optional parameters without a value'

/** In the query alone: a claim of a request object that is an empty text is not a parameter without a value. */
check(
  'GEN-36/without-value',
  'Optional parameters without a value change nothing of an authorisation request',
  { uses: [everything], refusals: ['nobody logs in', WITHOUT_VALUE] },
  (context) => {
    const query = { acr_values: '', display: '', login_hint: '', max_age: '', ui_locales: '' }
    return expectSamePage(context, WITHOUT_VALUE, { query })
  },
)

check(
  'GEN-23/token',
  'A token request is read alike however its characters are encoded',
  { uses: [everything], asks: [formEncoding], follows: ['GEN-22/token'] },
  asking('GEN-23/token', isEquivalent, atToken),
)

check(
  'GEN-23/authorisation',
  'An authorisation request is read alike however its characters are encoded',
  { ...visits(isEquivalent), follows: ['GEN-22/authorisation'] },
  asking('GEN-23/authorisation', isEquivalent, atPage),
)

check(
  'GEN-23/filters',
  'Filters are read alike however their characters are encoded',
  { uses: [everything], asks: [formEncoding] },
  asking('GEN-23/filters', isOfFilters, filters),
)
