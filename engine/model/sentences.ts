import type { DataEndpoint } from '../wire/exchange.ts'
import type { Move, Published } from './moves.ts'
import {
  consentOf,
  familyOf,
  hasNews,
  isForeign,
  isRevoked,
  isWaiting,
  opens,
  reads,
  stands,
} from './standing.ts'
import { type ConsentState, setOf, type World } from './world.ts'

/** What a sentence requires of the answer to a move. */
export type Lawful =
  /** The bank does what is requested; with this status where the document names one. */
  | { answer: 'given'; status?: number; shows?: 'AwaitingAuthorisation' | 'Revoked' }
  | { answer: 'refused' }

/** What a requirement of specs/ says about a move in a world. */
export type Obligation = Lawful & { requirement: string }

type Of<Kind extends Move['do']> = Extract<Move, { do: Kind }>

/** A row of the table: its condition, and what it requires then. */
interface Sentence<Kind extends Move['do']> {
  requirement: string
  when(world: World, move: Of<Kind>): boolean
  asks: Lawful
}

const given = (more: Omit<Lawful & { answer: 'given' }, 'answer'> = {}): Lawful => ({
  answer: 'given',
  ...more,
})
const CREATED = given({ status: 201, shows: 'AwaitingAuthorisation' })
const REFUSED: Lawful = { answer: 'refused' }

/**
 * What the document says about a move, depending on earlier moves: the first row whose condition is true applies. If
 * there is none, no sentence speaks, and any answer is lawful. So there is no row for what may be refused for a reason
 * that the document leaves open (a waiting consent that is not the newest, AMB-43, a combination of permissions,
 * AMB-13, the meaning of a denial, the meaning of ninety days except for data).
 */
const SENTENCES: { [Kind in Move['do']]: readonly Sentence<Kind>[] } = {
  create: [
    {
      // "TransactionFromDateTime | no", "TransactionToDateTime | no"
      requirement: 'CONS-14',
      when: (world, { permissions, fromDays, toDays }) =>
        (fromDays ?? toDays) !== undefined && world.taken.has(setOf(permissions)),
      asks: CREATED,
    },
    {
      // "ExpirationDateTime | no"
      requirement: 'CONS-13',
      when: (world, { permissions, expiresInDays }) =>
        expiresInDays !== undefined && world.taken.has(setOf(permissions)),
      asks: CREATED,
    },
    {
      // "Response 201 carries ConsentId."
      requirement: 'CONS-01',
      when: (world, { permissions }) => world.taken.has(setOf(permissions)),
      asks: CREATED,
    },
  ],
  'create-funds': [{ requirement: 'FCC-01', when: () => true, asks: given({ status: 201 }) }],
  query: [
    {
      // "one owned by another client, gives an error response"
      requirement: 'SEC-05',
      when: (world, move) => consentOf(world, move)?.client !== move.client,
      asks: REFUSED,
    },
    {
      // "the TPP can no longer query it"
      requirement: 'CLC-03',
      when: (world, move) => consentOf(world, move)?.end?.how === 'deleted',
      asks: REFUSED,
    },
    {
      // "the TPP can still query the consent and sees Revoked"
      requirement: 'CLC-10',
      when: (world, move) => {
        return isRevoked(world, consentOf(world, move))
      },
      asks: given({ shows: 'Revoked' }),
    },
    {
      // "Query: allowed for a consent owned by the caller"
      requirement: 'CONS-22',
      when: (world, move) => {
        const consent = consentOf(world, move)
        return isWaiting(world, consent) && !hasNews(consent)
      },
      asks: given({ shows: 'AwaitingAuthorisation' }),
    },
    {
      requirement: 'CONS-22',
      when: (world, move) => stands(world, consentOf(world, move)),
      asks: given(),
    },
  ],
  delete: [
    {
      // "deleting a consent owned by another client gives an error response"
      requirement: 'CLC-08',
      when: (world, move) => isForeign(world, move, 'account-access'),
      asks: REFUSED,
    },
    {
      requirement: 'FCC-14',
      when: (world, move) => isForeign(world, move, 'funds-confirmation'),
      asks: REFUSED,
    },
    {
      // "any | TPP DELETE of the consent"
      requirement: 'CLC-01',
      when: (world, move) => {
        const consent = consentOf(world, move)
        const known = isRevoked(world, consent) || stands(world, consent)
        return consent?.kind === 'account-access' && known
      },
      asks: given({ status: 204 }),
    },
    {
      requirement: 'FCC-12',
      when: (world, move) => {
        const consent = consentOf(world, move)
        return consent?.kind === 'funds-confirmation' && stands(world, consent)
      },
      asks: given({ status: 204 }),
    },
  ],
  approve: [
    {
      requirement: 'AUTHZ-14',
      when: (world, move) => consentOf(world, move)?.client !== move.client,
      asks: REFUSED,
    },
    {
      requirement: 'AUTHZ-15',
      when: (world, move) => {
        const how = consentOf(world, move)?.end?.how
        return how === 'deleted' || how === 'revoked'
      },
      asks: REFUSED,
    },
    {
      requirement: 'AUTHZ-30',
      when: (world, move) => {
        const consent = consentOf(world, move)
        const { customer } = consent?.approval ?? {}
        return customer !== undefined && customer !== move.customer && stands(world, consent)
      },
      asks: REFUSED,
    },
    {
      // "by using the existing intent ID in a request to the authorisation endpoint"
      requirement: 'AUTHZ-16',
      when: (world, move) => {
        const consent = consentOf(world, move)
        return consent?.approval !== undefined && stands(world, consent)
      },
      asks: given(),
    },
    {
      // "On success the URL fragment carries an authorisation code"
      requirement: 'AUTHZ-01',
      when: (world, move) => {
        const consent = consentOf(world, move)
        return isWaiting(world, consent) && opens(consent, 'accounts') && opens(consent, 'balances')
      },
      asks: given(),
    },
  ],
  deny: [
    {
      requirement: 'AUTHZ-21',
      // It is not shown whether a customer who confirms again is asked for more than who they are.
      when: (world, move) => consentOf(world, move)?.approval === undefined,
      asks: REFUSED,
    },
  ],
  exchange: [
    {
      requirement: 'TOK-35',
      when: ({ codes }, { code, client }) => codes.get(code)?.client !== client,
      asks: REFUSED,
    },
    {
      requirement: 'TOK-14',
      when: ({ codes }, { code }) => codes.get(code)?.used === true,
      asks: REFUSED,
    },
    {
      // "exchange the resulting code for an access token"
      requirement: 'TOK-03',
      when: (world, { code }) => {
        const { consent: name = '', sent } = world.codes.get(code) ?? {}
        const consent = world.consents.get(name)
        return sent === false && consent?.approval?.code === code && stands(world, consent)
      },
      asks: given(),
    },
  ],
  refresh: [
    {
      requirement: 'TOK-13',
      when: (world, move) => consentOf(world, move)?.client !== move.client,
      asks: REFUSED,
    },
    {
      // "An expired access token is replaced through a refresh_token grant to the token endpoint."
      requirement: 'TOK-22',
      when: (world, move) => {
        const consent = consentOf(world, move)
        return consent?.tokens?.refreshable === true && stands(world, consent)
      },
      asks: given(),
    },
  ],
  read: [
    {
      // "Access with tokens tied to the consent is rejected"
      requirement: 'CLC-04',
      when: (world, move) => consentOf(world, move)?.end?.how === 'deleted',
      asks: REFUSED,
    },
    {
      // "Access using tokens tied to the consent is rejected"
      requirement: 'CLC-11',
      when: (world, move) => consentOf(world, move)?.end?.how === 'revoked',
      asks: REFUSED,
    },
    {
      // "Time after which the consent is no longer valid."
      requirement: 'CLC-16',
      when: (world, move) => consentOf(world, move)?.end?.how === 'expired',
      asks: REFUSED,
    },
    {
      // "The customer must re-confirm consent at least every 90 days"
      requirement: 'CLC-18',
      when: (world, move) => consentOf(world, move)?.lapsed === true,
      asks: REFUSED,
    },
    {
      // "Seconds until the token expires."
      requirement: 'TOK-21',
      when: (world, move) => !move.older && consentOf(world, move)?.tokens?.expired === true,
      asks: REFUSED,
    },
    {
      // "GET /accounts and GET /accounts/{AccountId} need a consent created with ..."
      requirement: 'ACC-11',
      when: (world, move) =>
        familyOf(move.what) === 'accounts' && !opens(consentOf(world, move), 'accounts'),
      asks: REFUSED,
    },
    {
      // "Transaction endpoints need a consent with ..."
      requirement: 'TXN-14',
      when: (world, move) =>
        familyOf(move.what) === 'transactions' && !opens(consentOf(world, move), 'transactions'),
      asks: REFUSED,
    },
    ...Object.entries({
      accounts: 'ACC-01',
      account: 'ACC-02',
      balances: 'BAL-01',
      'account-balances': 'BAL-02',
      transactions: 'TXN-01',
      'account-transactions': 'TXN-02',
    } satisfies Record<DataEndpoint, string>).map(([what, requirement]) => ({
      requirement,
      when: (world: World, move: Of<'read'>) => {
        const consent = consentOf(world, move)
        const { approval, tokens } = consent ?? {}
        const newest = !move.older && tokens !== undefined && tokens.code === approval?.code
        return move.what === what && newest && stands(world, consent) && reads(consent, move.what)
      },
      asks: given(),
    })),
  ],
  'at-once': [],
  fact: [],
  // The table with the wrong value's row says what the value breaks.
  wrong: [],
  look: Object.entries({
    discovery: 'DISC-01',
    jwks: 'DISC-10',
    products: 'PROD-01',
  } satisfies Record<Published, string>).map(([at, requirement]) => ({
    requirement,
    when: (_: World, move: Of<'look'>) => move.at === at,
    asks: given(),
  })),
}

/** What the documents say about the answer to a move; undefined: any answer is lawful. */
export function obligationOf(world: World, move: Move): Obligation | undefined {
  if (move.do === 'wrong') return { requirement: move.check, answer: 'refused' }
  const rows = SENTENCES[move.do] as readonly Sentence<Move['do']>[]
  const row = rows.find(({ when }) => when(world, move as never))
  if (!row) return undefined
  return { requirement: row.requirement, ...row.asks }
}

/**
 * The requirement that a wrong answer breaks: that of an event that should have left the consent unchanged, if it
 * happened since the bank last did what the move requests.
 *
 * @param served the moment at which the bank last did the same for this consent, 0 if never
 */
export function requirementOf(
  { requirement, answer }: Obligation,
  consent: ConsentState | undefined,
  served: number,
): string {
  const { disturbed } = consent ?? {}
  const isIt = answer === 'given' && disturbed !== undefined && disturbed.at > served && served > 0
  return isIt ? disturbed.requirement : requirement
}

/** All requirements in the table. */
export const REQUIREMENTS: readonly string[] = [
  ...new Set(
    Object.values(SENTENCES).flatMap((rows) =>
      (rows as readonly Sentence<Move['do']>[]).map(({ requirement }) => requirement),
    ),
  ),
]
