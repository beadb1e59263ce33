import type { Whose } from '../../engine/report/report.ts'
import type { Expected, Situation } from './situation.ts'
import type { ListenerName, Trouble } from './trouble.ts'

/** Each listener of the bank, and all of them, with every kind of failure; and Ctrl-C at various moments. */

const AT: readonly (ListenerName | 'every')[] = [
  'api',
  'authorisation',
  'discovery',
  'products',
  'every',
]

const STORIES: Record<Exclude<Trouble, 'passes'>, string> = {
  down: 'Nothing listens there.',
  silent: 'Connections are accepted, and nothing is answered.',
  reset: 'A firewall resets every connection.',
  cut: 'Answers are cut in their midst.',
  slow: 'Answers take longer than usual.',
  plain: 'Something answers there that speaks no TLS.',
}

/** A run that reaches no listener says who is responsible; one that reaches only a part of the bank is incomplete. */
function expectedOf(at: ListenerName | 'every', does: keyof typeof STORIES): Expected {
  if (does === 'slow') return { exit: [0], words: /CONFORMANT/, doctor: [0] }
  const words = WORDS[does]
  const whose = WHOSE_LINE[`${at}-${does}`] ?? WHOSE_LINE[does] ?? ['network']
  if (at === 'products') return { exit: [3, 4], whose, words, doctor: [2, 3] }
  return { exit: at === 'every' ? [3] : [3, 4], whose, words, doctor: [2, 3] }
}

/** A server without TLS may be a wrong address; a session that is cut may be a refused certificate. */
const WHOSE_LINE: Record<string, readonly Whose[]> = {
  plain: ['configuration', 'network'],
  'api-cut': ['network', 'bank'],
}

const WORDS: Record<Exclude<Trouble, 'passes' | 'slow'>, RegExp> = {
  down: /nothing listens|ECONNREFUSED/,
  silent: /does not answer|no answer|timeout|no complete response|no TLS session/,
  reset: /reset|clos|cut|ECONNRESET/,
  cut: /cut|clos|reset|ECONNRESET/,
  plain: /TLS/,
}

export const TROUBLES: readonly Situation[] = AT.flatMap((at) =>
  (Object.keys(STORIES) as (keyof typeof STORIES)[]).map((does) => ({
    id: `${at}-${does}`,
    kind: 'network' as const,
    story: `${at === 'every' ? 'Every listener' : `The listener ${at}`}: ${STORIES[does]}`,
    trouble: { at, does },
    expects: expectedOf(at, does),
  })),
)

/** Milliseconds before Ctrl-C: while the run starts, opens, registers, judges, cleans up. */
const MOMENTS = [150, 400, 700, 1000, 1400, 1800, 2300, 2800, 3500]

export const INTERRUPTIONS: readonly Situation[] = MOMENTS.map((moment) => ({
  id: `interrupted-after-${moment}-ms`,
  kind: 'interruption',
  story: `Ctrl-C comes ${moment} ms after the run began.`,
  interruptedAfter: moment,
  // Early on, the signal itself ends the process; later the run may already be finished.
  expects: { exit: [130, 0], words: /^/, doctor: [0] },
}))
