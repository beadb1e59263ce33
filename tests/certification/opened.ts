import { join, resolve } from 'node:path'
import type { Directory } from '../../bank/directory.ts'
import { loadCatalogue } from '../../engine/catalogue/catalogue.ts'
import { type Certification, certify } from '../../engine/certification/certify.ts'
import type { ClientDriver } from '../../engine/certification/client.ts'
import { openCustomers } from '../../engine/certification/customer.ts'
import { GOALS, type Goal } from '../../engine/certification/scenario.ts'
import { loadTppSuites } from '../../engine/certification/suite.ts'
import { createBankHost } from '../../proof/tpp/bank-host.ts'

export const root = resolve(import.meta.dirname, '..', '..')

export const tppCatalogue = () => loadCatalogue(undefined, 'TPP')

export const tppSuites = () => loadTppSuites(join(root, 'suites', 'tpp'), tppCatalogue())

/** Certifies a client against banks of this process. */
export async function certified(
  client: ClientDriver,
  options: Partial<Certification> & { directory?: Directory } = {},
) {
  const host = await createBankHost({ directory: options.directory })
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
    await host.close()
  }
}
