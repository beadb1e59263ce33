import { brief, type Exchange, member } from '../../../engine/suite-api/responses.ts'
import { rule } from '../../../engine/suite-api/rule.ts'
import {
  createdThen,
  datesAsRequested,
  datesShown,
  neverAgain,
  requestedData,
} from '../common/consents/created-consents.ts'

/** Funds confirmation consents. Requirements: specs/account-information/funds-confirmation.yaml */

const CREATE = 'create-funds-confirmation-consent'
const DELETE = 'delete-funds-confirmation-consent'

rule(
  'FCC-20/never-again',
  'No ConsentId of a funds confirmation consent is issued a second time in a run, not even that of a deleted one',
  { endpoints: [CREATE], follows: ['FCC-20/unique'] },
  (exchange, { earlier }) => neverAgain(exchange, CREATE, earlier),
)

rule(
  'FCC-22/at-creation',
  'CreationDateTime of a funds confirmation consent is the time of its creation',
  { endpoints: [CREATE], unseen: 'no answer had CreationDateTime' },
  (exchange, tools) => createdThen(exchange, CREATE, tools.clockTolerance),
)

rule(
  'FCC-24/as-requested',
  'A created funds confirmation consent has the ExpirationDateTime that was asked for',
  { endpoints: [CREATE], unseen: 'no answer had ExpirationDateTime' },
  (exchange) => datesAsRequested(exchange, CREATE, ['ExpirationDateTime']),
)

rule(
  'FCC-21/optional-members',
  'A created funds confirmation consent shows the optional members that were sent',
  { endpoints: [CREATE] },
  (exchange) => {
    const dates = datesShown(exchange, CREATE, ['ExpirationDateTime'])
    const names = namesSent(exchange)
    if (!dates && names.length === 0) return undefined
    const missing = names
      .filter(({ value }) => value === undefined)
      .map(({ name, asked }) => ({
        message: `${name} is missing`,
        expected: brief(asked),
        actual: 'no such member',
        place: `/Data/DebtorAccount/${name}`,
      }))
    return [...(dates ?? []), ...missing]
  },
)

/** Name and SecondaryIdentification, where the request has them, with the values of the response. */
function namesSent(exchange: Exchange): { name: string; asked: unknown; value: unknown }[] {
  const sent = member(requestedData(exchange, CREATE), 'DebtorAccount')
  const given = member(exchange.response?.json, 'Data', 'DebtorAccount')
  if (typeof given !== 'object' || given === null) return []
  return ['Name', 'SecondaryIdentification']
    .map((name) => ({ name, asked: member(sent, name), value: member(given, name) }))
    .filter(({ asked }) => asked !== undefined)
}

/**
 * Every create 2xx whose request has a Name and a different SecondaryIdentification.
 * Fails: one comes back as the value of the other. The bank may show values of its own.
 */
rule(
  'FCC-26/not-exchanged',
  'Name and SecondaryIdentification that were sent do not come back as one another',
  { endpoints: [CREATE], unseen: 'no answer had DebtorAccount' },
  (exchange) => {
    const names = namesSent(exchange)
    const [name, secondary] = names
    if (!name || !secondary || name.asked === secondary.asked) return undefined
    return names
      .filter(({ asked, value }) => value !== asked && names.some((other) => other.asked === value))
      .map(({ name, asked, value }) => ({
        message: `${name} is the value that was sent as another member`,
        expected: `${brief(asked)}, or a value of the bank`,
        actual: brief(value),
        place: `/Data/DebtorAccount/${name}`,
      }))
  },
)

/**
 * Every create 2xx: an Identification that is in both request and response is equal.
 * Not judged on requests with a deviation. A missing one is judged by FCC-21.
 */
rule(
  'FCC-09/as-requested',
  'DebtorAccount of a created funds confirmation consent has the Identification that was sent',
  { endpoints: [CREATE], unseen: 'no answer had DebtorAccount' },
  (exchange) => {
    const sent = member(requestedData(exchange, CREATE), 'DebtorAccount')
    const given = member(exchange.response?.json, 'Data', 'DebtorAccount')
    if (sent === undefined || typeof given !== 'object' || given === null) return undefined
    const [asked, value] = [sent, given].map((account) => member(account, 'Identification'))
    // A missing one is judged by FCC-21, a type other than string by the schema. Name and
    // SecondaryIdentification are “assigned by the servicing institution”, so the bank may show its own.
    if (typeof value !== 'string' || asked === undefined || asked === value) return []
    const message = 'Identification is not the one that was sent'
    const place = '/Data/DebtorAccount/Identification'
    return [{ message, expected: brief(asked), actual: brief(value), place }]
  },
)

rule(
  'FCC-16/recorded',
  'Under which addresses funds confirmation consents are created and deleted',
  { endpoints: [CREATE, DELETE] },
  ({ endpoint, about, request, response }, { observe }) => {
    if ((endpoint !== CREATE && endpoint !== DELETE) || about.deviation !== undefined)
      return undefined
    const { pathname } = new URL(request.url)
    const path = endpoint === DELETE ? pathname.replace(/(?<![^/])[^/]+$/, '{ConsentId}') : pathname
    observe(`${request.method} ${path}`, String(response?.status))
    return []
  },
)

/** Every creation 201. Fails: Status is Revoked, which a customer's revocation gives; every other value is open. */
rule(
  'FCC-28/not-revoked',
  'A funds confirmation consent is not revoked from the beginning',
  { endpoints: [CREATE] },
  (exchange) => {
    if (exchange.endpoint !== CREATE || exchange.response?.status !== 201) return undefined
    if (exchange.about.deviation !== undefined) return undefined
    if (member(exchange.response.json, 'Data', 'Status') !== 'Revoked') return []
    const message = 'the new consent is shown as Revoked'
    const place = '/Data/Status'
    return [{ message, expected: 'another Status', actual: 'Revoked', place }]
  },
)
