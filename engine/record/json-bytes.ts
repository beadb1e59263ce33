/** The structural bytes of a JSON text (RFC 8259 section 2), for readers that look only at these. */
export const QUOTE = 0x22
export const BACKSLASH = 0x5c
export const COMMA = 0x2c
export const COLON = 0x3a
export const OPENING_ARRAY = 0x5b
export const CLOSING_ARRAY = 0x5d
export const OPENING_OBJECT = 0x7b
export const CLOSING_OBJECT = 0x7d

/** [ and { differ by one bit, as do ] and }: masking that bit turns both into the bracket of an array. */
export const EITHER = 0xdf
