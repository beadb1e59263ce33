import type { Value, ValueType } from './value-type.ts'

/** The last four digits of a customer’s card number. */
export interface Card {
  ending: string
}

const DIGITS = '“Last 4 digits of the customer’s card number.”'
const STRING = `“| DebtorAccount.Identification | string | required |”; ${DIGITS}`

/** DebtorAccount.Identification of a funds confirmation consent, as a JSON value. */
export const cardEnding: ValueType<Card, unknown> = {
  name: 'card ending',
  grammar: `FundsConfirmationConsent, DebtorAccount.Identification: string = 4DIGIT, ${DIGITS}; RFC 8259 3 for the JSON value`,
  parts: [
    {
      part: 'four digits',
      rows: [
        {
          id: 'exact',
          words: 'of the four digits',
          lawful: true,
          level: 'must',
          because: DIGITS,
          make: ({ ending }) => ending,
        },
        {
          id: 'leading-zero',
          words: 'that begins with zero',
          lawful: true,
          level: 'observe',
          because: `${DIGITS}, which may be of a card that this bank has not issued`,
          make: ({ ending }) => (ending.startsWith('0') ? undefined : `0${ending.slice(1)}`),
        },
        {
          id: 'zeros',
          words: 'of four zeros',
          lawful: true,
          level: 'observe',
          because: `${DIGITS}, which may be of a card that this bank has not issued`,
          make: ({ ending }) => (ending === '0000' ? undefined : '0000'),
        },
      ],
    },
    {
      part: '4DIGIT: how many',
      rows: [
        text('empty', 'that is empty', () => ''),
        text('one-digit', 'of one digit', (ending) => ending.slice(-1)),
        text('three-last', 'of the last three digits', (ending) => ending.slice(1)),
        text('three-first', 'of the first three digits', (ending) => ending.slice(0, 3)),
        text('five', 'of five digits, one after the right ones', (ending) => `${ending}0`),
        text('five-last', 'of five digits, one before the right ones', (ending) => `1${ending}`),
        text('five-with-zero', 'with a zero before the right ones', (ending) => `0${ending}`),
        text('eight', 'of the four digits twice', (ending) => `${ending}${ending}`),
        text('whole-number', 'of the whole card number', (ending) => `400000000000${ending}`),
        text('twelve-first', 'of a card number without the last digits', () => '400000000000'),
        text('masked', 'of the masked card number', (ending) => `************${ending}`),
        text('masked-with-letters', 'of a card number masked by x', (ending) => {
          return `xxxxxxxxxxxx${ending}`
        }),
        text('grouped', 'of the whole card number in groups', (ending) => {
          return `4000 0000 0000 ${ending}`
        }),
      ],
    },
    {
      part: 'DIGIT: which characters',
      rows: [
        text('letters', 'of four letters', () => 'abcd'),
        text('hexadecimal', 'of four hexadecimal digits', (ending) => `${ending.slice(0, 3)}a`),
        text('letter-inside', 'with the letter O among its digits', (ending) => {
          return `${ending.slice(0, 1)}O${ending.slice(2)}`
        }),
        text('full-width', 'of full-width digits', inScript(0xff10)),
        text('arabic-indic', 'of Arabic-Indic digits', inScript(0x0660)),
        text('superscript', 'of superscript digits', (ending) => {
          return [...ending].map((digit) => '⁰¹²³⁴⁵⁶⁷⁸⁹'[Number(digit)]).join('')
        }),
        text('all-masked', 'of four asterisks', () => '****'),
        text('partly-masked', 'with an asterisk for a digit', (ending) => `*${ending.slice(1)}`),
        text('wildcard', 'that is % alone', () => '%'),
      ],
    },
    {
      part: 'DIGIT: nothing that a parser of numbers takes',
      rows: [
        text('plus-sign', 'with a plus sign for a digit', (ending) => `+${ending.slice(1)}`),
        text('plus-sign-before', 'with a plus sign before it', (ending) => `+${ending}`),
        text('minus-sign', 'with a minus sign for a digit', (ending) => `-${ending.slice(1)}`),
        text('minus-sign-before', 'with a minus sign before it', (ending) => `-${ending}`),
        text('decimal-point', 'with a decimal point for a digit', (ending) => {
          return `${ending.slice(0, 2)}.${ending.slice(3)}`
        }),
        text('decimals', 'with .0 after it', (ending) => `${ending}.0`),
        text(
          'exponent',
          'with an exponent',
          (ending) => `${ending.slice(0, 1)}e${ending.slice(2)}`,
        ),
        text('base-sixteen', 'of four characters in base sixteen', (ending) => {
          return `0x${ending.slice(2)}`
        }),
        text('thousands', 'with a comma after its first digit', (ending) => {
          return `${ending.slice(0, 1)},${ending.slice(1)}`
        }),
      ],
    },
    {
      part: 'nothing before, after and between',
      rows: [
        text('leading-space', 'with a space before it', (ending) => ` ${ending}`),
        text('trailing-space', 'with a space after it', (ending) => `${ending} `),
        text(
          'space-for-digit',
          'of three digits and a space',
          (ending) => `${ending.slice(0, 3)} `,
        ),
        text('space-inside', 'with a space inside', (ending) => {
          return `${ending.slice(0, 2)} ${ending.slice(2)}`
        }),
        text('spaces', 'of four spaces', () => '    '),
        text('trailing-newline', 'with a line feed after it', (ending) => `${ending}\n`),
        text('second-line', 'with a second line', (ending) => `${ending}\nabcd`),
        text('trailing-nul', 'with a NUL after it', (ending) => `${ending}\0`),
        text('no-break-space', 'with a no-break space after it', (ending) => `${ending}\u00a0`),
        text('zero-width-space', 'with a zero-width space inside', (ending) => {
          return `${ending.slice(0, 2)}\u200b${ending.slice(2)}`
        }),
        text('hyphen-inside', 'with a hyphen inside', (ending) => {
          return `${ending.slice(0, 2)}-${ending.slice(2)}`
        }),
        text('in-quotes', 'in quotation marks', (ending) => `"${ending}"`),
        text('two-endings', 'of two endings and a comma', (ending) => `${ending},${ending}`),
      ],
    },
    {
      part: 'string: a JSON string',
      rows: [
        value('number', 'that is a number', ({ ending }) => Number(ending)),
        value('true', 'that is true', () => true),
        value('false', 'that is false', () => false),
        value('array', 'in an array', ({ ending }) => [ending]),
        value('empty-array', 'that is an empty array', () => []),
        value('digits-in-array', 'of an array of digits', ({ ending }) => [...ending]),
        value('object', 'in an object', ({ ending }) => ({ Identification: ending })),
        value('empty-object', 'that is an empty object', () => ({})),
      ],
    },
    {
      part: 'no member',
      none: 'It is required, and FCC-03 asks what becomes of a request without it, or with null.',
    },
    {
      part: 'escapes of a JSON string',
      none: 'They are undone before the value is read (RFC 8259 7), so they belong to the place that writes the body.',
    },
    {
      part: 'whose card',
      none: 'No sentence says that the digits are compared with cards before the customer is known.',
    },
  ],
}

function value(
  id: string,
  words: string,
  make: (card: Card) => unknown,
  because = STRING,
): Value<Card, unknown> {
  return { id, words, level: 'should', because, make }
}

function text(id: string, words: string, change: (ending: string) => string) {
  return value(id, words, ({ ending }) => change(ending), DIGITS)
}

/** The same digits in another script, given the code point of its zero. */
function inScript(zero: number) {
  return (ending: string) =>
    [...ending].map((digit) => String.fromCharCode(zero + Number(digit))).join('')
}
