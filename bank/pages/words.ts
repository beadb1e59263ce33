const permissionWords: Record<string, string> = {
  ReadAccountsBasic: 'Your account: its type and currency',
  ReadAccountsDetail: 'Your account with its card number, masked',
  ReadBalances: 'Your balance and your credit limit',
  ReadStatementsBasic: 'Your statements',
  ReadStatementsDetail: 'Your statements in detail',
  ReadTransactionsBasic: 'Your transactions',
  ReadTransactionsDetail: 'Your transactions with their merchants',
  ReadTransactionsCredits: 'What was paid in or refunded',
  ReadTransactionsDebits: 'What was spent or charged',
}

/** A permission in words for a customer. */
export function inWords(permission: string): string {
  return permissionWords[permission] ?? permission
}

const DAY_AND_TIME = new Intl.DateTimeFormat('en-GB', {
  dateStyle: 'long',
  timeStyle: 'short',
  timeZone: 'UTC',
})

/** A date and time in words for a customer. */
export function onDay(instant: number): string {
  return DAY_AND_TIME.format(instant)
}
