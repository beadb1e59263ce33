import { type BankOptions, startBank } from '../../bank/bank.ts'
import {
  createDirectory,
  type Directory,
  type DirectoryOptions,
} from '../../bank/directory/directory.ts'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { type KeptState, packState } from '../../bank/state/kept-state.ts'
import type { BankHost } from '../../engine/certification/bank-host.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { NotApplicable } from '../../engine/judge/outcome.ts'
import { loadFaults, loadScenarioAlterations, loadVariants } from '../run/load.ts'
import { towardsTpps } from './towards-tpps.ts'

export interface HostOptions {
  /** A directory that is shared; absent: its own one, closed at the end. */
  directory?: Directory
  /** The TPP's own keys and redirect URIs, for an own directory. */
  enrol?: DirectoryOptions
  settings?: BankOptions['settings']
  /**
   * For a client that is configured once: every bank uses this first port, and knows the clients that registered with
   * earlier banks.
   */
  once?: { port: number; kept?: KeptState }
}

/** Clients and client tokens, but nothing about customers. */
function clientsOf(state: KeptState): KeptState {
  const records = state.records.filter(([key]) => /^(Client|ClientCredentials) /.test(key))
  return { ...state, records, consents: [] }
}

/** Opens the reference bank for each scenario, with the alteration that the scenario names. */
export async function createBankHost(options: HostOptions = {}): Promise<BankHost> {
  const known = await knownAlterations()
  const directory = options.directory ?? (await createDirectory(options.enrol))
  let kept = options.once?.kept && clientsOf(options.once.kept)
  return {
    async open({ alteration, onSighting }) {
      const altered = alteration === undefined ? undefined : known.get(alteration)
      if (alteration !== undefined && !altered) {
        throw new Error(`no fault, variant or scenario alters a bank by ${alteration}`)
      }
      const bank = await startBank({
        directory,
        alterations: altered ? [altered] : [],
        policies: towardsTpps.policies,
        settings: { ...towardsTpps.settings, ...options.settings },
        ...(options.once && { port: options.once.port, kept }),
        onSighting,
      })
      const document = structuredClone(bank.target) as TargetDocument
      return {
        document,
        issuer: bank.services.endpoints.issuer,
        own: {
          signing: options.enrol?.jwks?.first !== undefined,
          transport: options.enrol?.transports?.first !== undefined,
        },
        renew(side) {
          if (side === 'bank') return bank.renewCertificate()
          if (options.once || options.enrol?.transports?.first) {
            throw new NotApplicable('the client has its transport certificate from elsewhere')
          }
          bank.renewTransport()
          document.clients.first.transport = directory.renewed.transport
        },
        async impersonate(by, at) {
          if (await bank.impersonate(by, at)) return
          throw new NotApplicable(
            'the directory was made by an earlier version, and has no such certificate',
          )
        },
        async close() {
          if (options.once) kept = clientsOf(packState(bank.services))
          await bank.close()
        },
      }
    },
    async close() {
      if (!options.directory) await directory.close()
    },
  }
}

/** What each alteration does, in a sentence. */
export async function alterationStories(): Promise<Map<string, string>> {
  return new Map([...(await knownAlterations())].map(([id, { story }]) => [id, story]))
}

/** All alterations of a bank by id. */
async function knownAlterations(): Promise<Map<string, Alteration>> {
  const all = await Promise.all([loadScenarioAlterations(), loadVariants(), loadFaults()])
  return new Map(all.flat().map((each) => [each.id, each]))
}
