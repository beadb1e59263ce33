import { DAY } from '../../engine/record/durations.ts'
import { newId } from './conduct.ts'
import { inspectProducts } from './inspect.ts'
import { Refusal } from './refusal.ts'
import { repeated, type Session } from './session.ts'
import { refused } from './wire.ts'

type Json = Record<string, unknown>

const inDays = (days: number) => new Date(Date.now() + days * DAY).toISOString()

/** Creates a consent for account access. Returns its id. */
export async function createConsent(session: Session): Promise<string> {
  const { api, clientToken, conduct, memory } = session
  const body = conduct.consentBody({
    Data: {
      Permissions: [
        'ReadAccountsDetail',
        'ReadBalances',
        'ReadTransactionsDetail',
        'ReadTransactionsCredits',
        'ReadTransactionsDebits',
      ],
      ExpirationDateTime: inDays(180),
      TransactionFromDateTime: inDays(-90),
      TransactionToDateTime: inDays(180),
    },
    Risk: {},
  })
  const value = conduct.consentToken(await clientToken(), memory.accessToken, memory)
  const answer = await api('POST', '/aisp/account-access-consents', { token: value, body })
  const { ConsentId: id, Permissions } = (answer.json.Data ?? {}) as Json
  if (conduct.needs.permissions && !Permissions) throw new Refusal('no Permissions came')
  if (typeof id === 'string') return id
  if (conduct.goesOnAfterRefusedConsent) return newId()
  throw refused('the consent', answer)
}

/** Deletes a consent that is used no more, whatever the bank answers. */
export async function tidyUp({ api, clientToken, conduct }: Session, id: string | undefined) {
  if (!conduct.tidiesUp || id === undefined) return
  const path = `/aisp/account-access-consents/${encodeURIComponent(id)}`
  await api('DELETE', path, { token: await clientToken() })
}

/** The customer revokes consent with the TPP, which tells the bank. */
export async function disconnect(session: Session): Promise<void> {
  const { api, clientToken, conduct, memory } = session
  if (!conduct.deletesConsent) return
  const consentId = conduct.consentOf(memory.consentId ?? '', memory.lastConsent, 'disconnect')
  const id = conduct.escapes ? encodeURIComponent(consentId) : consentId
  const path = `/aisp/account-access-consents/${id}`
  const value = conduct.consentToken(await clientToken(), memory.accessToken, memory)
  const ask = () => api('DELETE', path, { token: value })
  let answer = await repeated(ask, conduct.repeatsTheRest)
  for (let more = conduct.deletesTimes; more > 1; more -= 1) await ask()
  if (answer.status === 401 && conduct.renewsClientToken) {
    answer = await api('DELETE', path, { token: await clientToken(true) })
  }
  if (answer.status !== 204) throw refused('the deletion', answer)
  if (!conduct.forgetsAfterDeletion) return
  delete memory.accessToken
  delete memory.refreshToken
}

/** Creates a funds confirmation consent, and deletes it. */
export async function confirmFunds(session: Session): Promise<void> {
  const { api, briefing, conduct } = session
  const value = await fundsToken(session)
  const account = conduct.fundsAccount({
    SchemeName: 'UK.OBIE.PAN',
    Identification: briefing.customer.cardEnding,
    Name: 'Everyday card',
  })
  const answer = await api('POST', conduct.fundsPath('POST'), {
    token: value,
    body: { Data: { DebtorAccount: account }, Risk: {} },
  })
  const id = (answer.json.Data as Json | undefined)?.ConsentId
  if (typeof id !== 'string') throw refused('the consent', answer)
  if (!conduct.deletesFundsConsent) return
  const path = `${conduct.fundsPath('DELETE')}/${encodeURIComponent(id)}`
  let gone = await repeated(() => api('DELETE', path, { token: value }), conduct.repeatsTheRest)
  if (gone.status === 401 && conduct.renewsClientToken && !conduct.keepsFundsToken) {
    gone = await api('DELETE', path, { token: await fundsToken(session) })
  }
  if (gone.status !== 204) throw refused('the deletion', gone)
}

/** A token for funds confirmation consents: a new one, or the first. */
async function fundsToken({ briefing, clientToken, conduct, memory }: Session): Promise<string> {
  if (conduct.keepsFundsToken && memory.fundsToken) return memory.fundsToken
  const { clientToken: before } = memory
  memory.fundsToken = await clientToken(true, briefing.client.scopes.fundsConfirmation).finally(
    () => {
      memory.clientToken = before
    },
  )
  return memory.fundsToken
}

/** Reads the list of products. */
export async function products({ briefing, conduct, memory, send }: Session): Promise<void> {
  const { url, headers } = conduct.productRequest(
    {
      url: briefing.bank.products,
      headers: { 'content-type': 'application/json', accept: 'application/json' },
    },
    { customers: memory.accessToken, clients: memory.clientToken },
  )
  for (const { method, path } of conduct.alsoAsksForProducts) {
    await send(new URL(path, briefing.bank.products).href, { method })
  }
  const answer = await repeated(() => send(url, { headers }), conduct.repeatsTheRest)
  if (answer.status !== 200) throw refused('products', answer)
  inspectProducts(answer.json.data, conduct)
}
