import { expect, test } from 'vitest'
import type { CAUSES } from './caused.ts'
import { type BankName, recorded } from './recorded.ts'

/** Real runs of banks that do one thing wrong which shows in many places: one cause, and all that it explains. */

const TITLES: Record<keyof typeof CAUSES, RegExp> = {
  limited: /^answered 429 instead of .*; the bank says “rate_limited”/,
  unrefreshed: /^access tokens of the refresh_token grant are refused \(401\)$/,
  twice: /^a ConsentId is given to two consents$/,
  issuer: /^the issuer of the configuration is not the bank’s: https:\/\/test\.bank\.example$/,
  clock: /^the bank’s clock is 3600 s ahead$/,
  open: /^mutual TLS is not enforced: /,
}

test.each(Object.keys(TITLES) as (keyof typeof CAUSES)[])(
  '%s',
  async (name) => {
    const { report } = await recorded(name as BankName)
    const ids = (...outcomes: string[]) =>
      report.checks.filter(({ outcome }) => outcomes.includes(outcome)).map(({ id }) => id)
    const [cause, ...others] = report.causes
    // What the customers' data do not show for it is told apart, and is no finding.
    expect(others.flatMap(({ findings }) => findings)).toEqual([])
    expect(cause?.title).toMatch(TITLES[name])
    expect(cause?.whose).toBe('bank')
    expect(cause?.findings.toSorted()).toEqual(ids('fail', 'warn').sort())
    const blocked = report.causes.flatMap(({ blocks }) => blocks)
    expect(blocked.sort()).toEqual(ids('blocked').sort())
    expect(others.length).toBeLessThan(2)
    expect(cause?.findings).not.toEqual([])
  },
  300_000,
)
