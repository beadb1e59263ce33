import type { DataEndpoint } from '../wire/exchange.ts'
import type { Move } from './moves.ts'
import type { ConsentState, World } from './world.ts'

/** The consent that a move names. */
export function consentOf({ consents }: World, { consent }: { consent: string }) {
  return consents.get(consent)
}

/** Does another client try to delete a consent of this kind? */
export function isForeign(
  world: World,
  move: Extract<Move, { do: 'delete' }>,
  kind: ConsentState['kind'],
): boolean {
  const consent = consentOf(world, move)
  return consent?.kind === kind && consent.client !== move.client
}

/** Does nobody know more of it than that it was created, and is it the newest of its client that waits? */
export function isWaiting(
  world: World,
  consent: ConsentState | undefined,
): consent is ConsentState {
  if (!consent || consent.approval || consent.end || consent.unclear) return false
  return isNewest(world, consent)
}

/** Did something happen that is to leave it as it was? Then what it shows is judged where the end of that is. */
export const hasNews = ({ disturbed }: ConsentState) => disturbed !== undefined

/** A newer consent of a client may take the place of one that waits, and of one for the same card. */
function isNewest({ consents }: World, { kind, client, created }: ConsentState): boolean {
  return ![...consents.values()].some(
    (other) => other.kind === kind && other.client === client && other.created > created,
  )
}

/**
 * Does a consent stand, whatever the bank's freedoms? What was approved stands where its customer approved nothing
 * else for the client since (AMB-43); what was not, where it is the newest.
 */
export function stands(world: World, consent: ConsentState | undefined): consent is ConsentState {
  if (!consent || consent.end || consent.unclear || consent.lapsed) return false
  return consent.approval ? !isReplaced(world, consent) : isNewest(world, consent)
}

/** Did its customer approve something else for its client since? Then the bank may have ended it (AMB-43). */
function isReplaced({ consents }: World, { client, approval }: ConsentState): boolean {
  return [...consents.values()].some(
    (other) =>
      other.client === client &&
      other.approval !== undefined &&
      other.approval.customer === approval?.customer &&
      other.approval.at > approval.at,
  )
}

/** Did the customer who approved it revoke it, and may nothing else have ended it before? */
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

/** What an endpoint gives, of all accounts or of one. */
export const familyOf = (what: DataEndpoint): Family => FAMILIES[what]

const WORDS: Record<Family, string[]> = {
  accounts: ['ReadAccountsBasic', 'ReadAccountsDetail'],
  balances: ['ReadBalances'],
  transactions: ['ReadTransactionsBasic', 'ReadTransactionsDetail'],
}

/** Does the consent hold a permission for this family? */
export function opens(consent: ConsentState | undefined, family: Family): boolean {
  return WORDS[family].some((name) => consent?.permissions.includes(name))
}

/** Is it promised to read this? Which permission the balances need is not shown; others may need accounts too. */
export function reads(consent: ConsentState, what: DataEndpoint): boolean {
  return opens(consent, familyOf(what)) && opens(consent, 'accounts')
}
