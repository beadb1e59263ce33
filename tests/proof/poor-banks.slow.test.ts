import { afterAll, beforeAll, expect, test } from 'vitest'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Result } from '../../engine/judge/results.ts'
import {
  type BankRun,
  judgeBank,
  openProofContext,
  type ProofContext,
} from '../../proof/run/judge-bank.ts'
import { openDirectory } from '../directory.ts'
import { recorded } from '../report/recorded.ts'

/**
 * Banks and targets that lack one thing, or several that have nothing to do with each other. What needs it
 * is blocked or not applicable and names what is missing; it never passes, and it passes once exactly that
 * is there.
 */

interface Poverty {
  lacks: string
  settings?: Alteration['settings']
  target?: (document: TargetDocument) => void
  /** How what lost its verdict says why. */
  names: RegExp
  /** Some that cannot be judged without it. */
  among: string[]
}

const withoutHook = (name: 'token-expired' | 'consent-expired' | 'ninety-days-passed') => ({
  lacks: `the hook ${name}`,
  target: (document: TargetDocument) => void delete document.hooks?.[name],
  names: new RegExp(`hook ${name}`),
})

const poverties: Poverty[][] = [
  [
    {
      lacks: 'transactions',
      settings: { data: { transactions: 0 } },
      names: /transaction|booked|row/i,
      among: [
        'TXN-16/from-alone',
        'TXN-17/to-alone',
        'TXN-20/nothing-missing',
        'TXN-09/booking-string',
      ],
    },
  ],
  [
    {
      lacks: 'a second account',
      settings: { data: { accounts: 1 } },
      names: /account/i,
      among: ['ACC-02/asked-account-only', 'TXN-02/asked-account-only', 'ACC-03/unique'],
    },
  ],
  [
    {
      lacks: 'a second client',
      target: (document) => void delete document.clients.second,
      names: /second client|client second|another client/i,
      among: ['SEC-05/other-client', 'AUTHZ-14/other-client', 'TOK-35/other-client'],
    },
    {
      lacks: 'an expired certificate',
      target: (document) => void delete document.refusedCertificates?.expired,
      names: /expired/i,
      among: ['SEC-01/expired', 'SEC-02/expired', 'REG-01/expired'],
    },
  ],
  [
    {
      lacks: 'a second customer',
      target: (document) => void delete document.customers.second,
      names: /second customer|customer second|another customer/i,
      among: ['SEC-07/account', 'SEC-07/second-customer'],
    },
    {
      lacks: 'a second redirect URI',
      target: (document) => void document.clients.first.redirectUris.splice(1),
      names: /redirect URI/,
      among: ['REG-13/left-out', 'AUTHZ-12/redirect-uri'],
    },
  ],
  [
    {
      lacks: 'fresh registrations',
      target: (document) => void delete document.freshRegistrations,
      names: /fresh registrations/,
      among: ['REG-12/unregistered-grant', 'REG-13/left-out', 'REG-24/forged'],
    },
    {
      lacks: 'a described denial',
      target: (document) => {
        for (const form of document.authorisation.forms ?? []) delete form.deny
      },
      names: /describes no denial/,
      among: ['AUTHZ-21/denied', 'AUTHZ-21/denied-again', 'CLC-24/denied', 'CLC-01/denied'],
    },
    { ...withoutHook('token-expired'), among: ['SEC-03/expired-token', 'TOK-22/after-expiry'] },
    { ...withoutHook('consent-expired'), among: ['CLC-16/data-refused'] },
    { ...withoutHook('ninety-days-passed'), among: ['AUTHZ-32/after-ninety-days'] },
  ],
]

let context: ProofContext
let rich: Map<string, Result['outcome']>

beforeAll(async () => {
  context = await openProofContext(openDirectory())
  const { report } = await recorded('correct')
  rich = new Map(report.checks.map(({ id, outcome }) => [id, outcome]))
}, 300_000)

afterAll(() => context.directory.close())

test('the rich bank is judged in everything', () => {
  const outcomes = new Set(rich.values())
  expect([...outcomes].sort()).toEqual(['observed', 'pass'])
})

const named = (lacking: Poverty[]) => lacking.map(({ lacks }) => lacks).join(', ')

test.each(poverties.map((lacking) => ({ lacking, name: named(lacking) })))(
  'without $name',
  async ({ lacking, name }) => {
    const poverty = lacking.flatMap(({ settings }) =>
      settings ? [{ id: 'poverty', story: name, settings }] : [],
    )
    const target = (document: TargetDocument) => {
      for (const each of lacking) each.target?.(document)
    }
    const poor = await judgeBank(context, poverty, { target })

    const lost = [...poor.results.values()].filter(({ id, outcome }) => outcome !== rich.get(id))
    for (const result of lost) {
      expect.soft(result.outcome, result.id).toMatch(/^(blocked|not-applicable)$/)
      const words = why(result, poor)
      expect
        .soft(
          lacking.some(({ names }) => names.test(words)),
          `${result.id}: ${words}`,
        )
        .toBe(true)
    }
    for (const { among, names } of lacking) {
      for (const id of among) {
        const result = lost.find((each) => each.id === id)
        expect.soft(result && why(result, poor), id).toMatch(names)
      }
    }
  },
)

/** What a result says, and what stands at the end of its chain. */
function why({ message, blockedBy }: Result, run: BankRun): string {
  const cause = blockedBy === undefined ? undefined : run.results.get(blockedBy)
  return [message, blockedBy, cause && why(cause, run)].filter(Boolean).join(' | ')
}

test('a bank whose customers have one account each, as its target says, lacks nothing', async () => {
  const lacking = poverties.flat().find(({ lacks }) => lacks === 'a second account')
  const poverty = { id: 'poverty', story: 'one account', settings: lacking?.settings }
  const { results, exitCode } = await judgeBank(context, [poverty], {
    scope: { profile: 'full', only: ['accounts', 'balances', 'transactions'] },
    target: (document) => {
      document.absent = ['second-account']
    },
  })
  for (const id of lacking?.among ?? []) {
    expect(results.get(id)?.outcome, id).toBe('not-applicable')
    expect(results.get(id)?.message).toBe('the target declares second-account absent')
  }
  expect(exitCode).toBe(0)
})

test('of a bank for funds confirmation alone nothing is asked that accounts are needed for', async () => {
  const { results, exitCode } = await judgeBank(context, [
    {
      id: 'funds-confirmation-alone',
      story: 'Another bank of the group has the accounts.',
      policies: (correct) => ({
        scopesStored: (requested, roles) =>
          correct.scopesStored(requested, roles).filter((scope) => scope !== 'accounts'),
      }),
    },
  ])
  const outcomeOf = (id: string) => results.get(id)?.outcome
  expect(outcomeOf('FCC-01/answers-201')).toBe('pass')
  expect(outcomeOf('CONS-01/answers-201')).toBe('not-applicable')
  expect(outcomeOf('ACC-01/answers-200')).toBe('not-applicable')
  expect(exitCode).toBe(0)
})
