import type { Fault, Variant } from './proof.ts'

/** Freedoms that a chapter's checks meet: the files of proof/variants/ that are about it. */
const THEMES: Record<string, string[]> = {
  general: ['transport', 'bodies'],
  envelope: ['bodies', 'accounts', 'transactions', 'data'],
  discovery: ['discovery', 'tokens'],
  registration: ['registration', 'clients'],
  authorisation: ['authorisation', 'tokens'],
  token: ['tokens', 'clients', 'clocks'],
  security: ['clients', 'transport', 'statuses'],
  consents: ['consents', 'statuses'],
  'life-cycle': ['consents', 'limits'],
  'funds-confirmation': ['funds-confirmation', 'statuses'],
  accounts: ['accounts', 'data', 'bodies'],
  balances: ['data', 'bodies'],
  transactions: ['transactions', 'data', 'bodies'],
  data: ['accounts', 'transactions', 'data', 'limits'],
  'rate-limit': ['limits', 'outages'],
  errors: ['statuses', 'bodies'],
  versions: ['bodies'],
  products: ['products', 'outages'],
}

/** Themes of the variants that belong to account-information/transactions, or any other chapter. */
export function themesOf(chapter: string): string[] {
  if (chapter === 'product-information/errors') return ['products', 'bodies']
  return THEMES[chapter.slice(chapter.indexOf('/') + 1)] ?? []
}

const DATA = ['consents', 'funds-confirmation', 'accounts', 'balances', 'transactions']

/** Chapters of rules alone, which ask for nothing, and those that ask for what they judge. */
const ASKED_BY: Record<string, string[]> = {
  'account-information/envelope': DATA,
  'account-information/errors': DATA,
  'account-information/versions': DATA,
}

/** The chapters of which a run is made that judges these. */
export function chaptersToRun(chapters: string[]): string[] {
  const others = chapters.flatMap((chapter) => ASKED_BY[chapter] ?? [])
  return [...new Set([...chapters, ...others.map((name) => `account-information/${name}`)])]
}

/** The chapter of a fault, without what tells two files of one chapter apart. */
export function chapterOf({ chapter }: Pick<Fault, 'id'> & { chapter: string }): string {
  return chapter.split('.')[0] as string
}

/** The theme of a variant, without what tells two files of one theme apart. */
export function themeOf({ theme }: Pick<Variant, 'id'> & { theme: string }): string {
  return theme.split('.')[0] as string
}
