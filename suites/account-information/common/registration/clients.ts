import type { Context } from '../../../../engine/suite-api/check.ts'
import type { ClientName } from '../../../../engine/suite-api/consents.ts'

/** The clients of the target, for a requirement that applies to each; in a quick run only the first. */
export function clientsOf({ target, cases }: Context<never>): readonly ClientName[] {
  return cases(target.clients.second ? ['first', 'second'] : ['first'])
}

/** The name of an operation by a client. */
export const placeName = (operation: string, client: ClientName): string =>
  client === 'first' ? operation : `${operation}, second client`
