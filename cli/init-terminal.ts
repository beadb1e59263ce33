import { PassThrough, type Readable, type Writable } from 'node:stream'
import { confirm, log, select, text } from '@clack/prompts'
import { oneLine } from '../engine/report/escape.ts'

/** The person wants to go back to the previous question. */
export const BACK: unique symbol = Symbol('back')

/** A question as it is asked. */
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

/** The keys of a terminal; node:tty can deliver them one by one. */
type Keys = Readable & { isTTY?: boolean; setRawMode?(raw: boolean): unknown }

/** The escape key alone. Other keys, such as the arrows, start with the same character. */
const ESCAPE = '\u001b'
/** Ctrl-C and Ctrl-D: the person ends the dialogue. */
const ENDS = ['\u0003', '\u0004']

/**
 * A person at a terminal. Of lines that were typed ahead, or pasted together, each answers one question.
 *
 * @param left called when the person ends the dialogue; nothing is written then
 */
export function terminal(
  keys: Keys,
  output: Writable & { columns?: number },
  left: () => never,
): Asker {
  // A terminal without a size, as in some pipelines, would print one character per line.
  if (output.columns === 0) output.columns = 80
  const typed = createTyped(keys, left)
  const streams = { input: typed.input, output }

  /** Escape goes back. Nothing else cancels. */
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
 * Delivers one typed line to each question. An open prompt takes all keys, and loses those that arrive in the same
 * chunk after the end of its line.
 */
function createTyped(keys: Keys, left: () => never) {
  const input = Object.assign(new PassThrough(), {
    isTTY: true,
    setRawMode(raw: boolean) {
      if (keys.isTTY) keys.setRawMode?.(raw)
    },
  })
  /** Typed, but not yet delivered. */
  let ahead = ''
  /** A prompt is open and has not yet got the end of a line. */
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
    /** A question is asked, or asked again. */
    next() {
      open = true
      // Wait until the prompt listens.
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
