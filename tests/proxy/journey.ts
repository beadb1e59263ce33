import { mkdtempSync, rmSync } from 'node:fs'
import { createServer } from 'node:http'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { expect } from 'vitest'
import type { Directory } from '../../bank/directory/directory.ts'
import { chooseDriver } from '../../engine/authorisation-drivers/choose.ts'
import { listenHere, shut } from '../../engine/authorisation-drivers/loopback-server.ts'
import type { BankSighting, HostedBank } from '../../engine/certification/bank-host.ts'
import { briefingOf } from '../../engine/certification/client.ts'
import { commandClient } from '../../engine/certification/command-client.ts'
import { openCustomers } from '../../engine/certification/customer.ts'
import type { Goal, Said, Scenario } from '../../engine/certification/scenario.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { percentDecoded } from '../../engine/record/percent.ts'
import type { Report } from '../../engine/report/report.ts'
import { createWire } from '../../engine/wire/wire.ts'
import { createBankHost } from '../../proof/tpp/bank-host.ts'
import { executablePath, STEPS } from '../authorisation-drivers/opened.ts'
import { root } from '../certification/opened.ts'
import { openProxied } from './opened.ts'

export interface Journey {
  bank: Report
  tpp: Report
  said: Omit<Said, 'goal'>[]
  sightings: BankSighting[]
}

/** What is asked of a client, each goal after the one before; through the proxy, as its customer goes too. */
export async function journeyAt(
  directory: Directory,
  options: {
    command: string[]
    goals: Goal[]
    /** What is asked of it before the proxy is there. */
    before?: Goal[]
    alteration?: string
    visit?: (document: TargetDocument) => Promise<Visiting>
  },
): Promise<Journey> {
  const { command, goals } = options
  const sightings: BankSighting[] = []
  const host = await createBankHost({ directory })
  const onSighting = (sighting: BankSighting) => void sightings.push(sighting)
  const hosted = await host.open({ alteration: options.alteration, onSighting })
  const state = mkdtempSync(join(tmpdir(), 'assay-proxy-state-'))
  const { before = [] } = options
  expect(await pursued(command, before, hosted, { state, visit: throughForms })).toEqual(
    before.map(() => ({ end: 'done', words: expect.anything() })),
  )
  const proxied = await openProxied(hosted.document)
  try {
    const said = await pursued(command, goals, hosted, {
      ...{ state, url: proxied.proxy.url, trust: proxied.trust },
      visit: options.visit ?? throughForms,
    })
    return { ...(await proxied.proxy.finish()), said, sightings }
  } finally {
    await hosted.close()
    await host.close()
    for (const each of [proxied.out, state]) rmSync(each, { recursive: true })
  }
}

export interface Visiting {
  visit: string
  leave(): Promise<void>
}

export async function pursued(
  command: string[],
  goals: Goal[],
  hosted: HostedBank,
  proxy: {
    /** Folder of what the client keeps. */
    state: string
    /** Absent: straight to the bank. */
    url?: string
    trust?: string
    visit(document: TargetDocument): Promise<Visiting>
  },
): Promise<Omit<Said, 'goal'>[]> {
  const { state, url = '', trust } = proxy
  const document = { ...hosted.document, ...(trust && { proxy: url, trust: [trust] }) }
  const customer = await proxy.visit(document)
  const scenario = { id: 'proxy', title: 'through the proxy' } as Scenario
  const words = ['env', `HTTPS_PROXY=${url}`, ...command]
  const client = commandClient({ command: words, base: root, patience: 60_000 })
  const said: Omit<Said, 'goal'>[] = []
  try {
    for (const goal of goals) {
      const places = { visit: customer.visit, folder: state }
      const briefing = briefingOf({ ...hosted, document }, scenario, goal, places)
      said.push(await client.pursue(briefing))
    }
  } finally {
    await customer.leave()
  }
  return said
}

/** A customer who fills the bank's forms. */
export async function throughForms(document: TargetDocument): Promise<Visiting> {
  const customers = await openCustomers()
  const { visit, leave } = customers.admit(document, 'approve')
  return {
    visit,
    async leave() {
      await leave()
      await customers.close()
    },
  }
}

/** A customer in a real browser. */
export async function throughBrowser(described: TargetDocument): Promise<Visiting> {
  const document = { ...described, authorisation: { driver: 'browser' as const, steps: STEPS } }
  const target = targetFrom(document)
  const wire = createWire(target)
  const driver = chooseDriver(target, wire, { executable: executablePath } as never)
  const server = createServer(async (request, response) => {
    const link = percentDecoded(request.url?.split('link=')[1] ?? '')
    const end = await driver.visit({
      ...{ url: link, redirectUris: document.clients.first.redirectUris, decision: 'approve' },
      ...{
        customer: document.customers.first,
        customerName: 'first',
        purpose: 'a test',
        about: {},
      },
    })
    response.end(end.kind === 'redirected' ? end.url : JSON.stringify(end))
  })
  return {
    visit: `${await listenHere(server)}/?link=`,
    async leave() {
      await driver.close()
      await wire.close()
      await shut(server)
    },
  }
}
