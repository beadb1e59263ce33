import { existsSync, readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import type { Briefing } from '../../engine/certification/client.ts'
import type { Conduct, Knowledge } from './conduct.ts'

type Json = Record<string, unknown>

/** What the TPP remembers from one goal to the next: of the bank, and of the customer of the goal. */
export interface Memory extends MemoryOfBank {
  /** The link of the first visit, and the values of its request. */
  visit?: { link: string; known: Knowledge }
  consentId?: string
  accessToken?: string
  refreshToken?: string
  idToken?: string
  /** The customer (sub) of the first ID token. */
  subject?: string
  accountIds?: string[]
  amounts?: Record<string, string>
}

interface MemoryOfBank {
  client?: {
    client_id: string
    redirect_uris: string[]
    scope: string
    grant_types: string[]
    registration_client_uri: string
    registration_access_token: string
  }
  clientToken?: string
  /** Of whoever connected last. */
  lastConsent?: string
  lastRefreshToken?: string
  fundsToken?: string
  assertion?: string
  keys?: Json[]
  /** Its first transport certificate. */
  transport?: { certificate: string; key: string }
  /** The first certificate of the bank that it saw. */
  pin?: string
}

/** The memory as a file: a row for each customer. */
interface Kept {
  bank: MemoryOfBank
  rows: Record<string, Omit<Memory, keyof MemoryOfBank>>
}

/** The members of the bank; all others are of a customer. */
const OF_THE_BANK: Record<keyof MemoryOfBank, true> = {
  client: true,
  clientToken: true,
  lastConsent: true,
  lastRefreshToken: true,
  fundsToken: true,
  assertion: true,
  keys: true,
  transport: true,
  pin: true,
}

/** Opens the memory in the folder of the briefing, as it is for the customer of the goal. */
export function openMemory(
  { folder, customer }: Briefing,
  { customerRows }: Conduct,
): { memory: Memory; save(): void } {
  const file = join(folder, 'memory.json')
  const kept: Kept = existsSync(file)
    ? (JSON.parse(readFileSync(file, 'utf8')) as Kept)
    : { bank: {}, rows: {} }
  const row = customerRows === 'each' ? customer.cardEnding : 'any customer'
  const memory: Memory = { ...kept.bank, ...kept.rows[row] }
  const part = (isOfBank: boolean) =>
    Object.fromEntries(Object.entries(memory).filter(([name]) => name in OF_THE_BANK === isOfBank))
  return {
    memory,
    save() {
      const rows = { ...kept.rows, [row]: part(false) }
      writeFileSync(file, JSON.stringify({ bank: part(true), rows } satisfies Kept))
    },
  }
}
