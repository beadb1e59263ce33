import { setTimeout as wait } from 'node:timers/promises'
import { Agent, request } from 'undici'
import { filledIn } from '../authorisation-drivers/forms.ts'
import { complaintOf, failureOf, run } from '../authorisation-drivers/program.ts'
import type { Target } from '../configuration/resolve.ts'
import type { HookDocument, HookName } from '../configuration/target.ts'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import { now } from '../record/clock.ts'
import { percentEncoded } from '../record/percent.ts'

/** The subject of a hook: the token, the consent, the client. */
export interface HookSubject {
  accessToken?: string
  consentId?: string
  clientId?: string
}

const PATIENCE = 60_000

/**
 * Milliseconds after its end in which a token may still be taken: RFC 7519 4.1.4 lets a server “provide for some small
 * leeway, usually no more than a few minutes”, and some do by default.
 */
const LEEWAY = 300_000

/** Minimum lifetime in seconds of a consent that is to be approved and used before it expires by itself. */
const LEAST_LIFE = 120

/** What facts work with. */
export interface HookParts {
  target: Target
  /** Asks a person at the bank; absent if nobody is there. */
  question?(name: string, text: string): Promise<string | undefined>
  /** Called with what is waited for before a wait, and without an argument after it. */
  onWaiting?(what?: string): void
  /** Called before a hook makes a fact true. */
  onTold?(name: HookName, subject: HookSubject): void
  /** Milliseconds between two questions whether something is over. */
  pause?: number
}

export type Hooks = ReturnType<typeof createHooks>

/** Makes facts true that a TPP cannot bring about, for one session. */
export function createHooks({ target, question, onWaiting, onTold, pause = 15_000 }: HookParts) {
  const patient = target.expiryPatience / 1000
  const interruption = new AbortController()

  const hookOf = (name: HookName) => {
    const hook = target.document.hooks?.[name]
    return hook?.ask !== undefined && !question ? undefined : hook
  }

  /**
   * Ends the check as not applicable if nobody can make the fact true.
   *
   * @param comes when it becomes true by itself, in milliseconds since the epoch.
   */
  const possible = (name: HookName, comes = Number.POSITIVE_INFINITY) => {
    if (hookOf(name)) return
    const seconds = Math.ceil((comes - now()) / 1000)
    if (seconds <= patient) return
    const why = target.document.hooks?.[name]
      ? `nobody is there to answer what the hook ${name} asks`
      : `the target has no hook ${name}`
    const late = Number.isFinite(seconds)
      ? `, and it comes in ${seconds} s: expiryPatience is ${patient} s`
      : ''
    throw new NotApplicable(`${why}${late}`)
  }

  /** Makes a fact true; returns why that failed, undefined on success. */
  const call = async (name: HookName, hook: HookDocument, subject: HookSubject) => {
    const fill: Fill = (text, spelt) => filledIn(text, { ...subject }, spelt)
    if (hook.http) return callAddress(hook.http, fill, interruption.signal)
    if (hook.ask !== undefined) return question?.(name, fill(hook.ask))
    const [program, ...args] = hook.command ?? []
    if (!program) return 'it names neither http nor command'
    const command = [program, ...args.map((arg) => fill(arg))]
    const how = { env: {}, talkative: true, signal: interruption.signal }
    const ran = await run({ command, base: target.base, patience: PATIENCE, ...how })
    const failure = failureOf(ran)
    return failure && `the program ${program} ${failure}${complaintOf(ran)}`
  }

  /** Milliseconds after the end of a token that this bank is known to need. */
  let known = target.clockTolerance * 1000

  /** Waits until the bank refuses what has ended, or would do so with any leeway. */
  const settled = async (isOver: () => Promise<boolean>) => {
    for (let late = known; late < LEEWAY; late += pause) {
      if (await isOver()) {
        known = late
        return
      }
      await wait(pause)
    }
  }

  return {
    /** Lifetime in seconds of a consent that must expire; undefined: a hook makes it expire. */
    shortLife: !hookOf('consent-expired') && patient >= LEAST_LIFE ? patient : undefined,
    possible,
    /**
     * Makes the fact true with the target's hook, which blocks the check if it fails, or by waiting.
     *
     * @param isOver for a token: does the bank refuse it by now? Asked only after waiting.
     */
    async state(
      name: HookName,
      subject: HookSubject,
      comes?: number,
      isOver?: () => Promise<boolean>,
    ): Promise<void> {
      possible(name, comes)
      onTold?.(name, subject)
      const hook = hookOf(name)
      if (hook) {
        const why = await call(name, hook, subject)
        if (why === undefined) return
        const because = { kind: 'environment' as const, what: `hook ${name}` }
        throw new Blocked(because, `the hook ${name} failed: ${why}`)
      }
      onWaiting?.(name)
      // If the bank's clock is behind, the consent expires later by this machine's clock.
      const late = name === 'token-expired' ? known : target.clockTolerance * 1000
      await wait(Math.max(0, (comes ?? 0) - now()) + late)
      if (isOver) await settled(isOver)
      onWaiting?.()
    },
    /** Stops the running program or request, and makes later ones stop at once. */
    interrupt: () => interruption.abort(),
  }
}

type Fill = (text: string, spelt?: (value: string) => string) => string

/** Calls the address of a hook; returns why that failed, undefined on success. */
async function callAddress(
  { url, method = 'POST', headers = {}, body }: NonNullable<HookDocument['http']>,
  fill: Fill,
  interruption: AbortSignal,
): Promise<string | undefined> {
  if (interruption.aborted) return 'it was not called: the run was interrupted'
  const inJson = (value: string) => JSON.stringify(value).slice(1, -1)
  const text = body === undefined ? undefined : fill(JSON.stringify(body), inJson)
  const signal = AbortSignal.any([interruption, AbortSignal.timeout(PATIENCE)])
  try {
    const answer = await request(fill(url, percentEncoded), {
      dispatcher: new Agent({ connect: { rejectUnauthorized: true }, keepAliveTimeout: 1 }),
      method: method as 'POST',
      headers: { ...(text !== undefined && { 'content-type': 'application/json' }), ...headers },
      ...{ body: text, signal },
    })
    await answer.body.dump()
    signal.throwIfAborted()
    return answer.statusCode >= 400 ? `it answered ${answer.statusCode}` : undefined
  } catch (error) {
    if (interruption.aborted) return 'it was left: the run was interrupted'
    if (signal.aborted) return `no answer within ${PATIENCE / 1000} s`
    // The error of several addresses that all fail has no message.
    const { message, code, name } = error as NodeJS.ErrnoException
    return message || (code ?? name)
  }
}
