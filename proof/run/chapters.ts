import type { Fault, Variant } from './proof.ts'

/** Themes whose freedoms affect the checks of a chapter: the files of proof/variants/. */
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

/** Themes of the variants for a chapter, for example account-information/transactions. */
export function themesOf(chapter: string): string[] {
  if (chapter === 'product-information/errors') return ['products', 'bodies']
  return THEMES[chapter.slice(chapter.indexOf('/') + 1)] ?? []
}

const DATA = ['consents', 'funds-confirmation', 'accounts', 'balances', 'transactions']

/** Chapters that have only rules and send nothing, and the chapters that send the requests that they judge. */
const ASKED_BY: Record<string, string[]> = {
  'account-information/envelope': DATA,
  'account-information/errors': DATA,
  'account-information/versions': DATA,
}

/** The chapters that a run must contain to judge these. */
export function chaptersToRun(chapters: string[]): string[] {
  const others = chapters.flatMap((chapter) => ASKED_BY[chapter] ?? [])
  return [...new Set([...chapters, ...others.map((name) => `account-information/${name}`)])]
}

/** The chapter of a fault, without the part of the file name that distinguishes files of one chapter. */
export function chapterOf({ chapter }: Pick<Fault, 'id'> & { chapter: string }): string {
  return chapter.split('.')[0] as string
}

/** The theme of a variant, without the part of the file name that distinguishes files of one theme. */
export function themeOf({ theme }: Pick<Variant, 'id'> & { theme: string }): string {
  return theme.split('.')[0] as string
}
