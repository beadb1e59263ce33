import { charactersOf } from '../judge/secret-texts.ts'
import type { Exchange } from '../wire/exchange.ts'
import { isRedacted, type Judgeable, type Lack, mayHoldRedacted } from './recorded.ts'

/** Called when something is read that the recording lacks. */
export type Note = (lack: Lack) => void

/** For each body, the names of members whose values are redacted. */
export type RedactedNames = WeakMap<object, ReadonlySet<string>>

/**
 * An exchange as rules read it. Reading anything that the recording lacks calls `note`, so that a judgement which
 * depends on it does not count: there is no list of what each rule needs.
 */
export function viewOf({ exchange, lacks }: Judgeable, note: Note, names: RedactedNames): Exchange {
  const { request, response } = exchange
  const about = withTraps(exchange.about, note) as Exchange['about']
  const view: Exchange = {
    ...exchange,
    about: about === exchange.about ? { ...about } : about,
    request: { ...request, headers: headersOf(request.headers, note) },
    ...(response && { response: { ...response, headers: headersOf(response.headers, note) } }),
  }
  const { body } = request
  // A registration is one JWT; in a form, redacted fields are separate.
  if (body?.startsWith('<') && isRedacted(body)) {
    trap(view.request, 'body', () => note('a value that is redacted'), body)
  }
  const json = response?.json
  if (typeof json === 'object' && json !== null && isRedactedIn(json, response)) {
    const found = new Set<string>()
    const trapped = withTraps(json, note, found) as object
    Object.assign(view.response as object, { json: trapped })
    if (found.size > 0) names.set(trapped, found)
  }
  for (const lack of lacks) TRAPS[lack]?.(view, () => note(lack))
  return view
}

/** Equal bodies are one object. */
const redactedBodies = new WeakMap<object, boolean>()

/** For a large body only its beginning is available as text. */
function isRedactedIn(json: object, response: Exchange['response']): boolean {
  const before = redactedBodies.get(json)
  if (before !== undefined) return before
  const may = response?.digest !== undefined || mayHoldRedacted(response?.body ?? '')
  const found = may && holdsRedacted(json)
  redactedBodies.set(json, found)
  return found
}

type Trap = (view: Exchange, note: () => void) => void

/** Notes when a member is read; it still returns `value`. */
function trap(holder: object | undefined, name: PropertyKey, note: () => void, value?: unknown) {
  if (!holder) return
  const get = () => {
    note()
    return value
  }
  Object.defineProperty(holder, name, { get, enumerable: value !== undefined, configurable: true })
}

/** The traps for each thing that a recording lacks. */
const TRAPS: Partial<Record<Lack, Trap>> = {
  'the client certificate': (view, note) => trap(view, 'connection', note, { identity: 'unknown' }),
  'the consent behind the access token': ({ about }, note) => trap(about, 'consent', note),
  'the authorisation request of the customer': ({ about }, note) => trap(about, 'visit', note),
  'the first ID token of the approval': ({ about }, note) => trap(about, 'idToken', note),
  'the registration of the client': ({ about }, note) => {
    if (about.registered) trap(about.registered, 'scope', note)
    else trap(about, 'registered', note)
  },
  'what became of a refused access token': ({ about }, note) => trap(about, 'instead', note),
  'what the consent allows': ({ about }, note) => {
    const { consent } = about
    if (!consent) return
    about.consent = { ...consent }
    for (const name of ['permissions', 'expiration', 'transactionFrom', 'transactionTo']) {
      trap(about.consent, name, note, name === 'permissions' ? [] : undefined)
    }
  },
  'what no visit between two requests has changed': ({ about }, note) => {
    const { consent } = about
    if (!consent) return
    about.consent = { ...consent }
    if (consent.expiration === undefined) trap(about.consent, 'expiration', note)
    const whole = consent.transactionFrom !== undefined && consent.transactionTo !== undefined
    for (const name of whole ? [] : (['transactionFrom', 'transactionTo'] as const)) {
      trap(about.consent, name, note, consent[name])
    }
  },
  'all headers of the request': ({ request }, note) => {
    request.headers = [...request.headers, unknownHeader(note)]
  },
  'all headers of the response': ({ response }, note) => {
    if (response) response.headers = [...response.headers, unknownHeader(note)]
  },
  'the whole body of the request': ({ request }, note) => trap(request, 'body', note),
  'the whole body of the response': ({ response }, note) => {
    for (const name of ['json', 'body', 'bytes', 'repeated', 'notUtf8']) trap(response, name, note)
  },
  'a clock that agrees with the bank’s': (view, note) =>
    trap(view, 'startedAt', note, view.startedAt),
}

/** Comes after the logged headers: code that reads it has not found its header, which may have been sent. */
function unknownHeader(note: () => void): [string, string] {
  const header: [string, string] = ['', '']
  trap(header, 0, note, '')
  return header
}

function headersOf(headers: [string, string][], note: Note): [string, string][] {
  if (!headers.some(([, value]) => isRedacted(value))) return headers
  return headers.map(([name, value]) => {
    const header: [string, string] = [name, value]
    if (isRedacted(value)) trap(header, 1, () => note('a value that is redacted'), value)
    return header
  })
}

/** A copy that notes when a redacted string is read; the value itself if nothing is redacted. */
function withTraps(value: unknown, note: Note, found?: Set<string>): unknown {
  if (typeof value !== 'object' || value === null || !holdsRedacted(value)) return value
  const copy: object = Array.isArray(value) ? [] : {}
  for (const [name, member] of Object.entries(value)) {
    if (typeof member === 'string' && isRedacted(member)) {
      found?.add(name)
      const noted = () => note('a value that is redacted')
      if (isOpaque(name, value)) {
        Reflect.set(copy, name, member)
        trap(copy, charactersOf(name), noted)
        continue
      }
      trap(copy, name, noted, member)
    } else {
      Reflect.set(copy, name, withTraps(member, note, found))
    }
  }
  return copy
}

function holdsRedacted(value: unknown): boolean {
  if (typeof value === 'string') return isRedacted(value)
  return typeof value === 'object' && value !== null && Object.values(value).some(holdsRedacted)
}

/** The characters of tokens have no meaning: their presence is enough, if no ID token beside them has their hash. */
function isOpaque(name: string, beside: object): boolean {
  if (name !== 'access_token' && name !== 'refresh_token') return false
  const idToken: unknown = Reflect.get(beside, 'id_token')
  return typeof idToken !== 'string' || isRedacted(idToken)
}
