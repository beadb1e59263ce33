import { createHash } from 'node:crypto'
import type { Card } from './customers.ts'

/** A transaction as the bank books it. The amount is in pence and never negative. */
export interface Row {
  id: string
  amount: number
  indicator: 'Credit' | 'Debit'
  status: 'Booked' | 'Pending'
  /** Milliseconds since 1970. */
  booked: number
  information: string
  address?: string
  merchant?: { name: string; category: string }
}

const day = 86_400_000
/** The transactions of a card go back this far. */
const reach = 560 * day

const shops = [
  { name: 'Marrow & Pine Grocers', category: '5411', address: '14 Castle Street, Ludlow SY8 1AT' },
  { name: 'Northway Rail', category: '4112' },
  { name: 'Lantern Books', category: '5942', address: '3 Cross Keys, Hexham NE46 3NH' },
  { name: 'Harbour Fuel', category: '5541', address: 'Quay Road, Whitby YO21 1DP' },
  { name: 'Brightwater Energy', category: '4900' },
  { name: 'Cedar Pharmacy', category: '5912', address: '88 High Street, Oban PA34 4AY' },
  { name: 'The Copper Spoon', category: '5812', address: '2 Mill Lane, Totnes TQ9 5BL' },
]
const foreign = [
  { name: 'CAFÉ DU MARCHÉ', category: '5812', address: '12 Rue des Halles, 69002 Lyon' },
  { name: 'Konbini Sakura 駅前店', category: '5499', address: '2-1 Ekimae, Sapporo' },
  { name: 'Autohof Grüneburg GmbH', category: '5541' },
]

/** Transactions of one day, by card and number. Banks of one process share them. */
const cache = new Map<string, readonly Row[]>()
let cachedDay = 0

/**
 * The transactions of a card at a bank that started at `started`, newest first: always the same for one card and day
 * (UTC). They include pending ones, payments, refunds, fees without a merchant, foreign merchants, and two that differ
 * only in their id.
 */
export function transactionsOf(card: Card, started: number): readonly Row[] {
  const today = Math.floor(started / day) * day
  if (today !== cachedDay) cache.clear()
  cachedDay = today
  const key = `${card.key} ${card.transactions}`
  const known = cache.get(key)
  if (known) return known
  const rows = Array.from({ length: card.transactions }, (_, index) => row(card, index, today))
  if (rows[5] && rows[6]) rows[6] = { ...rows[5], id: rows[6].id }
  cache.set(key, rows)
  return rows
}

/** Reproducible numbers from 0 to 2^32 for one transaction. */
function draws(card: Card, index: number): (place: number) => number {
  const digest = createHash('sha256').update(`${card.key} ${index}`).digest()
  return (place) => digest.readUInt32BE(place * 4)
}

function row(card: Card, index: number, today: number): Row {
  const draw = draws(card, index)
  const pending = index < 2
  const step = Math.max(reach / Math.max(card.transactions, 1), 1)
  // Booked transactions end two days before today, so that none is in the future at any hour.
  const jitter = draw(1) % Math.max(Math.floor(step), 1)
  const booked = pending
    ? today - day + (draw(1) % (day / 1000)) * 1000
    : Math.floor((today - 2 * day - index * step - jitter) / 1000) * 1000
  const id = createHash('sha1').update(`${card.key} row ${index}`).digest('hex').slice(0, 24)
  return { id, status: pending ? 'Pending' : 'Booked', booked, ...content(index, draw) }
}

function content(index: number, draw: (place: number) => number) {
  const kind = index % 12
  const amount = 150 + (draw(0) % 18_000)
  if (kind === 4) {
    return { amount: amount * 10, indicator: 'Credit' as const, information: 'PAYMENT THANK YOU' }
  }
  if (kind === 7) {
    const { name, category } = shops[draw(2) % shops.length] as (typeof shops)[number]
    const merchant = { name, category }
    return { amount, indicator: 'Credit' as const, information: `REFUND ${name}`, merchant }
  }
  if (kind === 9) {
    return { amount: 1200, indicator: 'Debit' as const, information: 'LATE PAYMENT FEE' }
  }
  const merchants = kind === 2 || kind === 10 ? foreign : shops
  const { name, category, address } = merchants[
    draw(2) % merchants.length
  ] as (typeof shops)[number]
  return {
    amount,
    indicator: 'Debit' as const,
    information: name.toUpperCase(),
    merchant: { name, category },
    ...(address ? { address } : {}),
  }
}
