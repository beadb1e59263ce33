import { PassThrough, type Readable, type Writable } from 'node:stream'
import { confirm, log, select, text } from '@clack/prompts'
import { oneLine } from '../engine/report/escape.ts'

/** Whoever is asked wants the question before this one. */
export const BACK: unique symbol = Symbol('back')

/** A question as it is put. */
export interface Put {
  words: string
  /** What an empty answer means. */
  otherwise: string
  choices?: readonly string[]
  /** What is wrong with an answer. */
  wrong?: (answer: string) => string | undefined
}

/** Someone who answers questions. */
export interface Asker {
  ask(question: Put): Promise<string | typeof BACK>
  confirm(words: string, otherwise: boolean): Promise<boolean | typeof BACK>
  say(line: string): void
  close(): void
}

/** A terminal's keys, which node:tty can have one by one. */
type Keys = Readable & { isTTY?: boolean; setRawMode?(raw: boolean): unknown }

/** The escape key alone: keys such as the arrows begin with it. */
const ESCAPE = '\u001b'
/** Ctrl-C and Ctrl-D: nobody answers any more. */
const ENDS = ['\u0003', '\u0004']

/**
 * A person at a terminal. Lines that were typed ahead, or pasted together, each answer one question.
 *
 * @param left is called when nobody answers any more; nothing was written then
 */
export function terminal(
  keys: Keys,
  output: Writable & { columns?: number },
  left: () => never,
): Asker {
  // A terminal without a size, as some pipelines have, would get a column of letters.
  if (output.columns === 0) output.columns = 80
  const typed = createTyped(keys, left)
  const streams = { input: typed.input, output }

  /** Escape goes back; nothing else cancels. */
  const put = async <T>(asked: () => Promise<T | symbol>): Promise<T | typeof BACK> => {
    typed.next()
    const answer = await asked()
    return typeof answer === 'symbol' ? BACK : (answer as T)
  }

  return {
    async ask({ words, otherwise, choices, wrong }) {
      const message = oneLine(words)
      if (choices) {
        const options = choices.map((value) => ({ value }))
        return put<string>(() => select({ message, options, initialValue: otherwise, ...streams }))
      }
      const answer = await put<string>(() =>
        text({
          message,
          placeholder: oneLine(otherwise),
          defaultValue: otherwise,
          validate(given) {
            if (given?.trim() === '<') return undefined
            const complaint = wrong?.(given?.trim() || otherwise)
            if (complaint === undefined) return undefined
            typed.next()
            return `This ${complaint}`
          },
          ...streams,
        }),
      )
      if (answer === BACK) return BACK
      return answer.trim() === '<' ? BACK : answer.trim()
    },
    confirm: (words, otherwise) =>
      put<boolean>(() => confirm({ message: oneLine(words), initialValue: otherwise, ...streams })),
    say: (line) => log.message(oneLine(line), { output, spacing: 0 }),
    close: () => typed.close(),
  }
}

/**
 * What is typed, a line for each question: a prompt takes keys while it is open, and loses what comes in the same
 * piece after its end.
 */
function createTyped(keys: Keys, left: () => never) {
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(raw: boolean) {
      if (keys.isTTY) keys.setRawMode?.(raw)
    },
  })
  /** Typed and not yet handed on. */
  let ahead = ''
  /** A prompt is open, and has not seen the end of a line. */
  let open = false

  const hand = () => {
    while (open && ahead !== '') {
      const end = /[\r\n]/.exec(ahead)?.index
      const piece = end === undefined ? ahead : ahead.slice(0, end + 1)
      ahead = ahead.slice(piece.length)
      if (end !== undefined || piece === ESCAPE) open = false
      input.write(piece)
    }
  }
  const came = (piece: Buffer | string) => {
    const text = `${piece}`
    if (ENDS.some((key) => text.includes(key))) left()
    ahead += text.replaceAll('\r\n', '\r')
    hand()
  }
  const ended = () => left()
  keys.on('data', came)
  keys.on('end', ended)
  return {
    input,
    /** A question is put, or put again. */
    next() {
      open = true
      // Only when the prompt listens.
      setImmediate(hand)
    },
    close() {
      keys.off('data', came)
      keys.off('end', ended)
      keys.pause()
      input.destroy()
    },
  }
}
