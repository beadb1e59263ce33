import type { Settings } from '../state/settings.ts'

/** A credit card of a customer. Amounts are in pence. */
export interface Card {
  /** The bank's internal name for it; never in an answer. */
  key: string
  /** Sixteen digits; the last one is the check digit (ISO/IEC 7812-1). */
  pan: string
  description: string
  holder: string
  creditLimit: number
  /** What the customer owes; negative when the card is in credit. */
  owed: number
  /** Number of transactions of the card. */
  transactions: number
}

export interface Customer {
  /** `sub` of ID tokens. */
  id: string
  username: string
  password: string
  name: string
  cards: Card[]
}

/** Customers with two cards, with one card, and with one card that was never used. Always the same. */
const people: Customer[] = [
  {
    id: 'c7d1f0a4-5b0e-4f6e-9d65-0b8c9a5a6e11',
    username: 'amara.okafor',
    password: 'Thistle-Harbour-61',
    name: 'Amara Okafor',
    cards: [
      {
        key: 'okafor-everyday',
        pan: '4929123456084417',
        description: 'Everyday Credit Card',
        holder: 'MS A OKAFOR',
        creditLimit: 650_000,
        owed: 123_456,
        transactions: 72,
      },
      {
        key: 'okafor-travel',
        pan: '4929123456098821',
        description: 'Travel Rewards Credit Card',
        holder: 'MS A OKAFOR',
        creditLimit: 300_000,
        owed: 41_980,
        transactions: 18,
      },
    ],
  },
  {
    id: '3f9b2c58-77f2-4f6c-8d0b-9a1f5f1c2d22',
    username: 'bryn.pritchard',
    password: 'Slate-Lantern-27',
    name: 'Bryn Pritchard',
    cards: [
      {
        key: 'pritchard-everyday',
        pan: '4929987654050036',
        description: 'Everyday Credit Card',
        holder: 'MR B PRITCHARD',
        creditLimit: 420_000,
        owed: -2_575,
        transactions: 31,
      },
    ],
  },
  {
    id: '8a4e6d70-1c93-4b58-b3d7-2e7f8c9d0a33',
    username: 'catrin.doyle',
    password: 'Meadow-Quartz-94',
    name: 'Catrin Doyle',
    cards: [
      {
        key: 'doyle-first',
        pan: '4929555511072343',
        description: 'First Credit Card',
        holder: 'MISS C DOYLE',
        creditLimit: 90_000,
        owed: 0,
        transactions: 0,
      },
    ],
  },
]

/**
 * The customers, with limits applied: `first` is the number of transactions of the first card of the first customer.
 */
export function customersOf(data: Settings['data'], first?: number): Customer[] {
  return people.map((person, index) => ({
    ...person,
    cards: person.cards.slice(0, data.accounts).map((card, place) => ({
      ...card,
      transactions: Math.min(
        index === 0 && place === 0 ? (first ?? card.transactions) : card.transactions,
        data.transactions ?? Number.POSITIVE_INFINITY,
      ),
    })),
  }))
}
