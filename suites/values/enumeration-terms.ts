import type { Level } from '../../engine/suite-api/check.ts'
import type { Part } from './value-type.ts'

/** The correct values of an enumeration, from which rows are made. */
export interface Enumeration {
  /** All values that may be sent: from the document, registered by this client, or advertised by the bank. */
  allowed: readonly string[]
  /** The correct values of this request, all allowed; rows replace the last one. One value if the shape is a string. */
  chosen: readonly string[]
}

/** Describes an enumeration: its name, the rules for its values, and values that it may be confused with. */
export interface Terms {
  name: string
  grammar: string
  /** One value, or an array of them. */
  shape: 'string' | 'array'
  /** Where it is used: as a JSON value, or as a parameter of a form or of a query. */
  in: 'body' | 'parameter'
  /** Usual correct values. A spelling that exists for none of them gives no row. */
  values: readonly string[]
  /** The requirement that excludes other values, and the level that a bank breaks by accepting one. */
  because: string
  level: Level
  /** The same for a JSON value that is not a string, or not an array of strings. */
  type?: { because: string; level: Level }
  /** The requirement that makes null equal to a missing value, which breaks a must. */
  required?: string
  /** The same for correct values, in any order. */
  right: { because: string; level: Level }
  /** The level of refusing all allowed values together, if it is a different one. */
  all?: Level
  /** Values that exist elsewhere, or nowhere. */
  others: readonly (readonly [id: string, value: string, level?: Level])[]
  /** Similar values that the documents leave open: no row makes one. */
  open?: (value: string) => boolean
  /** The level of accepting spaces around a value, if it is lower than for other values. */
  spaces?: Level
  /** Rows for this enumeration only. */
  more?: readonly Part<Enumeration, unknown>[]
}
