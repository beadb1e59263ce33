/** Only American Express has 15 digits. 20 and 21 begin times, and no card. */
const OF_A_CARD = /^(?:3[47]\d{13}|(?:2[2-7]|[3-6]\d)\d{14})$/

/** Do these digits begin like a card number, and are they as many? */
export const beginsLikeCard = (digits: string): boolean => OF_A_CARD.test(digits)

/** The same, and do they pass the Luhn check? */
export function isCardNumber(digits: string): boolean {
  return beginsLikeCard(digits) && addsUp(digits)
}

/** The Luhn check (ISO/IEC 7812-1). */
function addsUp(digits: string): boolean {
  const sum = [...digits].reverse().reduce((total, digit, index) => {
    const value = Number(digit) * (index % 2 === 1 ? 2 : 1)
    return total + (value > 9 ? value - 9 : value)
  }, 0)
  return sum % 10 === 0
}
