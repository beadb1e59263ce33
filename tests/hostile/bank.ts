import type { Server as HttpsServer } from 'node:https'
import { type AddressInfo, Server } from 'node:net'
import { expect } from 'vitest'
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

/** The reference bank on loopback, in this process, and trouble with it. */

let opened: Promise<ProofContext> | undefined

/** Suites, requirements and a directory, made once a process. */
export function context(): Promise<ProofContext> {
  opened ??= openProofContext(openDirectory())
  return opened
}

/** Addresses of the document's table, each a listener of its own at the reference bank. */
export const LISTENERS = {
  authorisation: 'auth_url',
  api: 'base_url',
  discovery: 'discovery_url',
  products: 'product_api_url',
} as const

export type ListenerName = keyof typeof LISTENERS

/** Milliseconds for one request: whoever is silent here is so for good. */
export const TIMEOUT = 400

/** The open server behind an address of a target. */
export function serverAt(document: TargetDocument, name: ListenerName): HttpsServer {
  const port = Number(new URL(document.addresses[LISTENERS[name]] ?? '').port)
  const handles = (process as unknown as { _getActiveHandles(): unknown[] })._getActiveHandles()
  const found = handles.find(
    (handle): handle is HttpsServer =>
      handle instanceof Server && (handle.address() as AddressInfo | null)?.port === port,
  )
  if (!found) throw new Error(`no server listens on ${port}`)
  return found
}

/** The whole suite against the reference bank with these alterations, and this done to it. */
export async function judged(
  alterations: Alteration[],
  prepare: (document: TargetDocument) => void = () => {},
  only: string[] = [],
): Promise<BankRun> {
  return judgeBank(await context(), alterations, {
    scope: { profile: 'full', only },
    target(document) {
      document.timeout = TIMEOUT / 1000
      prepare(document)
    },
  })
}

export function outcomes(run: BankRun, ...wanted: Result['outcome'][]): string[] {
  return [...run.results.values()]
    .filter(({ outcome }) => wanted.includes(outcome))
    .map(({ id, outcome, message }) => `${outcome} ${id}: ${message.slice(0, 300)}`)
}

/** The trouble is nobody's nonconformance and no mistake of ours; what could be judged is. */
export function expectBlameless(run: BankRun, { some = true } = {}): void {
  expect(outcomes(run, 'fail', 'warn', 'error')).toEqual([])
  expect(outcomes(run, 'blocked').length).toBeGreaterThan(0)
  if (some) expect(outcomes(run, 'pass').length).toBeGreaterThan(0)
  expect([3, 4]).toContain(run.exitCode)
}
