import { expect, test } from 'vitest'
import { CHAPTERS } from '../../engine/catalogue/catalogue.ts'
import { chapterOf, themeOf, themesOf } from '../../proof/run/chapters.ts'
import {
  about,
  amongOthers,
  drawsOf,
  type Job,
  loadAlterations,
  mixedJobs,
  mixedOf,
  named,
  UnknownProof,
  wholeProof,
} from '../../proof/run/jobs.ts'
import type { Fault, Judged, Variant } from '../../proof/run/proof.ts'
import { groupFaults } from '../../proof/together/grouping.ts'
import { HID, isFound, mixedComplaints } from '../../proof/together/mixed.ts'
import { MET } from '../../proof/together/pairs.ts'
import { TOGETHER } from '../../proof/together/together.ts'

const all = await loadAlterations()

const namesOf = (jobs: Job[]) => jobs.flatMap(({ ids }) => ids)

test('the whole proof proves each fault and each variant once', () => {
  const jobs = wholeProof(all, 7)
  const ids = (kind: string) => jobs.filter((job) => job.kind === kind).flatMap((job) => job.ids)
  expect(ids('fault').sort()).toEqual(all.faults.map(({ id }) => id).sort())
  expect(ids('variant').sort()).toEqual(all.variants.map(({ id }) => id).sort())
  expect(ids('mixed').length).toBeGreaterThan(0)
  expect(jobs.length).toBeLessThan((all.faults.length + all.variants.length) / 2)
})

test('of faults that share a bank no two show at one id, nor two of a chapter at one requirement', () => {
  for (const { kind, ids } of wholeProof(all, 7)) {
    if (kind !== 'fault' || ids.length < 2) continue
    const group = all.faults.filter(({ id }) => ids.includes(id))
    const caught = group.map(({ fails, warns = [] }) => [...fails, ...warns])
    expect(new Set(caught.flat()).size).toBe(caught.flat().length)
    const places = group.flatMap((fault, index) => {
      const requirements = (caught[index] ?? []).map((id) => id.split('/')[0])
      return [...new Set(requirements)].map((each) => `${chapterOf(fault)} ${each}`)
    })
    expect(new Set(places).size, ids.join()).toBe(places.length)
  }
})

const fileOf = (id: string) => all.variants.find((one) => one.id === id)?.theme ?? ''
const freedomsOf = (jobs: Job[]) =>
  jobs.filter(({ kind, ids }) => kind === 'variant' && ids.length > 1).map(({ ids }) => ids)

test('variants that share a bank are of different themes; what rewrites whole bodies is outside', () => {
  const groups = [7, 8, 9].flatMap((seed) => freedomsOf(wholeProof(all, seed)))
  expect(groups.filter((ids) => ids.map(fileOf).includes('bodies')).length).toBeGreaterThan(10)
  for (const ids of groups) {
    const themes = ids.map(fileOf)
    expect(new Set(themes).size, ids.join()).toBe(ids.length)
    const outside = ['transport', 'bodies'].filter((theme) => themes.includes(theme))
    expect(themes.slice(0, outside.length), ids.join()).toEqual(outside)
  }
})

test('what keeps musts from being judged meets only its like, which keeps others, and is in no draw', () => {
  const blockedBy = (id: string) => all.variants.find((one) => one.id === id)?.blocks
  const groups = freedomsOf(wholeProof(all, 7)).map((ids) => ids.map(blockedBy))
  const blocking = groups.filter((blocks) => blocks.some((each) => each !== undefined))
  expect(blocking.length).toBeGreaterThan(1)
  for (const blocks of blocking) {
    expect(blocks).not.toContain(undefined)
    expect(new Set(blocks.flat()).size).toBe(blocks.flat().length)
  }
  expect(namesOf(drawsOf(all, 2, 7)).filter(blockedBy)).toEqual([])
})

test('freedoms that were once found wanting together meet, whatever the draw', () => {
  for (const seed of [7, 8]) {
    const groups = freedomsOf(wholeProof(all, seed))
    for (const pair of MET) {
      expect(
        groups.some((ids) => pair.every((id) => ids.includes(id))),
        pair.join(),
      ).toBe(true)
    }
  }
})

test('faults that a freedom once hid meet it, whatever the draw', () => {
  for (const seed of [7, 8]) {
    const names = namesOf(wholeProof(all, seed))
    for (const pair of HID) expect(names).toContain(pair.join(' + '))
  }
})

test('faults that shared a bank do so again, with what is still expected of them', () => {
  const [one, other, third] = groupFaults(all.faults).findLast(({ length }) => length > 2) ?? []
  if (!one || !other || !third) throw new Error('no three faults share a bank')
  const ids = ({ id }: { id: string }) => id
  const before = [[one.id, third.id, 'gone-since'], ['gone-as-well']]
  const faults = [one, other, third]
  expect(groupFaults(faults, 16, before).map((group) => group.map(ids).sort())).toEqual([
    [one.id, third.id].sort(),
    [other.id],
  ])
  // Expected where another of its group is, it can no longer be told from it.
  const changed = { ...one, id: third.id }
  const groups = groupFaults([one, changed], 16, before).map((group) => group.map(ids))
  expect(groups).toHaveLength(2)
})

test('most faults of the whole proof share a bank with those with whom they did before', () => {
  const jobs = wholeProof(all, 7).filter(({ kind }) => kind === 'fault')
  const known = new Set(all.faults.map(({ id }) => id))
  const still = TOGETHER.flat().filter((id) => known.has(id))
  expect(new Set(TOGETHER.flat()).size).toBe(TOGETHER.flat().length)
  expect(still.length).toBeGreaterThan(all.faults.length / 2)
  for (const group of TOGETHER) {
    const jobsOf = jobs.filter(({ ids }) => group.some((id) => ids.includes(id)))
    expect(jobsOf.length).toBeLessThanOrEqual(3)
  }
})

test('who comes or goes leaves most others where they were drawn', () => {
  const [gone, ...variants] = all.variants
  const fewer = { ...all, faults: all.faults.slice(1), variants }
  const before = freedomsOf(wholeProof(all, 7)).map(String)
  const after = freedomsOf(wholeProof(fewer, 7)).map(String)
  expect(after.filter((ids) => before.includes(ids)).length).toBeGreaterThan(before.length / 2)
  const still = namesOf(mixedJobs(all, 24, 7)).filter(
    (name) => !name.split(' + ').some((id) => id === gone?.id || id === all.faults[0]?.id),
  )
  expect(namesOf(mixedJobs(fewer, 24, 7))).toEqual(expect.arrayContaining(still))
})

test('of faults with a freedom each that share a bank no two are of one chapter', () => {
  for (const job of mixedJobs(all, 400, 7)) {
    const faults = mixedOf(all, job.ids).map(([fault]) => fault)
    expect(new Set(faults.map(chapterOf)).size, job.ids.join()).toBe(faults.length)
  }
  expect(namesOf(mixedJobs(all, 400, 7, true)).sort()).toEqual(
    namesOf(mixedJobs(all, 400, 7)).sort(),
  )
})

test('faults that others hid are proven in ever smaller groups, in the end alone', () => {
  const hidden = all.faults.slice(0, 60).map(({ id }) => id)
  const sizes = [1, 2, 3, 4, 5].map((round) => {
    const jobs = amongOthers(all, hidden, round)
    expect(namesOf(jobs).sort()).toEqual(hidden.toSorted())
    return Math.max(...jobs.map(({ ids }) => ids.length))
  })
  expect(sizes).toEqual(sizes.toSorted((one, other) => other - one))
  expect(sizes.at(-1)).toBe(1)
})

test('every chapter of a fault has freedoms, and every theme is of some chapter', () => {
  const themes = new Set(all.faults.map(chapterOf).flatMap(themesOf))
  for (const fault of all.faults) {
    expect(CHAPTERS, fault.id).toContain(chapterOf(fault))
    expect(themesOf(chapterOf(fault)), fault.chapter).not.toEqual([])
  }
  const homeless = all.variants.map(themeOf).filter((theme) => !themes.has(theme))
  expect(homeless, 'name the chapters of these themes in proof/run/chapters.ts').toEqual([])
})

test('the same seed draws the same, another one others', () => {
  expect(mixedJobs(all, 24, 7)).toEqual(mixedJobs(all, 24, 7))
  expect(mixedJobs(all, 24, 8)).not.toEqual(mixedJobs(all, 24, 7))
  const every = namesOf(mixedJobs(all, Number.POSITIVE_INFINITY, 7))
  expect(new Set(every).size).toBe(every.length)
})

test('a check is proven by the faults that name it and the freedoms of its chapter', () => {
  const chapter = 'account-information/transactions'
  const jobs = about(all, ['TXN-17/to-alone'], [], () => chapter)
  const faults = jobs.filter(({ kind }) => kind === 'fault').flatMap(({ ids }) => ids)
  const catching = all.faults.filter(({ fails }) => fails.includes('TXN-17/to-alone'))
  expect(faults.sort()).toEqual(catching.map(({ id }) => id).sort())
  const kinds = new Set(jobs.map(({ kind }) => kind))
  expect([...kinds]).toEqual(['correct', 'fault', 'variant'])
  for (const { near } of jobs) expect(near).toEqual(['TXN-17/to-alone'])
})

test('the faults of a chapter, and the correct bank beside them, are judged by the whole suite', () => {
  const chapter = 'account-information/balances'
  const jobs = about(
    all,
    ['TXN-17/to-alone'],
    ['balances'],
    () => 'account-information/transactions',
  )
  const whole = jobs.filter(({ near }) => near === undefined)
  expect([...new Set(whole.map(({ kind }) => kind))]).toEqual(['correct', 'fault'])
  for (const id of whole.slice(1).flatMap(({ ids }) => ids)) {
    expect(all.faults.find((each) => each.id === id && chapterOf(each) === chapter)).toBeDefined()
  }
})

test('names that nobody wrote are said', () => {
  expect(() => named(all, ['no-such-fault'], [])).toThrow(UnknownProof)
  expect(() => about(all, ['TXN-99/none'], [], () => undefined)).toThrow('TXN-99/none')
  expect(() => about(all, [], ['transaction'], () => undefined)).toThrow('transaction')
})

const fault = {
  id: 'f',
  story: '',
  fails: ['TXN-17/to-alone'],
  chapter: 'account-information/transactions',
}
const variant = { id: 'v', story: '', theme: 'data' } satisfies Variant & { theme: string }
const judged = (fails: string[], fired = 1): Judged => ({
  id: 'f + v',
  fails,
  warns: [],
  blocks: [],
  errors: [],
  fired,
  exitCode: 0,
  requests: 0,
  milliseconds: 0,
  messages: {},
  leftBehind: 0,
})

test('what is expected of others that share the bank does not find a fault', () => {
  const chapter = () => 'account-information/transactions'
  const found = (fails: string[], others: Fault[] = []) =>
    isFound(fault, judged(fails), chapter, others)
  const other = { ...fault, id: 'other', fails: ['TXN-17/both'] }
  expect(found(['TXN-17/to-alone'], [other])).toBe(true)
  expect(found(['TXN-17/both'])).toBe(true)
  expect(found(['TXN-17/both'], [other])).toBe(false)
  expect(found([])).toBe(false)
})

test('a freedom that hides a fault is told; one that moves it within its chapter is not', () => {
  const chapter = (id: string) =>
    `account-information/${id.startsWith('TXN') ? 'transactions' : 'data'}`
  const told = (fails: string[], fired = 1) =>
    mixedComplaints([fault satisfies Fault, variant], judged(fails, fired), chapter)
  expect(told(['TXN-17/to-alone'])).toEqual([])
  expect(told(['TXN-17/both'])).toEqual([])
  expect(told([])).toEqual(['v hides f'])
  expect(told(['DATA-08/absent'])).toEqual(['v hides f'])
  expect(told([], 0)).toEqual([])
  const unjudged = { ...judged([]), messages: { 'TXN-17/to-alone': 'needs booked rows' } }
  expect(mixedComplaints([fault, variant], unjudged, chapter)).toEqual([])
})
