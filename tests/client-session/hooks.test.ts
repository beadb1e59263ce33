import { once } from 'node:events'
import { createServer, type RequestListener } from 'node:http'
import type { AddressInfo } from 'node:net'
import { describe, expect, test } from 'vitest'
import { createHooks, type HookParts } from '../../engine/client-session/hooks.ts'
import type { Target } from '../../engine/configuration/resolve.ts'
import type { HookDocument, HookName } from '../../engine/configuration/target.ts'
import { Blocked, NotApplicable } from '../../engine/judge/outcome.ts'

/** The facts of a target that has only what facts look at. */
function facts(
  hooks: Partial<Record<HookName, HookDocument>>,
  parts: Omit<HookParts, 'target'> & { patience?: number } = {},
) {
  const { patience = 60, ...rest } = parts
  const target = {
    document: { hooks },
    base: process.cwd(),
    expiryPatience: patience * 1000,
    clockTolerance: 2,
  } as unknown as Target
  return createHooks({ target, ...rest })
}

describe('a question', () => {
  const hooks = { 'customer-revokes': { ask: 'Revoke {consentId} in the app.' } }

  test('is asked with the subject in it, and answered', async () => {
    const asked: string[] = []
    const question = async (name: string, text: string) => void asked.push(`${name}: ${text}`)
    const subject = { consentId: 'urn:c/1' }
    await facts(hooks, { question }).state('customer-revokes', subject)
    expect(asked).toEqual(['customer-revokes: Revoke urn:c/1 in the app.'])
  })

  test('that nobody can do blocks its checks, as trouble of the environment', async () => {
    const question = async () => 'the person who was asked cannot do it'
    const stated = facts(hooks, { question }).state('customer-revokes', {})
    const error = await stated.catch((reason: unknown) => reason)
    expect(error).toBeInstanceOf(Blocked)
    expect((error as Blocked).because.kind).toBe('environment')
    expect((error as Blocked).message).toContain('cannot do it')
  })

  test('is not applicable where nobody is there', async () => {
    const stated = facts(hooks).state('customer-revokes', {})
    await expect(stated).rejects.toThrow(NotApplicable)
    await expect(stated).rejects.toThrow('nobody is there to answer')
  })
})

describe('a program', () => {
  const node = (script: string, ...args: string[]) => ({
    'token-expired': { command: [process.execPath, '-e', script, ...args] },
  })
  const stated = (hooks: Parameters<typeof facts>[0]) =>
    facts(hooks).state('token-expired', { accessToken: 'a token' })

  test('that ends with 0 has made the fact true, whatever it printed', async () => {
    const print = `if (process.argv[1] !== 'for a token') process.exit(1)
      process.stdout.write('x'.repeat(3e6))`
    await stated(node(print, 'for {accessToken}'))
  })

  test('that fails says why, in its own last words', async () => {
    const fail = "console.error('first'); console.error('no such token'); process.exit(3)"
    await expect(stated(node(fail))).rejects.toThrow(/ended with exit code 3: no such token$/)
    await expect(stated({ 'token-expired': { command: ['./missing.sh'] } })).rejects.toThrow(
      'the hook token-expired failed: the program ./missing.sh cannot be started: ENOENT',
    )
  })

  test('that heeds no signal ends when the run is interrupted', async () => {
    const hooks = facts(node("process.on('SIGTERM', () => {}); setInterval(() => {}, 1000)"))
    const hanging = hooks.state('token-expired', { accessToken: 'a token' })
    setTimeout(hooks.interrupt, 300)
    await expect(hanging).rejects.toThrow('was ended: the run was interrupted')
  })
})

describe('an address', () => {
  const stated = (url: string) => facts({ 'token-expired': { http: { url } } })

  async function served(answer: RequestListener) {
    const server = createServer(answer).listen(0)
    await once(server, 'listening')
    const { port } = server.address() as AddressInfo
    return { port, close: () => server.close().closeAllConnections() }
  }

  test('at which nothing listens says why, however many addresses its name has', async () => {
    const { port, close } = await served(() => {})
    close()
    for (const host of ['127.0.0.1', 'localhost']) {
      const state = stated(`http://${host}:${port}/`).state('token-expired', {})
      await expect(state).rejects.toThrow(/^the hook token-expired failed: .*ECONNREFUSED/)
    }
  })

  test.each<[string, RequestListener]>([
    ['never answers', () => {}],
    ['never ends its answer', (_, response) => void response.writeHead(200).write('x')],
  ])('that %s does not hold the end of a run', async (_, answer) => {
    const { port, close } = await served(answer)
    const hooks = stated(`http://127.0.0.1:${port}/`)
    const hanging = hooks.state('token-expired', {})
    setTimeout(hooks.interrupt, 300)
    await expect(hanging).rejects.toThrow('it was left: the run was interrupted')
    await expect(hooks.state('token-expired', {})).rejects.toThrow('it was not called')
    close()
  })
})

describe('what comes by itself', () => {
  test('is waited for when it comes soon enough, and whoever watches is told', async () => {
    const told: (string | undefined)[] = []
    const onWaiting = (what?: string) => void told.push(what)
    const began = Date.now()
    await facts({}, { onWaiting }).state('token-expired', {}, began + 500)
    // As much longer as the clocks may differ.
    expect(Date.now() - began).toBeGreaterThanOrEqual(2490)
    expect(told).toEqual(['token-expired', undefined])
  })

  test('is waited for until the bank refuses the token, which may have some leeway', async () => {
    const { state } = facts({}, { pause: 500 })
    const until = async (answers: boolean[]) => {
      const began = Date.now()
      await state('token-expired', {}, began, async () => answers.shift() ?? true)
      return Date.now() - began
    }
    expect(await until([false, false, true])).toBeGreaterThanOrEqual(2990)
    // From then on, the leeway is known.
    const answers = [true]
    expect(await until(answers)).toBeGreaterThanOrEqual(2990)
    expect(answers).toEqual([])
  })

  test('is not waited for when it comes too late, or nobody knows when', () => {
    const { possible } = facts({}, { patience: 10 })
    expect(() => possible('token-expired', Date.now() + 11_000)).toThrow(
      'the target has no hook token-expired, and it comes in 11 s: expiryPatience is 10 s',
    )
    expect(() => possible('token-expired', Date.now() + 9000)).not.toThrow()
    expect(() => possible('token-expired', Number.POSITIVE_INFINITY)).toThrow(NotApplicable)
    expect(() => possible('customer-revokes')).toThrow('the target has no hook customer-revokes')
  })

  test('shortens the life of a consent only where no hook lets it expire', () => {
    const hooks = { 'consent-expired': { command: ['true'] } }
    expect(facts({}, { patience: 600 }).shortLife).toBe(600)
    expect(facts({}, { patience: 119 }).shortLife).toBeUndefined()
    expect(facts(hooks, { patience: 600 }).shortLife).toBeUndefined()
    const unasked = { 'consent-expired': { ask: 'Please' } }
    expect(facts(unasked, { patience: 600 }).shortLife).toBe(600)
  })
})
