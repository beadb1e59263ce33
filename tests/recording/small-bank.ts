import type { TargetDocument } from '../../engine/configuration/target.ts'

/** A bank of which nothing but its addresses matters here. */
export const BANK = {
  name: 'staging',
  addresses: {
    base_url: 'https://bank.example',
    auth_url: 'https://login.bank.example',
    discovery_url: 'https://login.bank.example',
    product_api_url: 'https://products.bank.example',
  },
  clients: {
    first: {
      clientId: 'tally',
      redirectUris: ['https://tally.example/callback'],
      signing: {},
      transport: {},
    },
  },
  customers: { first: {} },
  authorisation: {},
} as unknown as TargetDocument

export const AISP = 'https://bank.example/open-banking/v3.1/aisp'

export const ACCOUNTS = {
  Data: {
    Account: [
      { AccountId: 'a-1', Currency: 'GBP', AccountType: 'Personal', AccountSubType: 'CreditCard' },
    ],
  },
  Links: { Self: `${AISP}/accounts` },
  Meta: { TotalPages: 1 },
}

interface Part {
  method?: string
  url?: string
  at?: string
  time?: number
  requestHeaders?: Record<string, string>
  sent?: string
  status?: number
  headers?: Record<string, string>
  body?: unknown
  content?: Record<string, unknown>
  extra?: Record<string, unknown>
}

/** One entry of a HAR file: a GET of the accounts, but for what is given. */
export function entry(part: Part = {}) {
  const { method = 'GET', url = `${AISP}/accounts`, at = '2026-11-28T11:00:00.000Z' } = part
  const { status = 200, body = ACCOUNTS, sent, requestHeaders, headers, content, extra } = part
  const text = typeof body === 'string' ? body : JSON.stringify(body)
  const pairs = (of: Record<string, string>) =>
    Object.entries(of).map(([name, value]) => ({ name, value }))
  return {
    startedDateTime: at,
    time: part.time ?? 20,
    request: {
      ...{ method, url },
      headers: pairs(requestHeaders ?? { Authorization: 'Bearer token-of-a-customer' }),
      ...(sent !== undefined && { postData: { mimeType: '', text: sent } }),
    },
    response: {
      status,
      headers: pairs(headers ?? { 'Content-Type': 'application/json' }),
      content: content ?? { size: Buffer.byteLength(text), mimeType: '', text },
    },
    ...extra,
  }
}

export const har = (...entries: unknown[]) =>
  JSON.stringify({ log: { version: '1.2', creator: { name: 'by hand' }, entries } })
