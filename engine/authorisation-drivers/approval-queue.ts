import { parseRedirect } from '../client/redirect.ts'
import { type Announced, landsAt, ourStop, type VisitEnd, type VisitRequest } from './driver.ts'

/** One approval as the person sees it. */
export interface Entry extends Announced {
  state: 'to come' | 'now' | 'answered' | 'stopped' | 'not done'
}

/** What a person was asked and has answered; the pages show it, and nothing else decides. */
export type Desk = ReturnType<typeof createApprovalQueue>

export interface Question {
  /** Counted with the visits. */
  number: number
  text: string
}

export interface OpenVisit {
  /** 1, 2, … */
  number: number
  request: VisitRequest
  /** An address without its end was pasted, and told. */
  cutOff?: string
  /** An answer that does not look like this visit's: the person decides. */
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
  const visits = createAsking<OpenVisit, VisitEnd>(changed)
  const questions = createAsking<Question, string | undefined>(changed)

  return {
    /** Approvals that the run needs, in order; those that were not announced come as they come. */
    entries: entries as readonly Entry[],
    /** Counts changes: a page that shows an older one is out of date. */
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
    /** Asks for one visit; settles when it is answered, or after so many milliseconds. */
    async ask(request: VisitRequest, patience: number): Promise<VisitEnd> {
      const entry = entryOf(entries, request)
      entry.state = 'now'
      count += 1
      const end = await visits.ask({ number: count, request }, patience, ourStop)
      if (end.kind === 'redirected') entry.state = 'answered'
      else entry.state = end.ours ? 'not done' : 'stopped'
      return end
    },
    /** An address that a person pasted: one that was cut off is told before it is taken for an answer. */
    paste(address: string): { taken: boolean; words: string } {
      const open = visits.now
      if (!open || open.cutOff === address || !isCutOff(address, open.request)) {
        return this.arrive(address)
      }
      open.cutOff = address
      return { taken: false, words: CUT_OFF }
    },
    /** An address at which a browser arrived or that was pasted. */
    arrive(address: string): { taken: boolean; words: string } {
      const open = visits.now
      if (!open) return { taken: false, words: 'No approval is open now. Nothing was taken.' }
      const why = doubtOf(address, open.request)
      if (why !== undefined) {
        open.doubtful = { address, why }
        changed()
        const words = `Not taken: ${why}. The page of approvals asks what to do with it.`
        return { taken: false, words }
      }
      visits.answer({ kind: 'redirected', url: address, pages: [] })
      return { taken: true, words: 'Taken. This page may be closed; go on at the approvals.' }
    },
    /** Whether the address that is doubtful is to be judged all the same. */
    settle(all: boolean) {
      const open = visits.now
      if (!open?.doubtful) return
      const { address: url } = open.doubtful
      if (all) return visits.answer({ kind: 'redirected', url, pages: [] })
      open.doubtful = undefined
      changed()
    },
    /** The bank's pages end without a way on, or the person gives the visit up. */
    give: visits.answer,
    /** Approvals of these names were given before. */
    done(names: string[]) {
      for (const entry of entries) if (names.includes(entry.name)) entry.state = 'answered'
      changed()
    },
    /** Asks for something to be done at the bank; why it was not, undefined when it was. */
    inquire(text: string, patience: number): Promise<string | undefined> {
      count += 1
      return questions.ask({ number: count, text }, patience, (why) => why)
    },
    /** The question is settled: undefined when it was done, else why not. */
    reply: questions.answer,
  }
}

/** What a person is asked, one at a time; `changed` is told when that begins and when it ends. */
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
    /** Settles when it is answered, or with what `late` makes of it after so many milliseconds. */
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

/** Is this the redirect URI alone, as some browsers and apps show it? */
function isCutOff(address: string, request: VisitRequest): boolean {
  if (address.includes('#') || !landsAt(address, request)) return false
  return parseRedirect(address)?.mode === undefined
}

/** Why an address may not be the answer of this visit; undefined when it is. */
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

/** The announced entry of a visit, or a new one behind those that are done. */
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
