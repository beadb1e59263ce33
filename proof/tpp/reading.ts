import { setTimeout as wait } from 'node:timers/promises'
import type { Conduct } from './conduct.ts'
import { checkedIdToken } from './id-token-check.ts'
import { inspected } from './inspect.ts'
import { Refusal } from './refusal.ts'
import type { Session } from './session.ts'
import { refused } from './wire.ts'

type Json = Record<string, unknown>

/** Reads every account, with its balances and transactions. */
export async function readAll(session: Session): Promise<void> {
  const { conduct, memory } = session
  if (!memory.accessToken) throw new Refusal('there is no access token: connect first')
  const again = session.briefing.goal === 'read' && memory.refreshToken !== undefined
  if (again && conduct.refreshesFirst) await refresh(session, memory.accessToken)
  const status = conduct.asksStatus === 'never' ? undefined : statusOf(session)
  if (conduct.asksStatus !== 'beside' && (await status) === 'Revoked') {
    if (conduct.asksStatus !== 'in-vain') throw new Refusal('the consent is Revoked')
  }
  try {
    await readWhole(session)
  } finally {
    await status
  }
}

async function readWhole(session: Session): Promise<void> {
  const { briefing, conduct, memory } = session
  if (conduct.readsAtOnce) {
    const all = await Promise.allSettled(conduct.reads.map((path) => read(session, path)))
    const failed = all.find((each) => each.status === 'rejected')
    if (failed) throw failed.reason
    return
  }
  const list = await read(session, '/accounts')
  const fresh = ((list.Data as Json).Account as Json[]).map(({ AccountId }) => String(AccountId))
  if (fresh.length < conduct.needs.accounts) throw new Refusal('an account is missing')
  const ids = conduct.rememberedAccounts ? (memory.accountIds ?? fresh) : fresh
  memory.accountIds = ids
  const { readsSingleAddresses: single } = conduct
  if (single !== 'only') {
    for (const path of conduct.reads.slice(1)) await read(session, path)
    const more = briefing.customerPresent ? [] : conduct.alsoReadsWhileAway
    for (const path of more) await read(session, path)
  }
  if (single === 'never') return
  for (const account of conduct.accountIds(ids)) {
    const id = conduct.escapes ? encodeURIComponent(account) : account
    await read(session, `/accounts/${id}`)
    await read(session, `/accounts/${id}/balances`)
    await read(session, `/accounts/${id}/transactions`)
  }
}

/** Reads one address; refreshes, waits and retries where that is allowed. */
async function read(session: Session, path: string): Promise<Json> {
  const { api, briefing, conduct, memory } = session
  const query = path.includes('transactions') ? new URLSearchParams(conduct.filters()) : undefined
  const asked = query?.size ? `${path}?${query}` : path
  let refreshes = 0
  let refusals = 0
  for (let attempt = 1; ; attempt += 1) {
    const held = memory.accessToken
    const full = conduct.dataPath(asked, held ?? '', attempt)
    const value = conduct.dataToken(held ?? '', memory.clientToken, memory)
    const answer = await api('GET', `/aisp${full}`, {
      token: value,
      present: briefing.customerPresent,
      attempt,
    })
    if (answer.status === 200) {
      memory.amounts ??= {}
      return inspected(answer, conduct, memory.amounts)
    }
    if (answer.status === 429 && answer.headers['retry-after'] && conduct.skipsWhatIsBusy) {
      return { Data: { Account: [] } }
    }
    if (answer.status === 429 || answer.status === 503) {
      const stated = secondsOf(String(answer.headers['retry-after']), conduct)
      const pause = conduct.waitBeforeRetry(stated, attempt, answer.status)
      if (pause === undefined) throw refused(path, answer)
      await wait(pause * 1000)
      continue
    }
    const mayRefresh = conduct.usesRefreshToken && memory.refreshToken
    if (answer.status === 401 && mayRefresh && refreshes < conduct.refreshesAtMost) {
      refreshes += 1
      await refresh(session, held).catch(async (why) => {
        throw await explained(session, why)
      })
      continue
    }
    if (refusals < conduct.repeatsRefusals) {
      refusals += 1
      continue
    }
    throw await explained(session, refused(path, answer))
  }
}

/** Retry-After in seconds, including a date (RFC 9110 10.2.3). */
function secondsOf(stated: string, { readsRetryDates }: Conduct): number | undefined {
  if (/^\d+$/.test(stated)) return Number(stated)
  const until = Date.parse(stated)
  if (!readsRetryDates || Number.isNaN(until)) return undefined
  return Math.max(0, (until - Date.now()) / 1000)
}

/** One refresh at a time: concurrent callers wait for it and use its token. */
const refreshing = new WeakMap<Session, Promise<void>>()

async function refresh(session: Session, expired: string | undefined): Promise<void> {
  if (session.memory.accessToken !== expired) return
  if (session.conduct.refreshesAtOnce) return refreshOnce(session)
  const under = refreshing.get(session) ?? refreshOnce(session)
  refreshing.set(session, under)
  await under.finally(() => refreshing.delete(session))
}

async function refreshOnce(session: Session): Promise<void> {
  const { conduct, memory, token } = session
  const tokens = await token({
    grant_type: 'refresh_token',
    refresh_token: conduct.refreshTokenOf(memory.refreshToken ?? '', memory.lastRefreshToken),
  }).catch((why) => {
    // RFC 6749 5.2: the refused token is no longer valid. An unavailable bank (5xx) does not say so.
    const isVoid = /was refused: 4/.test(String(why)) || conduct.forgetsUnavailableTokens
    if (conduct.forgetsRefusedTokens && isVoid) delete memory.refreshToken
    throw why
  })
  if (conduct.needs.refreshedIdToken && !tokens.id_token)
    throw new Refusal('the refresh yields no ID token')
  if (typeof tokens.id_token === 'string') await checkRefreshed(session, tokens.id_token)
  memory.accessToken = String(tokens.access_token)
  const { refresh_token: next } = tokens
  if (next) memory.lastRefreshToken = String(next)
  if (conduct.refreshTokenAfter === 'first') return
  if (next || conduct.refreshTokenAfter === 'as-answered') {
    memory.refreshToken = next as string | undefined
  }
}

/** OpenID Connect Core 12.2: the ID token of a refresh must match the first one. */
async function checkRefreshed({ conduct, keys, memory }: Session, idToken: string): Promise<void> {
  if (!conduct.checksRefreshedIdToken || !memory.visit) return
  const claims = await checkedIdToken(idToken, memory.visit.known, conduct, keys)
  if (conduct.idTokenChecks.subject && memory.subject && claims?.sub !== memory.subject) {
    throw new Refusal('the ID token of the refresh is about somebody else')
  }
}

/** The status of the consent, if the bank returns it. */
async function statusOf({ api, clientToken, conduct, memory }: Session): Promise<unknown> {
  const { consentId = '' } = memory
  const id = conduct.escapes ? encodeURIComponent(consentId) : consentId
  const path = `/aisp/account-access-consents/${id}`
  const { json } = await api('GET', path, { token: await clientToken() })
  return (json.Data as Json | undefined)?.Status
}

/** "the TPP can still query the consent and sees Revoked": adds the status of the consent to a refusal, if known. */
async function explained(session: Session, why: Refusal): Promise<Refusal> {
  const { api, conduct, memory } = session
  if (memory.consentId === undefined || !(why instanceof Refusal)) return why
  try {
    const status = await statusOf(session)
    if (status === undefined) return why
    if (!conduct.heedsStatus)
      await api('GET', '/aisp/accounts', { token: memory.accessToken ?? '' })
    return new Refusal(`${why.message}; the consent is ${status}`)
  } catch {
    return why
  }
}
