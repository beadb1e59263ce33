import { expect, test } from 'vitest'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { diffReports } from '../../engine/report/diff.ts'
import type { Report } from '../../engine/report/report.ts'
import { configurationDigest, memberDigests } from '../../engine/run/configuration-digest.ts'
import { smallReport } from '../doors/small-run.ts'

const target = (over: object = {}) =>
  ({
    name: 'staging',
    addresses: { base_url: 'https://api.bank.example', auth_url: 'https://auth.bank.example' },
    clients: { first: { signing: { key: 'a key', kid: 'kid' } } },
    timeout: 30,
    ...over,
  }) as unknown as TargetDocument

test('the order of members means nothing', () => {
  const { auth_url, base_url } = target().addresses
  const turned = target({ addresses: { auth_url, base_url } })
  expect(configurationDigest(turned)).toBe(configurationDigest(target()))
  expect(memberDigests(turned)).toEqual(memberDigests(target()))
})

test('the same value has another digest under another signing key', () => {
  const other = target({ clients: { first: { signing: { key: 'another key', kid: 'kid' } } } })
  expect(memberDigests(other).timeout).not.toBe(memberDigests(target()).timeout)
})

test('a comparison names the members that differ', () => {
  const run = (document: TargetDocument): Report => ({
    ...smallReport,
    target: {
      ...smallReport.target,
      configurationDigest: configurationDigest(document),
      members: memberDigests(document),
    },
  })
  const caveats = (document: TargetDocument) =>
    diffReports(run(target()), run(document)).caveats.filter((words) => /config/.test(words))
  expect(caveats(target())).toEqual([])
  expect(caveats(target({ timeout: 10, proxy: 'http://proxy.example:3128' }))).toEqual([
    expect.stringMatching(/^The configuration \(timeout, proxy\) differs: /),
  ])
  const renewed = target({ clients: { first: { signing: { key: 'another key', kid: 'kid' } } } })
  expect(caveats(renewed)).toEqual([expect.stringMatching(/^The configuration differs: /)])
})
