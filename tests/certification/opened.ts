import { join, resolve } from 'node:path'
import type { Directory } from '../../bank/directory/directory.ts'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { type Certification, certify } from '../../engine/certification/certify.ts'
import type { ClientDriver } from '../../engine/certification/client.ts'
import { openCustomers } from '../../engine/certification/customer.ts'
import { GOALS, type Goal } from '../../engine/certification/scenario.ts'
import { loadTppSuites } from '../../engine/certification/suite.ts'
import { createBankHost } from '../../proof/tpp/bank-host.ts'
import { openDirectory } from '../directory.ts'

export const root = resolve(import.meta.dirname, '..', '..')

const catalogue = loadCatalogue(undefined, 'TPP')
export const tppCatalogue = () => catalogue

const suites = loadTppSuites(join(root, 'suites', 'tpp'), catalogue)
export const tppSuites = () => suites

/** Certifies a client against banks of this process. */
export async function certified(
  client: ClientDriver,
  options: Partial<Certification> & { directory?: Directory } = {},
) {
  const own = options.host || options.directory ? undefined : await openDirectory()
  const host = options.host ?? (await createBankHost({ directory: options.directory ?? own }))
  const customers = await openCustomers()
  try {
    return await certify({
      suites: await tppSuites(),
      catalogue: tppCatalogue(),
      host,
      client,
      customers,
      goals: Object.keys(GOALS) as Goal[],
      parallel: 3,
      patience: 0,
      ...options,
    })
  } finally {
    await client.close()
    await customers.close()
    if (!options.host) await host.close()
    await own?.close()
  }
}
