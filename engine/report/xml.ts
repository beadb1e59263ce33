import { doorOf, type Passed } from './door.ts'
import { escapeMarkup } from './escape.ts'

export type Xml = Passed<'xml'>

/** Own elements around arbitrary texts, each escaped for content and for quoted attributes. */
export const { tag: xml, text: xmlText } = doorOf('xml', escapeMarkup)
