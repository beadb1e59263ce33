import { DATA_PERMISSIONS } from '../client-session/consent.ts'
import { isVisit, type Move, type Party } from './moves.ts'

/** A moment of a history: the number of the move, starting at 1. */
export type Moment = number

/** What is known about a consent. */
export interface ConsentState {
  name: string
  kind: 'account-access' | 'funds-confirmation'
  client: Party
  permissions: readonly string[]
  /** True if it has an ExpirationDateTime. */
  expires?: true
  created: Moment
  end?: { how: End; at: Moment }
  /** Ninety days have passed since its customer confirmed it. */
  lapsed?: true
  /** Who approved it last, and when. */
  approval?: { customer: Party; at: Moment; code: string }
  /** Its newest tokens. */
  tokens?: TokensState
  /** Something happened to it whose effect no sentence describes: nothing is promised any more. */
  unclear: boolean
  /** Something happened that must leave it unchanged: the requirement that says so. */
  disturbed?: { requirement: string; at: Moment }
}

/** How a consent ended. */
export type End = 'deleted' | 'revoked' | 'expired'

export interface TokensState {
  /** The code for which they were issued. */
  code: string
  at: Moment
  /** True if there is a refresh token that was not exchanged yet. */
  refreshable: boolean
  /** True if the access token has expired. */
  expired?: true
}

/** A code from a visit. */
export interface CodeState {
  name: string
  consent: string
  client: Party
  customer: Party
  at: Moment
  /** True if it was sent to the token endpoint. If another client sent it, its own may or may not still use it. */
  sent: boolean
  /** True if it gave tokens. */
  used: boolean
}

/** The state that a history has led to. */
export interface World {
  moment: Moment
  consents: ReadonlyMap<string, ConsentState>
  codes: ReadonlyMap<string, CodeState>
  /** Sets of permissions that the bank accepted, as strings. */
  taken: ReadonlySet<string>
}

export const setOf = (permissions: readonly string[]): string => [...permissions].sort().join(' ')

export const NOTHING: World = {
  moment: 0,
  consents: new Map(),
  codes: new Map(),
  // A bank that accepts no consent for all data at all breaks CONS-01.
  taken: new Set([setOf(DATA_PERMISSIONS)]),
}

/** The outcome of a move: `given` what was requested, refused, or unknown. */
export type Outcome = 'given' | 'refused' | 'unknown'

/** A move and its outcome. */
export interface Happened {
  move: Move
  outcome: Outcome
  /** True if the given tokens include a refresh token. */
  refreshable?: boolean
}

/** The world after one more move. */
export function after(world: World, happened: Happened): World {
  const moment = world.moment + 1
  const next: Draft = {
    moment,
    consents: new Map(world.consents),
    codes: new Map(world.codes),
    taken: new Set(world.taken),
  }
  CHANGES[happened.move.do](next, happened as never)
  return next
}

interface Draft extends World {
  consents: Map<string, ConsentState>
  codes: Map<string, CodeState>
  taken: Set<string>
}

type Change<Kind extends Move['do']> = (
  world: Draft,
  happened: Happened & { move: Extract<Move, { do: Kind }> },
) => void

/** How each move changes the world. */
const CHANGES: { [Kind in Move['do']]: Change<Kind> } = {
  create(world, { move: { consent, client, permissions, expiresInDays }, outcome }) {
    if (outcome !== 'given') return
    const created = world.moment
    const kind = 'account-access'
    world.taken.add(setOf(permissions))
    world.consents.set(consent, {
      ...{ name: consent, kind, client, permissions, created, unclear: false },
      ...(expiresInDays !== undefined && { expires: true }),
    })
  },
  'create-funds'(world, { move: { consent, client }, outcome }) {
    if (outcome !== 'given') return
    const [created, kind] = [world.moment, 'funds-confirmation'] as const
    world.consents.set(consent, {
      ...{ name: consent, kind, client, permissions: [], created, unclear: false },
    })
  },
  query() {},
  delete(world, { move, outcome }) {
    const consent = world.consents.get(move.consent)
    if (!consent) return
    if (consent.client !== move.client)
      return disturb(world, consent, FOREIGN_DELETION[consent.kind])
    if (outcome === 'refused' || consent.end?.how === 'deleted') return
    if (outcome === 'unknown') return unclear(world, consent)
    ended(world, consent, 'deleted')
  },
  fact(world, { move, outcome }) {
    const consent = world.consents.get(move.consent)
    if (consent && outcome === 'given' && move.fact === 'token-expired') {
      const { tokens } = consent
      if (tokens)
        world.consents.set(consent.name, { ...consent, tokens: { ...tokens, expired: true } })
      return
    }
    if (consent && outcome === 'given' && move.fact === 'ninety-days-passed') {
      world.consents.set(consent.name, { ...consent, lapsed: true })
      return
    }
    // The effect of a revocation on a consent that the TPP deleted is not shown, and nobody can see it.
    if (!consent || outcome === 'refused' || consent.end) return
    if (outcome === 'unknown') return unclear(world, consent)
    ended(world, consent, move.fact === 'customer-revokes' ? 'revoked' : 'expired')
  },
  approve(world, { move, outcome }) {
    const consent = world.consents.get(move.consent)
    if (!consent) return
    const { client, customer, code } = move
    const others = client !== consent.client || isOfAnother(consent, customer)
    if (outcome !== 'given') {
      if (others && outcome === 'refused') return disturb(world, consent, REFUSED_TO_OTHERS)
      return unclear(world, consent)
    }
    const at = world.moment
    world.codes.set(code, {
      name: code,
      consent: consent.name,
      client,
      customer,
      at,
      sent: false,
      used: false,
    })
    world.consents.set(consent.name, {
      ...consent,
      approval: { customer, at, code },
      // What its older tokens give from now on is not shown.
      tokens: undefined,
      lapsed: undefined,
      unclear: others || consent.end !== undefined || consent.unclear,
    })
  },
  deny(world, { move, outcome }) {
    const consent = world.consents.get(move.consent)
    if (!consent) return
    const others = move.client !== consent.client || isOfAnother(consent, move.customer)
    if (others && outcome === 'refused') return disturb(world, consent, REFUSED_TO_OTHERS)
    unclear(world, consent)
  },
  exchange(world, { move, outcome, refreshable = false }) {
    const code = world.codes.get(move.code)
    const consent = world.consents.get(code?.consent ?? '')
    if (!code || !consent) return
    const fresh = !code.sent && code.client === move.client && outcome === 'given'
    world.codes.set(code.name, { ...code, sent: true, used: code.used || fresh })
    if (!fresh) {
      // RFC 6749 4.1.2: using a code twice should end the tokens that were issued for it.
      const { approval, tokens } = consent
      if ([approval?.code, tokens?.code].includes(code.name)) unclear(world, consent)
      return
    }
    const tokens = { code: code.name, at: world.moment, refreshable }
    world.consents.set(consent.name, { ...consent, tokens })
  },
  refresh(world, { move, outcome, refreshable = false }) {
    const consent = world.consents.get(move.consent)
    if (!consent) return
    // It was a token of an earlier approval: what its use does to the newest one, whose code was not exchanged, is open.
    if (!consent.tokens) return unclear(world, consent)
    if (move.client !== consent.client || outcome === 'unknown') return unclear(world, consent)
    const { code } = consent.tokens
    const tokens =
      outcome === 'given'
        ? { code, at: world.moment, refreshable }
        : { ...consent.tokens, refreshable: false }
    world.consents.set(consent.name, { ...consent, tokens })
  },
  read() {},
  'at-once'() {},
  wrong(world, { move }) {
    if (move.in.do === 'exchange') {
      // What is left of a code that was tried with a wrong value is not shown.
      return CHANGES.exchange(world, { move: move.in, outcome: 'refused' })
    }
    const consent = world.consents.get(move.in.consent)
    // A bank that shows the customer a page may have stored something about the consent, and a refresh token that was
    // tried may have become useless. Any other refused request leaves everything unchanged.
    if (consent && (isVisit(move) || move.in.do === 'refresh')) unclear(world, consent)
  },
  look() {},
}

const FOREIGN_DELETION = { 'account-access': 'CLC-08', 'funds-confirmation': 'FCC-14' }
const REFUSED_TO_OTHERS = 'CLC-25'
const END_OF_OTHERS = 'CLC-19'

const isOfAnother = ({ approval }: ConsentState, customer: Party) =>
  approval !== undefined && approval.customer !== customer

function unclear(world: Draft, consent: ConsentState): void {
  world.consents.set(consent.name, { ...consent, unclear: true })
}

function disturb(world: Draft, consent: ConsentState, requirement: string): void {
  const disturbed = { requirement, at: world.moment }
  world.consents.set(consent.name, { ...consent, disturbed })
}

/** Ends a consent; all others must stay unchanged. */
function ended(world: Draft, consent: ConsentState, how: End): void {
  for (const other of world.consents.values()) {
    if (other.name !== consent.name && !other.end) disturb(world, other, END_OF_OTHERS)
  }
  world.consents.set(consent.name, { ...consent, end: { how, at: world.moment } })
}
