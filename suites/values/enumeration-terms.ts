import type { Level } from '../../engine/suite-api/check.ts'
import type { Part } from './value-type.ts'

/** What values of an enumeration are made of. */
export interface Enumeration {
  /** All that may be sent: of the document, or that this client registered, or that the bank advertises. */
  allowed: readonly string[]
  /** The right ones of this request, of which the last is replaced: each of them is allowed. One of a string. */
  chosen: readonly string[]
}

/** An enumeration: what it is called, what breaks it, and what one of its values may be mistaken for. */
export interface Terms {
  name: string
  grammar: string
  /** One value, or an array of them. */
  shape: 'string' | 'array'
  /** Where it stands: a JSON value, or a parameter of a form or of a query. */
  in: 'body' | 'parameter'
  /** Usual right values: a spelling that none of them has is no row. */
  values: readonly string[]
  /** The sentence that excludes other values, and what a bank breaks that takes one. */
  because: string
  level: Level
  /** The same for a JSON value that is no string, or no array of strings. */
  type?: { because: string; level: Level }
  /** The sentence by which null is as good as none, and none breaks a must. */
  required?: string
  /** The same for right values, in any order. */
  right: { because: string; level: Level }
  /** What a bank breaks that does not take all allowed values at once, where that is another level. */
  all?: Level
  /** Values that exist elsewhere, or that nobody has. */
  others: readonly (readonly [id: string, value: string, level?: Level])[]
  /** Nearly right ones that the documents leave open: no row makes one. */
  open?: (value: string) => boolean
  /** What a bank breaks that takes spaces around a value, where that is less than for other values. */
  spaces?: Level
  /** Of this enumeration alone. */
  more?: readonly Part<Enumeration, unknown>[]
}
