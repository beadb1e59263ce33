import { afterAll, beforeAll, expect, test, vi } from 'vitest'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { Bank } from '../../bank/running-bank.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { Capability, TargetDocument } from '../../engine/configuration/target.ts'
import { openSession } from '../../engine/run/open.ts'
import { judgeBank, openProofContext, type ProofContext } from '../../proof/run/judge-bank.ts'
import { openDirectory } from '../directory.ts'

/**
 * A correct bank without a capability, whose target declares it absent, is conformant: each capability alone, and each
 * two of them. What else the target still describes is left alone.
 */

vi.setConfig({ testTimeout: 600_000 })

/** The bank has nothing at such paths. */
const without = (paths: RegExp): Alteration['middleware'] =>
  async function nothingThere(ctx, next) {
    if (paths.test(ctx.path)) ctx.status = 404
    else await next()
  }

/** How each is taken from the correct bank; second client and customer only the target has. */
const TAKEN: Record<Capability, Pick<Alteration, 'middleware' | 'settings'>> = {
  registration: { middleware: without(/\/oauth\/register$/) },
  'second-client': {},
  'second-customer': {},
  'second-account': { settings: { data: { accounts: 1 } } },
  'funds-confirmation': { middleware: without(/\/funds-confirmation-consents/) },
  products: { middleware: without(/\/consumer-credit-cards$/) },
  'account-information': {
    middleware: without(/\/open-banking\/(v3\.1|oauth)\/|\/authorize$|\/\.well-known\/|\/jwks$/),
  },
}

const CAPABILITIES = Object.keys(TAKEN) as Capability[]

const subsets = CAPABILITIES.flatMap((one, index) => [
  [one],
  ...CAPABILITIES.slice(index + 1).map((other) => [one, other]),
]).filter((absent) => !(absent.includes('products') && absent.includes('account-information')))

let context: ProofContext

beforeAll(async () => {
  context = await openProofContext(openDirectory())
})

afterAll(() => context.directory.close())

test.each(subsets.map((absent) => ({ absent, name: absent.join(' and ') })))(
  'without $name',
  async ({ absent, name }) => {
    const alterations = absent.map((one) => ({ id: one, story: name, ...TAKEN[one] }))
    let registered: Partial<Record<string, string>> = {}
    const { results, exitCode } = await judgeBank(context, altered(alterations, absent), {
      scope: { profile: 'quick', only: [] },
      async prepare(bank) {
        if (absent.includes('registration')) registered = await registeredBefore(bank)
      },
      target(document) {
        document.absent = absent
        // How long a limit lasts is a matter of the clock, and of no capability.
        document.rateLimitBurst = 0
        for (const [who, client] of Object.entries(document.clients)) {
          if (registered[who] !== undefined) client.clientId = registered[who]
        }
        if (absent.includes('second-account')) delete document.customers.first.accounts
      },
    })
    const unsound = [...results.values()]
      .filter(({ outcome }) => !['pass', 'observed', 'not-applicable'].includes(outcome))
      .map(({ id, outcome, message }) => `${outcome} ${id}: ${message}`)
    expect(unsound).toEqual([])
    expect(exitCode).toBe(0)
  },
)

/** A registration that took place before the bank closed it. */
let open = true

function altered(alterations: Alteration[], absent: Capability[]): Alteration[] {
  if (!absent.includes('registration')) return alterations
  return alterations.map((alteration) => {
    if (alteration.id !== 'registration') return alteration
    const { middleware } = alteration
    return {
      ...alteration,
      middleware: async (ctx, next) => (open ? next() : middleware?.(ctx, next)),
    }
  })
}

async function registeredBefore(bank: Bank): Promise<Record<string, string>> {
  open = true
  const target = targetFrom(structuredClone(bank.target) as TargetDocument)
  const session = openSession({ target, suites: context.suites })
  const ids: Record<string, string> = {}
  for (const name of ['first', 'second'] as const) {
    const { value } = await session.steps.registration(name)
    ids[name] = value?.registered?.client_id ?? ''
  }
  await session.close()
  open = false
  return ids
}
