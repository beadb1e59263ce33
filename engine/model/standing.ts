import type { DataEndpoint } from '../wire/exchange.ts'
import type { Move } from './moves.ts'
import type { ConsentState, World } from './world.ts'

/** The consent that a move names. */
export function consentOf({ consents }: World, { consent }: { consent: string }) {
  return consents.get(consent)
}

/** True if another client tries to delete a consent of this kind. */
export function isForeign(
  world: World,
  move: Extract<Move, { do: 'delete' }>,
  kind: ConsentState['kind'],
): boolean {
  const consent = consentOf(world, move)
  return consent?.kind === kind && consent.client !== move.client
}

/** True if only its creation is known, and it is its client's newest waiting consent. */
export function isWaiting(
  world: World,
  consent: ConsentState | undefined,
): consent is ConsentState {
  if (!consent || consent.approval || consent.end || consent.unclear) return false
  return isNewest(world, consent)
}

/** True if an event should have left it unchanged. That requirement judges what the consent then shows. */
export const hasNews = ({ disturbed }: ConsentState) => disturbed !== undefined

/** A newer consent of a client may replace a waiting one, and one for the same card. */
function isNewest({ consents }: World, { kind, client, created }: ConsentState): boolean {
  return ![...consents.values()].some(
    (other) => other.kind === kind && other.client === client && other.created > created,
  )
}

/**
 * True if a consent must be valid whatever freedoms the bank uses. An approved consent is valid if its customer has
 * approved nothing else for the client since (AMB-43); any other one if it is the newest.
 */
export function stands(world: World, consent: ConsentState | undefined): consent is ConsentState {
  if (!consent || consent.end || consent.unclear || consent.lapsed) return false
  return consent.approval ? !isReplaced(world, consent) : isNewest(world, consent)
}

/** True if its customer has since approved something else for its client: the bank may then have ended it (AMB-43). */
function isReplaced({ consents }: World, { client, approval }: ConsentState): boolean {
  return [...consents.values()].some(
    (other) =>
      other.client === client &&
      other.approval !== undefined &&
      other.approval.customer === approval?.customer &&
      other.approval.at > approval.at,
  )
}

/** True if the customer who approved it revoked it, and nothing else may have ended it before. */
export function isRevoked(world: World, consent: ConsentState | undefined): boolean {
  if (consent?.end?.how !== 'revoked' || consent.unclear) return false
  return consent.approval !== undefined && !isReplaced(world, consent)
}

type Family = 'accounts' | 'balances' | 'transactions'

const FAMILIES: Record<DataEndpoint, Family> = {
  accounts: 'accounts',
  account: 'accounts',
  balances: 'balances',
  'account-balances': 'balances',
  transactions: 'transactions',
  'account-transactions': 'transactions',
}

/** The kind of data of an endpoint, for all accounts or for one. */
export const familyOf = (what: DataEndpoint): Family => FAMILIES[what]

const WORDS: Record<Family, string[]> = {
  accounts: ['ReadAccountsBasic', 'ReadAccountsDetail'],
  balances: ['ReadBalances'],
  transactions: ['ReadTransactionsBasic', 'ReadTransactionsDetail'],
}

/** True if the consent has a permission for this kind of data. */
export function opens(consent: ConsentState | undefined, family: Family): boolean {
  return WORDS[family].some((name) => consent?.permissions.includes(name))
}

/** True if the documents promise this read. What balances need is not known; other data may need accounts too. */
export function reads(consent: ConsentState, what: DataEndpoint): boolean {
  return opens(consent, familyOf(what)) && opens(consent, 'accounts')
}
