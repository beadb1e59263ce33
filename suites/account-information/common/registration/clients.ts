import type { Context } from '../../../../engine/suite-api/check.ts'
import type { ClientName } from '../../../../engine/suite-api/consents.ts'

/** The clients of the target, for whom a sentence holds alike; the first alone in a quick run. */
export function clientsOf({ target, cases }: Context<never>): readonly ClientName[] {
  return cases(target.clients.second ? ['first', 'second'] : ['first'])
}

/** What is done, and by whom. */
export const placeName = (operation: string, client: ClientName): string =>
  client === 'first' ? operation : `${operation}, second client`
