import type { Context } from '../../../../engine/suite-api/check.ts'
import type { Tpp } from '../../../../engine/suite-api/client.ts'
import { now } from '../../../../engine/suite-api/clock.ts'
import type { ClientName } from '../../../../engine/suite-api/consents.ts'
import { matchers } from '../../../../engine/suite-api/expect.ts'
import { type Asked, askTable, type OpenPlace } from '../../../tables.ts'
import { redirectUri } from '../../../values/redirect-uri.ts'
import type { RedirectUris } from '../../../values/redirect-uri-rows.ts'
import { placeName } from '../registration/clients.ts'
import { isWrong } from './redirect-places.ts'

/** The token endpoint, which accepts only the redirect URI of the authorisation request. */

/** A code that has not been exchanged. */
export interface OneCode {
  tpp: Tpp
  code: string
  redirectUri: string
}

const tokenOf = (client: ClientName) => ({
  name: placeName('token', client),
  kind: 'token',
  dear: true as const,
  enough: 1,
})

/** Milliseconds after which a code is not tried any more: it is valid for a minute, and is needed afterwards. */
const TRIED_FOR = 30_000

/**
 * Tries a code with wrong redirect URIs. Only a later exchange shows whether the code was valid all the time.
 *
 * @param another used if the run asks every cell: a new code in place of one that was accepted or is old.
 * @returns also the code that was tried last.
 */
export async function askWithCode<Code extends OneCode>(
  context: Context<never>,
  owner: string,
  client: ClientName,
  { first, another }: { first: Code; another: () => Promise<Code> },
): Promise<{ asked: Asked; last: Code }> {
  let last: Code | undefined
  const other = client === 'first' ? 'second' : 'first'
  const asked = await askTable(context, {
    ...{ owner, type: redirectUri, rows: isWrong },
    places: [
      {
        ...tokenOf(client),
        async open() {
          last = last ? await another() : first
          return opened(last, context.target.clients[other]?.redirectUris)
        },
      },
    ],
    beside: context.target.clients.second ? [tokenOf(other)] : [],
  })
  return { asked, last: last ?? first }
}

function opened(
  { tpp, code, redirectUri }: OneCode,
  ofOthers: readonly string[] = [],
): OpenPlace<RedirectUris, string> {
  const since = now()
  const own = (tpp.registered?.redirect_uris ?? []).filter((uri) => uri !== redirectUri)
  const grant = { grant_type: 'authorization_code', code, redirect_uri: redirectUri } as const
  return {
    right: { registered: [redirectUri], ofOthers: [...own, ...ofOthers] },
    ask: (uri, deviation) => tpp.token(grant, { form: { redirect_uri: uri }, deviation }),
    judge: matchers.toGiveNoToken,
    lasts: () => now() - since < TRIED_FOR,
  }
}
