import { setTimeout as wait } from 'node:timers/promises'
import { request } from 'undici'
import { lastLine, run } from '../authorisation-drivers/program.ts'
import type { Target } from '../configuration/resolve.ts'
import type { HookDocument, HookName } from '../configuration/target.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'

/** What a hook speaks of: the token, the consent, the client. */
export interface HookSubject {
  accessToken?: string
  consentId?: string
  clientId?: string
}

const PATIENCE = 60_000

/** Seconds that a consent must live to be approved and used before it expires by itself. */
const LEAST_LIFE = 120

/** How facts become true that a TPP cannot bring about. */
export interface Hooks {
  /** Seconds for which a consent is made that is to expire; undefined: a hook lets it expire. */
  readonly shortLife: number | undefined
  /**
   * Ends the check as not applicable where nobody can make the fact true.
   *
   * @param comes when it becomes true by itself, in milliseconds since the epoch.
   */
  possible(name: HookName, comes?: number): void
  /** Makes the fact true: by the target's hook, or by waiting for it. */
  state(name: HookName, subject: HookSubject, comes?: number): Promise<void>
  /** Ends the program that is under way, and every later one at once. */
  interrupt(): void
}

/** What facts work with. */
export interface HookParts {
  target: Target
  /** Asks somebody at the bank; absent where nobody is there. */
  question?(name: string, text: string): Promise<string | undefined>
  /** Told before a wait with what is waited for, and after it. */
  onWaiting?(what?: string): void
  /** Told what a hook is about to make true. */
  onTold?(name: HookName, subject: HookSubject): void
}

/** The facts of one session. */
export function createHooks({ target, question, onWaiting, onTold }: HookParts): Hooks {
  const hookOf = (name: HookName) => {
    const hook = target.document.hooks?.[name]
    return hook?.ask !== undefined && !question ? undefined : hook
  }
  const why = (name: HookName) =>
    target.document.hooks?.[name]
      ? `nobody is there to answer what the hook ${name} asks`
      : `the target has no hook ${name}`
  const possible = (name: HookName, comes = Number.POSITIVE_INFINITY) => {
    if (hookOf(name)) return
    const seconds = Math.ceil((comes - Date.now()) / 1000)
    if (seconds * 1000 <= target.expiryPatience) return
    const late = Number.isFinite(seconds)
      ? `, and it comes in ${seconds} s: expiryPatience is ${target.expiryPatience / 1000} s`
      : ''
    throw new NotApplicable(`${why(name)}${late}`)
  }
  const patient = target.expiryPatience / 1000
  const interruption = new AbortController()
  return {
    shortLife: !hookOf('consent-expired') && patient >= LEAST_LIFE ? patient : undefined,
    possible,
    async state(name, subject, comes) {
      possible(name, comes)
      onTold?.(name, subject)
      const hook = hookOf(name)
      if (hook) return stateFact(target, name, hook, subject, interruption.signal, question)
      onWaiting?.(name)
      // A clock that is behind lets it expire later, by our clock.
      await wait(Math.max(0, (comes ?? 0) - Date.now()) + target.clockTolerance * 1000)
      onWaiting?.()
    },
    interrupt: () => interruption.abort(),
  }
}

/** Makes a fact true through a hook; a hook that fails blocks the check. */
async function stateFact(
  target: Target,
  name: HookName,
  hook: HookDocument,
  subject: HookSubject,
  signal: AbortSignal,
  question: HookParts['question'],
): Promise<void> {
  const fill = (text: string, spelt: (value: string) => string = String) =>
    text.replace(/\{(\w+)\}/g, (whole, key: string) => {
      const value = subject[key as keyof HookSubject]
      return value === undefined ? whole : spelt(value)
    })
  if (hook.http) {
    const { url, method = 'POST', headers = {}, body } = hook.http
    const text = body === undefined ? undefined : fill(JSON.stringify(body), inJson)
    try {
      const answer = await request(fill(url, encodeURIComponent), {
        method: method as 'POST',
        headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
        body: text,
        bodyTimeout: PATIENCE,
        headersTimeout: PATIENCE,
      })
      await answer.body.dump()
      if (answer.statusCode >= 400) throw new Error(`it answered ${answer.statusCode}`)
    } catch (error) {
      throw failed(name, (error as Error).message)
    }
    return
  }
  if (hook.ask !== undefined) {
    const undone = await question?.(name, fill(hook.ask))
    if (undone !== undefined) throw failed(name, undone)
    return
  }
  const [program, ...args] = hook.command ?? []
  if (!program) throw failed(name, 'it names neither http nor command')
  const { base } = target
  const command = [program, ...args.map((arg) => fill(arg))]
  const ran = await run({ command, base, patience: PATIENCE, env: {}, talkative: true, signal })
  const ended = ran.ended === 'exited' ? `ended with exit code ${ran.code}` : ran.ended
  const complaint = lastLine(ran.stderr).slice(0, 200)
  const because = complaint === '' ? '' : `: ${complaint}`
  if (ran.ended !== 'exited' || ran.code !== 0)
    throw failed(name, `the program ${program} ${ended}${because}`)
}

/** Inside a string of JSON. */
function inJson(value: string): string {
  return JSON.stringify(value).slice(1, -1)
}

function failed(name: HookName, why: string): Blocked {
  return new Blocked(
    { kind: 'environment', what: `hook ${name}` },
    `the hook ${name} failed: ${why}`,
  )
}
