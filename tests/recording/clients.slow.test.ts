import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { asHar } from '../../bench/as-har.ts'
import type { BankHost } from '../../engine/certification/bank-host.ts'
import { openRecordedClient } from '../../engine/certification/recorded-client.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { judgeRecording } from '../../engine/recording/judge-recording.ts'
import { openRecording } from '../../engine/recording/read-files.ts'
import { recordingTarget } from '../../engine/recording/recording-target.ts'
import type { Exchange } from '../../engine/wire/exchange.ts'
import { createRedactor } from '../../engine/wire/redaction.ts'
import { createBankHost } from '../../proof/tpp/bank-host.ts'
import { groupTpps } from '../../proof/tpp/grouping.ts'
import { inProcess } from '../../proof/tpp/in-process.ts'
import { tppsToProve } from '../../proof/tpp/prove-tpp.ts'
import { conductOf } from '../../proof/tpp/shared-conduct.ts'
import type { ProvenTpp } from '../../proof/tpp/tpp-proof.ts'
import { certified, tppCatalogue, tppSuites } from '../certification/opened.ts'
import { openDirectory } from '../directory.ts'
import { asLog } from './as-log.ts'

/**
 * A client is judged by recordings alone as by its certification, as far as a recording tells. Recorded is each scenario
 * at a bank that is right: between two wrong parties a recording cannot say who began.
 */

const PATIENCE = 600_000

const LOGS = ['Kong', 'nginx', 'Envoy', 'AWS API Gateway']

const folder = mkdtempSync(join(tmpdir(), 'assay-recorded-clients-'))
afterAll(() => rmSync(folder, { recursive: true }))

interface Session {
  document: TargetDocument
  exchanges: Exchange[]
  broken: string[]
}

/** The exchanges of a client with each bank that was right, and the rules that they broke in its certification. */
async function sessionsOf(tpps: ProvenTpp[]): Promise<Session[]> {
  const directory = await openDirectory()
  const correct = await createBankHost({ directory })
  const sessions: Session[] = []
  // Ports are given again once a bank is closed.
  const open = new Set<Session>()
  const host: BankHost = {
    ...correct,
    async open(options) {
      const bank = await correct.open(options)
      if (options.alteration === undefined) {
        const document = structuredClone(bank.document)
        const session = { document, exchanges: [], broken: [] }
        sessions.push(session)
        open.add(session)
        const close = () => {
          open.delete(session)
          return bank.close()
        }
        return { ...bank, close }
      }
      return bank
    },
  }
  const { scenarios, rules } = await tppSuites()
  const asked = new Set([
    ...scenarios.filter(({ alteration }) => alteration === undefined).map(({ id }) => id),
    ...rules.map(({ id }) => id),
  ])
  try {
    await certified(inProcess(conductOf(tpps, () => undefined)), {
      ...{ host, directory },
      selected: (id) => asked.has(id),
      onExchange(exchange, broken) {
        const session = sessionOf(open, exchange)
        session?.exchanges.push(exchange)
        session?.broken.push(...broken)
      },
    })
  } finally {
    await correct.close()
    await directory.close()
  }
  return sessions.filter(({ exchanges }) => exchanges.length > 0)
}

function sessionOf(sessions: Set<Session>, { request }: Exchange): Session | undefined {
  if (request.method === 'CONNECT') return undefined
  const { hostname, port } = new URL(request.url)
  return [...sessions].find(({ document }) =>
    Object.values(document.addresses as Record<string, string>).some(
      (address) => URL.canParse(address) && new URL(address).host === `${hostname}:${port}`,
    ),
  )
}

/** Ids of the rules that a recording of the session shows as broken. */
async function brokenInRecording({ document, exchanges }: Session, count: number, log?: string) {
  const file = join(folder, `${count}.${log ?? 'har'}`)
  writeFileSync(file, log === undefined ? asHar(exchanges) : asLog(log, exchanges))
  const target = recordingTarget(document)
  const redactor = createRedactor(target.secrets)
  const [bank, tpp] = ['bank', 'tpp'].map((name) => mkdtempSync(join(folder, name)))
  const client = openRecordedClient({
    ...{ suites: await tppSuites(), catalogue: tppCatalogue(), redactor, target, version: '0' },
    ...{ out: tpp as string, isRecorded: true },
  })
  await judgeRecording({
    ...{ files: [openRecording(file)], target, redactor, out: bank as string, version: '0' },
    ...{ catalogue: tppCatalogue(), suites: { rules: [], schemas: [], checks: [] } },
    described: { name: 'a bank', configurationDigest: '' },
    onJudged: client.takeRecorded,
  })
  const { checks } = client.finish()
  return checks
    .filter(({ outcome }) => outcome === 'fail' || outcome === 'warn')
    .map(({ id }) => id)
}

test(
  'nothing is held against the right client, and against none that is lawful',
  async () => {
    const all = await tppsToProve()
    const lawful = all.filter(({ kind }) => kind !== 'wrong')
    const jobs = groupTpps(lawful, { suites: await tppSuites() })
    let judged = 0
    for (const { ids } of jobs) {
      const tpps = lawful.map(({ tpp }) => tpp).filter(({ id }) => ids.includes(id))
      for (const session of await sessionsOf(tpps)) {
        judged += 1
        // Each as HAR, and as one of the logs in turn.
        for (const log of [undefined, LOGS[judged % LOGS.length]]) {
          expect(await brokenInRecording(session, judged, log), ids.join()).toEqual([])
        }
      }
    }
    expect(judged).toBeGreaterThan(10)
  },
  PATIENCE,
)

test(
  'what rules find of wrong clients is found in a recording of them',
  async () => {
    const suites = await tppSuites()
    const rules = new Set(suites.rules.map(({ id }) => id))
    const all = await tppsToProve()
    const wrong = all.filter(({ kind, tpp }) => kind === 'wrong' && byRules(tpp, rules))
    const missed = new Set<string>()
    const found = new Set<string>()
    let judged = 1000
    for (const { ids } of groupTpps(wrong, { suites })) {
      const tpps = wrong.map(({ tpp }) => tpp).filter(({ id }) => ids.includes(id))
      for (const session of await sessionsOf(tpps)) {
        judged += 1
        const broken = await brokenInRecording(session, judged)
        const known = new Set(session.broken)
        expect(
          broken.filter((id) => !known.has(id)),
          ids.join(),
        ).toEqual([])
        for (const id of broken) found.add(id)
        for (const id of known) if (!broken.includes(id)) missed.add(id)
      }
    }
    for (const id of found) missed.delete(id)
    expect([...missed].sort()).toEqual(UNTOLD)
    expect(found.size).toBeGreaterThan(40)
  },
  PATIENCE,
)

const byRules = ({ fails = [], warns = [] }: ProvenTpp, rules: Set<string>) =>
  [...fails, ...warns].some((id) => rules.has(id))

/** Rules that need what no recording of a client tells. */
const UNTOLD = [
  // The target file names no client, and the registration may have been earlier.
  'TAUT-01/client',
  // Sessions are recorded apart, and nonce and state may be made of the session.
  'TAUT-07/nonce',
  'TAUT-08/state',
  // Whether the customer is there.
  'TDAT-03/absent',
  // The token endpoint asks for none, and no log says what a connection showed.
  'TGEN-02/certificate',
  // Sessions are recorded apart, each with one registration.
  'TREG-05/jti-fresh',
]
