import type { Level } from '../../engine/suite-api/check.ts'
import type { Part } from './value-type.ts'

/**
 * A seed, from which unique texts are made: one or more ASCII letters and digits, enough that they are hard to guess.
 */
export interface Seed {
  seed: string
}

export type Row = readonly [id: string, words: string, make: (seed: string) => string]

/** The text that rows are for, and their levels. */
export interface Of {
  /** The level of returning another text. */
  level: Level
  /** The same for texts that are short or easy to guess, or long: a bank may have a reason to refuse them. */
  unusual: Level
  because: string
}

/** Rows of printable ASCII, which every such text may have, grouped by what could change them. */
export function printable(of: Of): Part<Seed, string>[] {
  return [
    part(of, 'letters and digits', [['plain', 'of letters and digits', (seed) => seed]]),
    part(of, 'space: what a trimmer takes away', [
      ['leading-space', 'with a space before it', (seed) => ` ${seed}`],
      ['trailing-space', 'with a space after it', (seed) => `${seed} `],
      ['doubled-space', 'with two spaces inside', (seed) => `${seed}  ${seed}`],
    ]),
    part(of, 'letters: what folds their case', [
      ['both-cases', 'of small letters and capitals', (seed) => `aB${seed}Cd`],
      ['capital-uuid', 'that is a UUID in upper case', (seed) => uuid(seed).toUpperCase()],
    ]),
    part(of, 'digits: what a parser of numbers makes of them', [
      ['leading-zeros', 'of digits after zeros', (seed) => `000${digits(seed)}`],
      ['large-number', 'of more digits than a number holds', (seed) => `9${digits(seed)}`],
      ['exponent', 'that is a number with an exponent', (seed) => `9${digits(seed)}e5`],
      ['zero-with-exponent', 'that is zero with an exponent', (seed) => `0e${digits(seed)}`],
      ['base-sixteen', 'of digits after 0x', (seed) => `0x${digits(seed)}`],
      [
        'trailing-decimals',
        'that is a number with zeros after its point',
        (seed) => {
          return `9${digits(seed)}.500`
        },
      ],
      ['minus-zero', 'of digits after a minus sign and a zero', (seed) => `-0${digits(seed)}`],
      ['plus-number', 'of digits after a plus sign', (seed) => `+9${digits(seed)}`],
      ['date', 'that begins as a date', (seed) => `2024-02-30T24:00:00Z${seed}`],
    ]),
    part(of, '+ and %: what a decoder of forms and URLs makes of them', [
      ['plus', 'with a plus sign', (seed) => `${seed}+${seed}`],
      ['encoded-plus', 'with %2B', (seed) => `${seed}%2B${seed}`],
      ['encoded-space', 'with %20', (seed) => `${seed}%20${seed}`],
      ['encoded-in-small-letters', 'with %2f', (seed) => `${seed}%2f${seed}`],
      ['encoded-percent', 'with %252B', (seed) => `${seed}%252B${seed}`],
      ['encoded-nul', 'with %00', (seed) => `${seed}%00${seed}`],
      ['encoded-beyond-ascii', 'with %C3%A9', (seed) => `${seed}%C3%A9${seed}`],
      ['percent', 'with a percent sign that encodes nothing', (seed) => `${seed}%`],
      [
        'percent-and-letters',
        'with a percent sign and other letters',
        (seed) => `${seed}%zz${seed}`,
      ],
    ]),
    part(of, 'delimiters of URLs', [
      ['ampersand', 'with an ampersand', (seed) => `${seed}&${seed}`],
      ['parameter', 'with an ampersand and a parameter', (seed) => `${seed}&code=${seed}`],
      ['equals', 'with an equals sign', (seed) => `${seed}=${seed}`],
      ['number-sign', 'with a number sign', (seed) => `${seed}#${seed}`],
      ['semicolon', 'with a semicolon', (seed) => `${seed};${seed}`],
      ['question-mark', 'with a question mark', (seed) => `${seed}?${seed}`],
      ['slashes', 'with slashes', (seed) => `//${seed}/${seed}/`],
      ['dot-segments', 'with segments of dots', (seed) => `${seed}/../${seed}/./${seed}`],
      ['comma', 'with a comma', (seed) => `${seed},${seed}`],
      ['url', 'that is a URL', (seed) => `HTTPS://Example.com:443/${seed}?a=${seed}#${seed}`],
    ]),
    part(of, 'characters that HTML escapes, and escapes of it', [
      ['angle-brackets', 'with angle brackets', (seed) => `<${seed}>${seed}`],
      ['double-quotes', 'with quotation marks', (seed) => `${seed}"${seed}"`],
      ['apostrophe', 'with an apostrophe', (seed) => `${seed}'${seed}`],
      ['entity', 'with &amp;', (seed) => `${seed}&amp;${seed}`],
      ['numeric-entity', 'with &#43;', (seed) => `${seed}&#43;${seed}`],
    ]),
    part(of, 'escapes of JSON and of programs', [
      ['backslash', 'with a backslash', (seed) => `${seed}\\${seed}`],
      ['escaped-newline', 'with \\n', (seed) => `${seed}\\n${seed}`],
      ['escaped-letter', 'with \\u0041', (seed) => `${seed}\\u0041${seed}`],
      ['json-object', 'that is a JSON object', (seed) => `{ "a": "${seed}" }`],
      ['json-string', 'that is a JSON string', (seed) => `"${seed}"`],
      ['replacement-pattern', 'with $& and $1', (seed) => `${seed}$&$1$$${seed}`],
      ['format', 'with placeholders of formats and templates', (seed) => `%s{0}\${a}{{a}}${seed}`],
    ]),
    part(of, 'alphabets of Base64', [
      ['padding', 'with equals signs at its end', (seed) => `${seed}==`],
      ['base64', 'with a plus sign and a slash, as Base64 has', (seed) => `${seed}+/${seed}`],
      [
        'base64url',
        'with a hyphen and an underscore, as Base64url has',
        (seed) => `${seed}-_${seed}`,
      ],
      ['dots', 'of three parts and two dots, as a JWT', (seed) => `${seed}.${seed}.${seed}`],
    ]),
    part(of, 'VSCHAR, each', [
      ['every-character', 'of every printable character of ASCII', (seed) => seed + VSCHAR],
    ]),
    part(of, 'length', [
      ['length-255', 'of 255 characters', (seed) => ofLength(seed, 255)],
      ['length-256', 'of 256 characters', (seed) => ofLength(seed, 256)],
    ]),
    part({ ...of, level: of.unusual }, 'length and words that are unusual', [
      ['length-1000', 'of 1,000 characters', (seed) => ofLength(seed, 1_000)],
      ['one-character', 'of one character', (seed) => seed.slice(0, 1)],
      ['space-alone', 'that is a space', () => ' '],
      ['zero', 'that is 0', () => '0'],
      ['true', 'that is true', () => 'true'],
      ['null', 'that is null', () => 'null'],
      ['undefined', 'that is undefined', () => 'undefined'],
    ]),
  ]
}

/** Rows with characters outside ASCII, only for JSON. */
export function beyondAscii(of: Of): Part<Seed, string>[] {
  return [
    part(of, 'characters that Unicode normalises', [
      ['composed', 'with a composed letter', (seed) => `${seed}\u00e9`],
      ['decomposed', 'with a letter and a combining accent', (seed) => `${seed}e\u0301`],
      ['compatible', 'with a ligature and a full-width letter', (seed) => `${seed}\ufb01\uff21`],
    ]),
    part(of, 'characters that other encodings lack', [
      ['astral', 'with a character beyond the first plane', (seed) => `${seed}\u{1f3e6}`],
      ['latin-1-lacks', 'with a euro sign and a Greek letter', (seed) => `${seed}\u20ac\u03a9`],
      ['line-separator', 'with a line separator', (seed) => `${seed}\u2028${seed}`],
    ]),
    part(of, 'characters that change with case, or that a trimmer takes', [
      ['sharp-s', 'with a sharp s and a dotted I', (seed) => `${seed}\u00df\u0130`],
      ['no-break-space-at-end', 'with a no-break space after it', (seed) => `${seed}\u00a0`],
      ['zero-width', 'with a zero-width joiner', (seed) => `${seed}\u200d${seed}`],
    ]),
    part({ ...of, level: 'observe' }, 'control characters, which JSON escapes', [
      ['tab', 'with a tab', (seed) => `${seed}\t${seed}`],
      ['newline', 'with a line feed', (seed) => `${seed}\n${seed}`],
      ['nul', 'with a NUL', (seed) => `${seed}\0${seed}`],
    ]),
  ]
}

function part({ level, because }: Of, name: string, rows: readonly Row[]): Part<Seed, string> {
  return {
    part: name,
    rows: rows.map(([id, words, make]) => ({
      id,
      words,
      lawful: true,
      level,
      because,
      make: ({ seed }) => make(seed),
    })),
  }
}

/** Every printable character of ASCII, from the space to the tilde. */
const VSCHAR = String.fromCharCode(...Array.from({ length: 95 }, (_, index) => 0x20 + index))

/** 24 digits, made from a seed. */
function digits(seed: string): string {
  return Array.from(
    ofLength(seed, 24),
    (letter, index) => (letter.charCodeAt(0) + index) % 10,
  ).join('')
}

/** A text in the form of a UUID, made from a seed. It always has letters. */
function uuid(seed: string): string {
  const hexadecimal = Buffer.from(ofLength(seed, 13)).toString('hex')
  return `${hexadecimal.slice(0, 8)}-${hexadecimal.slice(8, 12)}-4${hexadecimal.slice(12, 15)}-abcd-${hexadecimal.slice(14)}`
}

/** This many characters, made from a seed. */
const ofLength = (seed: string, length: number) => seed.repeat(length).slice(0, length)
