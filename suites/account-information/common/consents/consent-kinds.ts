import type { Context } from '../../../../engine/suite-api/check.ts'
import type { ClientName } from '../../../../engine/suite-api/consents.ts'
import { relyOn } from '../../../../engine/suite-api/expect.ts'
import { type Caller, requireValue } from '../../../../engine/suite-api/flow.ts'
import type { Exchange } from '../../../../engine/suite-api/responses.ts'
import { OWNERS } from '../../../owners.ts'
import { clientsOf } from '../registration/clients.ts'
import { consentPath, createConsent } from './consent-requests.ts'
import { ableToDelete, fundsPath, newFundsId } from './funds-consents.ts'

/** The two kinds of consent. The requirements on their deletion are the same. */
export interface ConsentKind {
  name: 'account-access' | 'funds-confirmation'
  funds: boolean
  /** The clients of the target that create such consents. */
  creators(context: Context): Promise<readonly ClientName[]>
  /** The clients that can also delete them. */
  clients(context: Context): Promise<readonly ClientName[]>
  /** A new consent of a client, and its path; its creation is the control of later requests. */
  create(context: Context, name: ClientName): Promise<{ client: Caller; path: string }>
  /** The answer that shows whether a consent still exists: the owner's query or, if there is none, its deletion. */
  isThere(client: Caller, path: string): Promise<Exchange>
  /** The check that owns this answer. */
  owner: string
}

export const accountAccess: ConsentKind = {
  name: 'account-access',
  funds: false,
  creators: async (context) => clientsOf(context),
  clients: async (context) => clientsOf(context),
  async create({ caller }, name) {
    const client = await caller(name)
    const path = consentPath(await createConsent(client))
    relyOn(OWNERS.query, await client.get(path)).toSucceed()
    return { client, path }
  },
  isThere: (client, path) => client.get(path),
  owner: OWNERS.query,
}

export const fundsConfirmation: ConsentKind = {
  name: 'funds-confirmation',
  funds: true,
  async clients(context) {
    await ableToDelete(context)
    return this.creators(context)
  },
  async creators(context) {
    requireValue(await context.steps.fundsConfirmation())
    const second = clientsOf(context).includes('second') && (await secondHasFunds(context))
    return second ? ['first', 'second'] : ['first']
  },
  async create(context, name) {
    requireValue(await context.steps.fundsDeletion())
    const client = await context.caller(name)
    return { client, path: fundsPath(await newFundsId(client)) }
  },
  isThere: (client, path) => client.delete(path),
  owner: OWNERS.fundsDeletion,
}

/** Does the second client have the scope? It need not. */
async function secondHasFunds({ steps }: Context): Promise<boolean> {
  const step = await steps.fundsConfirmation('second').catch(() => undefined)
  return step?.value !== undefined
}
