import { beforeAll, expect, test } from 'vitest'
import { startBank } from '../../bank/bank.ts'
import type { Directory } from '../../bank/directory/directory.ts'
import { httpDriver } from '../../engine/authorisation-drivers/http.ts'
import type { NamedConsent } from '../../engine/client-session/consent.ts'
import { createSession } from '../../engine/client-session/session.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { batchApprovals } from '../../engine/run/batch-approvals.ts'
import { createWire } from '../../engine/wire/wire.ts'
import { loadVariants } from '../../proof/run/load.ts'
import * as consents from '../../suites/consents.ts'
import { owners } from '../../suites/owners.ts'
import { openDirectory } from '../directory.ts'

let directory: Directory
beforeAll(async () => {
  directory = await openDirectory()
})

const ALL: NamedConsent[] = [
  consents.everything,
  consents.secondClient,
  consents.codeOfAnotherClient,
  consents.accountsOnly,
  consents.secondCustomer,
]

/** Whom a sitting asks, at a bank of this variant. */
async function asked(
  variants: string[] = [],
  change: (document: TargetDocument) => void = () => {},
): Promise<string[]> {
  const known = await loadVariants()
  const alterations = known.filter(({ id }) => variants.includes(id))
  expect(alterations).toHaveLength(variants.length)
  const bank = await startBank({ directory, alterations })
  const document = structuredClone(bank.target) as TargetDocument
  change(document)
  const target = targetFrom(document)
  const wire = createWire(target)
  const driver = httpDriver(wire, targetFrom(document), document.authorisation.forms ?? [])
  const session = createSession({
    owners,
    target,
    wire,
    driver,
    schemas: [],
    rules: [],
  })
  try {
    await batchApprovals(session, ALL)
    return session.visits.map(({ name }) => name.split(':')[0] ?? '')
  } finally {
    await session.close()
    await bank.close()
  }
}

test('asks for all that lives long enough; a code that is to be left alone does not', async () => {
  expect(await asked()).toEqual(['everything', 'second client', 'accounts only', 'second customer'])
})

test('leaves it at the first where the bank’s tokens do not last', async () => {
  expect(await asked(['no-refresh-tokens', 'short-lived-tokens'])).toEqual(['everything'])
})

test('goes on without refresh tokens where access tokens last', async () => {
  const names = await asked(['no-refresh-tokens', 'tokens-of-a-year'])
  expect(names).toEqual(['everything', 'second client', 'accounts only', 'second customer'])
})

test('leaves out whom the target lacks, and what is to expire within minutes', async () => {
  const names = await asked([], (document) => {
    document.customers.second = undefined
    document.clients.second = undefined
    document.hooks = undefined
    document.expiryPatience = 600
  })
  expect(names).toEqual(['everything'])
})
