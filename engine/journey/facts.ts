import { execFile } from 'node:child_process'
import { request } from 'undici'
import { Blocked, NotApplicable } from '../judge/outcome.ts'
import type { Target } from '../target/resolve.ts'
import type { HookName } from '../target/target.ts'

/** What a hook speaks of: the token, the consent, the client. */
export interface FactSubject {
  accessToken?: string
  consentId?: string
  clientId?: string
}

const PATIENCE = 60_000

/**
 * Makes a fact true through the target's hook. A target without this hook makes the check not
 * applicable; a hook that fails blocks it.
 */
export async function stateFact(
  target: Target,
  name: HookName,
  subject: FactSubject,
): Promise<void> {
  const hook = target.document.hooks?.[name]
  if (!hook) throw new NotApplicable(`the target has no hook ${name}`)
  const fill = (text: string, spelt: (value: string) => string = String) =>
    text.replace(/\{(\w+)\}/g, (whole, key: string) => {
      const value = subject[key as keyof FactSubject]
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
  const [command, ...args] = hook.command ?? []
  if (!command) throw failed(name, 'it names neither http nor command')
  await new Promise<void>((resolve, reject) => {
    execFile(
      command,
      args.map((arg) => fill(arg)),
      { cwd: target.base, timeout: PATIENCE },
      (error) =>
        error
          ? reject(failed(name, `the command ended with ${error.code ?? error.signal}`))
          : resolve(),
    )
  })
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
