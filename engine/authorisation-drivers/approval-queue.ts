import { parseRedirect } from '../client/redirect.ts'
import { type Announced, landsAt, ourStop, type VisitEnd, type VisitRequest } from './driver.ts'

/** One approval as the person sees it. */
export interface Entry extends Announced {
  state: 'to come' | 'now' | 'answered' | 'stopped' | 'not done'
}

/** What a person was asked and answered. The pages show this state. */
export type Desk = ReturnType<typeof createApprovalQueue>

export interface Question {
  /** Numbered together with the visits. */
  number: number
  text: string
}

export interface OpenVisit {
  /** 1, 2, … */
  number: number
  request: VisitRequest
  /** An address without its end that was pasted; the person was told. */
  cutOff?: string
  /** An answer that does not seem to belong to this visit: the person decides. */
  doubtful?: { address: string; why: string }
}

/** Opens the queue of one run. */
export function createApprovalQueue(announced: Announced[]) {
  const entries: Entry[] = announced.map((each) => ({ ...each, state: 'to come' }))
  let version = 1
  let count = 0
  const changed = () => {
    version += 1
  }
  const presence = createPresence()
  const visits = createAsking<OpenVisit, VisitEnd>(changed)
  const questions = createAsking<Question, string | undefined>(changed)

  return {
    /** Approvals that the run needs, in order. Those that were not announced are inserted when they are requested. */
    entries: entries as readonly Entry[],
    /** Counts changes: a page that shows an older version is out of date. */
    get version() {
      return version
    },
    /** The visit that is open, if any. */
    get open() {
      return visits.now
    },
    /** What somebody at the bank is asked to do, if anything. */
    get question() {
      return questions.now
    },
    /** Notes that a person opened the page, or answered. */
    attend: presence.attend,
    /** Why nobody is asked; undefined while that makes sense. */
    get deserted() {
      return presence.deserted
    },
    /** Asks for one visit; resolves when it is answered, or after `patience` milliseconds. */
    async ask(request: VisitRequest, patience: number): Promise<VisitEnd> {
      const entry = entryOf(entries, request)
      entry.state = 'now'
      count += 1
      const asked = { number: count, request }
      const end = await visits.ask(asked, patience, (why) => ourStop(presence.late(why)))
      if (end.kind === 'redirected') entry.state = 'answered'
      else entry.state = end.ours ? 'not done' : 'stopped'
      return end
    },
    /** Takes an address that a person pasted. If it was cut off, tells the person before it accepts the address. */
    paste(address: string): { taken: boolean; words: string } {
      const open = visits.now
      if (!open || open.cutOff === address || !isCutOff(address, open.request)) {
        return this.arrive(address)
      }
      open.cutOff = address
      return { taken: false, words: CUT_OFF }
    },
    /** Takes an address that a browser arrived at or that was pasted. */
    arrive(address: string): { taken: boolean; words: string } {
      const open = visits.now
      if (!open) return { taken: false, words: 'No approval is open now. Nothing was accepted.' }
      const why = doubtOf(address, open.request)
      if (why !== undefined) {
        open.doubtful = { address, why }
        changed()
        const words = `Not accepted: ${why}. The page of approvals asks what to do with it.`
        return { taken: false, words }
      }
      visits.answer({ kind: 'redirected', url: address, pages: [] })
      return {
        taken: true,
        words: 'Accepted. You can close this page; continue on the page of approvals.',
      }
    },
    /** Decides whether the doubtful address is judged anyway. */
    settle(all: boolean) {
      const open = visits.now
      if (!open?.doubtful) return
      const { address: url } = open.doubtful
      if (all) return visits.answer({ kind: 'redirected', url, pages: [] })
      open.doubtful = undefined
      changed()
    },
    /** Ends the visit: the bank's pages have no way on, or the person stops the visit. */
    give: visits.answer,
    /** Marks approvals with these names as given before. */
    done(names: string[]) {
      for (const entry of entries) if (names.includes(entry.name)) entry.state = 'answered'
      changed()
    },
    /** Asks for an action at the bank; resolves to why it was not done, or undefined if it was. */
    inquire(text: string, patience: number): Promise<string | undefined> {
      count += 1
      return questions.ask({ number: count, text }, patience, presence.late)
    },
    /** Settles the question: undefined if the action was done, otherwise why not. */
    reply: questions.answer,
  }
}

/** Where nobody was ever there, nobody will be: a run in a pipeline would wait for each of its visits. */
function createPresence() {
  let attended = false
  let deserted: string | undefined
  return {
    attend() {
      attended = true
    },
    get deserted() {
      return attended ? undefined : deserted
    },
    /** The time for an answer is over. */
    late(why: string): string {
      deserted = `${why} or opened the page of approvals: nobody is asked until somebody opens it`
      return why
    },
  }
}

/** Asks a person one thing at a time; `changed` is called when that begins and when it ends. */
function createAsking<Asked, Answer>(changed: () => void) {
  let now: Asked | undefined
  let settle: (answer: Answer) => void = () => {}

  const answer = (given: Answer) => {
    if (now === undefined) return
    now = undefined
    changed()
    settle(given)
  }

  return {
    /** What is asked at present, if anything. */
    get now() {
      return now
    },
    answer,
    /** Resolves when it is answered; after `patience` milliseconds, to the result of `late`. */
    async ask(asked: Asked, patience: number, late: (why: string) => Answer): Promise<Answer> {
      now = asked
      changed()
      const why = `nobody answered within ${patience / 1000} s`
      const timer = setTimeout(() => answer(late(why)), patience)
      const given = await new Promise<Answer>((resolve) => {
        settle = resolve
      })
      clearTimeout(timer)
      return given
    },
  }
}

/** What to do about an address whose end is missing. */
export const CUT_OFF =
  'This address ends before its # part, which holds the answer. Click into the address bar of the browser that came back, select all of it (Ctrl+A, on a phone: hold, Select all), copy it and paste it here again. If the bank really sent no more, press Take this address twice.'

/** True if this is only the redirect URI, as some browsers and apps show it. */
function isCutOff(address: string, request: VisitRequest): boolean {
  if (address.includes('#') || !landsAt(address, request)) return false
  return parseRedirect(address)?.mode === undefined
}

/** Why an address may not be the answer of this visit; undefined if it is. */
function doubtOf(address: string, request: VisitRequest): string | undefined {
  const redirect = parseRedirect(address)
  if (!redirect || !/^https?:/.test(address)) return 'it is not an address'
  if (!landsAt(address, request)) return 'it is not at a redirect URI of this visit'
  if (redirect.mode === undefined) return 'it carries neither a code nor an error'
  const expected = request.about.visit?.state
  if (redirect.state === expected) return undefined
  if (redirect.state === undefined) return 'it carries no state, and one was sent'
  if (expected === undefined) return 'it carries a state, and none is expected'
  return 'its state is not the one that was sent: it may belong to another visit'
}

/** The announced entry of a visit, or a new one after those that are done. */
function entryOf(entries: Entry[], request: VisitRequest): Entry {
  const { purpose, customerName, decision, about } = request
  const [name = '', ...rest] = purpose.split(':')
  const known = entries.find((each) => each.state === 'to come' && each.name === name)
  if (known) return known
  const { client = 'first' } = about
  const words = rest.join(':').trim()
  const asked = { name, purpose: words, customer: customerName, client, decision }
  const entry: Entry = { ...asked, serves: 0, state: 'to come' }
  const next = entries.findIndex(({ state }) => state === 'to come')
  entries.splice(next < 0 ? entries.length : next, 0, entry)
  return entry
}
