import { afterAll, expect, test } from 'vitest'
import { groupTpps } from '../../proof/tpp/grouping.ts'
import { openTppProofs, proveTpps, type TppProof, tppsToProve } from '../../proof/tpp/prove-tpp.ts'
import { conductOf, decisionsOf } from '../../proof/tpp/shared-conduct.ts'
import type { ProvenTpp } from '../../proof/tpp/tpp-proof.ts'

const [context, all] = await Promise.all([openTppProofs(), tppsToProve()])
const groups = groupTpps(all, context).map(({ ids }) => ids)
const tppOf = (id: string) => all.find(({ tpp }) => tpp.id === id)?.tpp as ProvenTpp

afterAll(() => context.close())

test('each TPP is proven once, most of them in company', () => {
  expect(groups.flat().sort()).toEqual(all.map(({ tpp }) => tpp.id).sort())
  const reading = all.filter(({ tpp }) => !tpp.stops)
  const clients = groups.filter(([id = '']) => !tppOf(id).stops)
  expect(clients.length).toBeLessThan(reading.length / 2)
})

test('who shares a client takes other decisions, and no id is of two', () => {
  for (const group of groups.filter(({ length }) => length > 1)) {
    const tpps = group.map(tppOf)
    const decisions = tpps.flatMap(decisionsOf)
    expect(new Set(decisions).size).toBe(decisions.length)
    const ids = tpps.flatMap(({ fails = [], warns = [] }) => [...fails, ...warns])
    expect(new Set(ids).size).toBe(ids.length)
    expect(tpps.filter(({ stops, goals }) => stops || goals)).toEqual([])
  }
})

test('several in one client: the parts of each, and whose was asked for', () => {
  const taken = new Set<string>()
  const [one, other] = [tppOf('members-all-known'), tppOf('classes-generated-once')]
  const conduct = conductOf([one, other], (id) => taken.add(id))
  expect(conduct.needs.booked).toBe(false)
  expect(taken.size).toBe(0)
  expect(conduct.needs.members).toBe(true)
  expect([...taken]).toEqual([one.id])
  expect(conduct.needs.shapes).toBe(true)
  expect([...taken]).toEqual([one.id, other.id])
  expect(() => conductOf([one, one], () => {})).toThrow(TypeError)
})

async function prove(group: ProvenTpp[]): Promise<TppProof[]> {
  const parts: ProvenTpp[][] = []
  const proofs = await proveTpps(context, 'wrong', group, (part) => parts.push(part))
  for (const part of parts) proofs.push(...(await prove(part)))
  return proofs
}

test('what another hid is proven by itself, and the other holds', async () => {
  const pair = ['no-transport-certificate', 'filter-is-a-day'].map(tppOf)
  const proofs = await prove(pair)
  const both = pair.map(({ id }) => id).join(' + ')
  expect(proofs.map(({ id, complaints, besides }) => [id, complaints, besides])).toEqual([
    [pair[0]?.id, [], both],
    [pair[1]?.id, [], undefined],
  ])
})

test('a group that shows what none of its members says is proven in halves', async () => {
  const [one, other] = [tppOf('registration-of-another-type'), tppOf('registers-for-rs256')]
  const [id = ''] = one.fails ?? []
  const silent = { ...one, fails: [] }
  const proofs = await prove([silent, other])
  const complaints = proofs.flatMap((proof) => proof.complaints)
  expect(proofs.map(({ besides }) => besides)).toEqual([undefined, undefined])
  expect(complaints).toContainEqual(expect.stringContaining(`${id} was not expected`))
})

test('one that does not do what it says does not hold', async () => {
  const complaintsOf = async (tpp: ProvenTpp) =>
    (await prove([tpp])).flatMap(({ complaints }) => complaints)
  const stopping = tppOf('no-transport-certificate')
  expect(await complaintsOf({ ...stopping, fails: [] })).toEqual([
    expect.stringContaining('was not expected'),
    'a wrong TPP names what catches it',
  ])
  expect(await complaintsOf({ ...stopping, stops: undefined })).toEqual([
    expect.stringContaining('`stops: true`'),
  ])
})
