import { claimsOf } from '../../../engine/suite-api/jwt.ts'
import {
  type Endpoint,
  type Exchange,
  member,
  rowsOf,
  succeeded,
} from '../../../engine/suite-api/responses.ts'
import { type Finding, rule } from '../../../engine/suite-api/rule.ts'
import { numberOf } from '../common/data/account-comparisons.ts'
import { isCardNumber } from '../common/data/card-number.ts'
import { AUTHORISATION, landingOf } from '../common/visits/landings.ts'

/** Card numbers that no text of an answer shows. Requirements: specs/account-information/security.yaml */

const ACCOUNTS: readonly Endpoint[] = ['accounts', 'account']

/** What the run has seen of one consent. */
interface Known {
  /** Was a token of it read? */
  read: boolean
  /** Digits in its tokens that could be those of a card. */
  numbers: Set<string>
  /** The last four digits of the cards of its accounts. */
  endings: Set<string>
  /** The finding was told. */
  told: boolean
}

/**
 * ID tokens, access tokens that are JWTs, and the accounts of their consents. Fails: a claim has the digits of a whole card,
 * with its check digit, and they end as the card of an account of the consent does. By chance that happens once in ten
 * thousand times where a claim has as many digits.
 */
rule(
  'SEC-09/in-tokens',
  'No token contains the number of a card',
  {
    endpoints: ['token'],
    also: [...AUTHORISATION.endpoints, ...AUTHORISATION.also, ...ACCOUNTS],
    unseen: 'no token can be read, or no account shows the last digits of its card',
  },
  (exchange, { earlier }) => {
    const { consent, subject, deviation } = exchange.about
    const isOfAccounts = ACCOUNTS.includes(exchange.endpoint)
    const id = isOfAccounts ? consent?.id : subject
    if (id === undefined || deviation !== undefined) return undefined
    const known = (earlier.get(id) ?? {
      ...{ read: false, numbers: new Set(), endings: new Set(), told: false },
    }) as Known
    earlier.set(id, known)
    if (isOfAccounts) for (const ending of endingsIn(exchange)) known.endings.add(ending)
    for (const claims of isOfAccounts ? [] : claimsIn(exchange)) {
      known.read = true
      for (const number of cardNumbersIn(JSON.stringify(claims))) known.numbers.add(number)
    }
    if (!known.read || known.endings.size === 0 || known.told) return undefined
    if (![...known.numbers].some((number) => known.endings.has(number.slice(-4)))) return []
    known.told = true
    const message = 'a token of the consent contains the number of a card'
    const actual = 'the digits of a card, which end as those of an account do'
    return [{ message, expected: 'no card number', actual }]
  },
)

function endingsIn(exchange: Exchange): string[] {
  return succeeded(exchange) ? rowsOf(exchange).flatMap((row) => numberOf(row) ?? []) : []
}

/** The claims of the tokens in an answer that can be read. */
function claimsIn(exchange: Exchange): Record<string, unknown>[] {
  const texts =
    exchange.endpoint === 'token'
      ? ['id_token', 'access_token'].map((name) => member(exchange.response?.json, name))
      : [landingOf(exchange)?.redirect.idToken]
  return texts
    .map((text) => (typeof text === 'string' ? claimsOf(text) : undefined))
    .filter((claims) => claims !== undefined)
}

/** Runs of digits, optionally grouped, that are the number of a card. */
function cardNumbersIn(text: string): string[] {
  const runs = text.match(/(?<!\d)\d(?:[ -]?\d){14,15}(?!\d)/g) ?? []
  return runs.map((run) => run.replace(/\D/g, '')).filter(isCardNumber)
}

/**
 * Every accounts 2xx with the last four digits of a card. Fails: AccountId, as it is, backwards, or decoded from base64 or
 * hexadecimal digits, is a card number, and it ends in these four digits.
 */
rule(
  'SEC-09/account-id',
  'No AccountId is the number of its card in another form',
  {
    endpoints: ACCOUNTS,
    unseen: 'no account shows the last digits of its card',
    follows: ['SEC-09/full-card-number'],
  },
  (exchange) => {
    if (!ACCOUNTS.includes(exchange.endpoint) || !succeeded(exchange)) return undefined
    const rows = rowsOf(exchange).map((row) => ({ id: row.AccountId, ending: numberOf(row) }))
    if (rows.every(({ ending }) => ending === undefined)) return undefined
    return rows.flatMap(({ id, ending }, index): Finding[] => {
      if (typeof id !== 'string' || ending === undefined) return []
      const isNumber = formsOf(id)
        .flatMap(cardNumbersIn)
        .some((one) => one.endsWith(ending))
      if (!isNumber) return []
      const message = 'AccountId is the number of the card in another form'
      const actual = `a text of the card that ends in ${ending}`
      const place = `/Data/Account/${index}/AccountId`
      return [{ message, expected: 'a text that does not reveal the card number', actual, place }]
    })
  },
)

/** A text as it is, backwards, and what it could be the encoding of. */
function formsOf(text: string): string[] {
  const encodings = /^(?:[\da-f]{2})+$/i.test(text)
    ? (['base64', 'hex'] as const)
    : (['base64'] as const)
  return [
    text,
    [...text].reverse().join(''),
    ...encodings.map((encoding) => Buffer.from(text, encoding).toString('latin1')),
  ]
}

const TRANSACTIONS: readonly Endpoint[] = ['transactions', 'account-transactions']

/** What an account system makes out of numbers of its own; by chance some of their digits may look like a card. */
const IDS = ['TransactionId', 'TransactionReference', 'StatementReference']

/** So many ids have one card number in common only if it is that of their card. */
const MANY = 6

/**
 * Every transactions 2xx under a consent whose accounts were shown with the last four digits of their cards. Fails: each id of
 * an account with six transactions or more holds one and the same card number, which ends in these digits.
 */
rule(
  'SEC-09/transaction-ids',
  'The ids of transactions do not hold the number of their card',
  {
    endpoints: TRANSACTIONS,
    also: ACCOUNTS,
    unseen: 'no account with six transactions shows the last digits of its card and ids of them',
  },
  (exchange, { earlier }) => {
    const { consent } = exchange.about
    if (!consent || !succeeded(exchange)) return undefined
    const endings = (earlier.get(consent.id) ?? new Map()) as Map<unknown, string>
    earlier.set(consent.id, endings)
    if (ACCOUNTS.includes(exchange.endpoint)) {
      for (const row of rowsOf(exchange)) {
        const ending = numberOf(row)
        if (ending !== undefined) endings.set(row.AccountId, ending)
      }
      return undefined
    }
    if (!TRANSACTIONS.includes(exchange.endpoint)) return undefined
    let isJudged = false
    for (const [account, ending] of endings) {
      const rows = rowsOf(exchange).filter(({ AccountId }) => AccountId === account)
      for (const name of IDS) {
        const ids = rows.map((row) => row[name]).filter((id) => typeof id === 'string')
        if (ids.length < MANY) continue
        isJudged = true
        if (!commonIn(ids).some((number) => number.endsWith(ending))) continue
        const message = `each ${name} of an account holds the number of its card`
        const actual = `the card that ends in ${ending}`
        return [{ message, expected: 'ids that do not contain the card number', actual }]
      }
    }
    return isJudged ? [] : undefined
  },
)

/** Card numbers that each of these texts has somewhere in a run of digits. */
function commonIn([first = '', ...others]: string[]): string[] {
  const runs = first.match(/\d{15,}/g) ?? []
  let common = runs.flatMap(windowsOf).filter(isCardNumber)
  for (const text of others) {
    if (common.length === 0) break
    common = common.filter((number) => text.includes(number))
  }
  return common
}

/** All parts of a run of digits that are as long as a card number. */
function windowsOf(run: string): string[] {
  return [...run].flatMap((_, at) => [run.slice(at, at + 15), run.slice(at, at + 16)])
}
