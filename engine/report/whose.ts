import { ASSAY } from '../record/program.ts'
import type { Lack } from '../record/words.ts'
import { answer, type Trace } from './evidence-index.ts'
import type { CheckResult, Whose } from './report.ts'

/**
 * Decides who can fix a cause that is not a finding of a check. Only this file decides it: the first matching row
 * counts. A finding of a check is the bank’s, and an error of a check is the suite’s; a lack of data that a finding
 * hides belongs to that finding (`causes.ts`).
 */
export interface Blame {
  title: string
  whose: Whose
  /** What to do next. */
  mend?: string
}

/** What is known about something that was blocked. */
export interface Situation {
  /** `data`: what no answer showed; `environment`: what did not work. */
  kind: Lack | 'environment' | 'other'
  /** The cause in words. */
  what: string
  /** The message of the check itself. */
  message: string
  /** The exchange that blocked it, if any. */
  trace?: Trace
}

/** Parses `data: …`, `freedom: …`, `target: …` and `environment: …`, the form of a judged check's cause. */
export function situationOf({ blockedBy, message }: CheckResult, trace?: Trace): Situation {
  const cause = blockedBy ?? message
  const [, kind = 'other', what = cause] =
    /^(data|freedom|target|recording|environment): (.*)$/s.exec(cause) ?? []
  return { kind: kind as Situation['kind'], what, message, ...(trace && { trace }) }
}

interface Row {
  /** For readers of this table: why the cause belongs to that party. */
  because: string
  fits(situation: Situation): boolean
  title(situation: Situation): string
  whose: Whose
  /** What to do next; absent if nothing has to be done. */
  mend?: string | ((situation: Situation) => string)
}

const itself = ({ what }: Situation) => what
const bySaying = ({ message }: Situation) => message
/** The member of a target file that a text names: `customers.first`. */
export const memberIn = (text: string) =>
  /\b(?:customers|clients|hooks|addresses)(?:\.[\w-]+)+/.exec(text)?.[0]
const isHook = ({ what }: Situation) => what.startsWith('hook ')

/** The fix if a gateway answers instead of the server behind it. */
export const GATEWAY_MEND =
  'Retry later; if it lasts, ask the operators of the gateway: they see which of the two it is.'

/** The fix for a finding, where a bank was judged. */
export const BANK_MEND = 'Ask the bank’s developers to correct it.'

/** The fix if the bank's configuration gives another address than a member of the target file. */
export const endpointMend = (member: string) =>
  addressMend(member, 'ask the bank’s developers to correct its configuration.')

/** The fix if no better one is known. */
export const DOCTOR_MEND = `Run ${ASSAY} doctor with this target, and look at the page of the check in the report.`

/** The fix if Assay itself failed. */
export const SUITE_MEND =
  'Report it with the exchanges of the run (SECURITY.md says what to leave out).'

/** The address of a server about which a text says nothing more; `places-in-file.ts` names the member. */
export const THIS_ADDRESS = 'the address of this server in the target file'

/**
 * The fix if no answer came from an address: first what the reader can examine, then whom to ask.
 *
 * @param address how the reader finds it: members of the target file
 * @param then what to do if the address is right, as a clause: `ask the bank whether it runs.`
 */
export const addressMend = (address: string, then: string) =>
  `First compare ${address} with what the bank gave you, and correct what differs. If nothing differs, ${then}`

/** Start of a cause that is a lack of data. */
export const NO_DATA = 'the customers’ data have nothing to judge this by: '

/** The answer to a request that may have been executed already, when its connection was cut. */
const CUT_BEFORE = /, after a line that was cut$|whose first sending was cut:/

export const ROWS: readonly Row[] = [
  {
    because: 'What others sent and what their log leaves out is no fault of anybody.',
    fits: ({ kind }) => kind === 'recording',
    title: ({ what }) => `not judgeable here: needs ${what}`,
    whose: 'nobody',
  },
  {
    because: 'What a bank is free to have or not nobody need change.',
    fits: ({ kind }) => kind === 'freedom',
    title: ({ what }) => `needs ${what}, which did not occur in this run`,
    whose: 'nobody',
  },
  {
    because: 'What the target does not name is written there by whoever describes the bank.',
    fits: ({ kind }) => kind === 'target',
    title: ({ what }) => `the target file lacks ${what}`,
    whose: 'configuration',
    mend: ({ what }) => `Write ${memberIn(what) ?? 'it'} in the target file (docs/target.md).`,
  },
  {
    because:
      'Customers, their accounts and what stands in them are chosen by who writes the target.',
    fits: ({ kind }) => kind === 'data',
    title: ({ what }) => `${NO_DATA}needs ${what}`,
    whose: 'configuration',
    mend: 'Name customers in the target file who have such data, or add it at the bank.',
  },
  {
    because:
      'RFC 9110 15.6.3 and 15.6.5: 502 and 504 are said by a gateway of the server behind it.',
    fits: ({ trace }) => isGateway(trace),
    title: ({ trace }) => gatewayTitle(trace),
    whose: 'gateway',
    mend: GATEWAY_MEND,
  },
  {
    because: 'It answered a correct request otherwise than the documents say.',
    fits: ({ trace, what }) =>
      trace?.status !== undefined && / answered \d{3}/.test(what) && !CUT_BEFORE.test(what),
    title: ({ trace }) => `correct requests are answered ${answer(trace as Trace)}`,
    whose: 'bank',
    mend: 'Look at the exchange in the report, and ask the bank.',
  },
  {
    because: 'A check that never ends is ours, whatever it was asked to read.',
    fits: ({ what }) => what.startsWith('a check took longer than its share'),
    title: itself,
    whose: 'suite',
    mend: SUITE_MEND,
  },
  {
    because: 'A hook is a program that the target names: it ended, or could not begin.',
    fits: (situation) => isHook(situation) && / failed: the program /.test(situation.message),
    title: bySaying,
    whose: 'configuration',
    mend: 'Look at hooks in the target file (docs/hooks.md).',
  },
  {
    because: 'A hook is an address of the bank: it said no.',
    fits: (situation) => isHook(situation) && /: it answered \d{3}/.test(situation.message),
    title: bySaying,
    whose: 'bank',
    mend: 'Look at hooks in the target file (docs/hooks.md).',
  },
  {
    because: 'The address of a hook was not reached.',
    fits: (situation) =>
      isHook(situation) &&
      /E[A-Z]{4,}|timeout|no answer within|socket|certificate/i.test(situation.message),
    title: bySaying,
    whose: 'network',
    mend: 'Look at hooks in the target file (docs/hooks.md).',
  },
  {
    because: 'Whom nobody finds where the bank’s own pages lead, no customer reaches either.',
    fits: ({ what }) =>
      /^the pages of the bank lead to .*(ENOTFOUND|not known|speak TLS)/.test(what),
    title: itself,
    whose: 'bank',
    mend: 'Ask the bank: an address of its inside has come out.',
  },
  {
    because: 'The line was cut, or nobody was there: neither side has said anything.',
    fits: ({ what }) =>
      CUT_BEFORE.test(what) ||
      /^(\S+: |the bank: )?(unreachable|timeout|closed)\b|does not answer|^the pages of the bank lead to /.test(
        what,
      ),
    title: ({ what }) => what.replace(': unreachable: ', ': '),
    whose: 'network',
    mend: ({ what }) =>
      what.startsWith('the pages of the bank')
        ? 'Open this address in a browser on this machine. If nothing comes there either, ask the bank.'
        : addressMend(
            THIS_ADDRESS,
            'ask the bank whether it runs there, then whoever runs a proxy or firewall between.',
          ),
  },
  {
    because: 'What a customer logs in with is written in the target file.',
    fits: ({ what }) => what.startsWith('the bank did not accept the credentials of '),
    title: itself,
    whose: 'configuration',
    mend: ({ what }) =>
      `Log in at the bank by hand with ${memberIn(what) ?? 'customers'}.credentials. If that fails, correct them, or have the bank unlock the customer. If it works, correct under authorisation.forms which field takes which of them.`,
  },
  {
    because: 'Which forms and buttons a customer meets is written in the target file.',
    fits: ({ what }) => what.startsWith('the target’s description of the bank’s pages'),
    title: itself,
    whose: 'configuration',
    mend: `Correct authorisation.forms: write the names of the fields that the page has under “has” and “fill” (docs/target.md). Then run ${ASSAY} doctor: it looks at the first page.`,
  },
  {
    because: 'What is left is what the target says of pages, denials, limits and time.',
    fits: () => true,
    title: ({ what, message }) => what || message,
    whose: 'configuration',
    mend: DOCTOR_MEND,
  },
]

/** Who can fix it, and its title; equal titles are one cause. */
export function blameFor(situation: Situation): Blame {
  const { title, whose, mend } = ROWS.find(({ fits }) => fits(situation)) as Row
  const next = typeof mend === 'function' ? mend(situation) : mend
  return { title: title(situation), whose, ...(next && { mend: next }) }
}

/** True if a gateway answered because the server behind it did not. */
export function isGateway(trace: Trace | undefined): boolean {
  return trace?.status === 502 || trace?.status === 504
}

export const gatewayTitle = (trace: Trace | undefined) =>
  trace?.status === 504
    ? 'a gateway of the bank answers 504: what stands behind it gave no answer in time'
    : 'a gateway of the bank answers 502: what stands behind it gave no answer, or one that it cannot read'
