import type { Finding } from '../engine/suite-api/rule.ts'

/** Members of answers that have a name of the tables in another spelling, such as merchantDetails or merchant_details. */

/** Optional members of an object, and of the objects, or arrays of objects, in it. Of others the schemas tell. */
export interface Optional {
  readonly [name: string]: Optional
}

const NONE: Finding[] = []

/** A finding for the first optional member that an object has under another name. Several objects may be an array. */
export function respelledIn(value: unknown, names: Optional, place = ''): Finding[] {
  if (Array.isArray(value)) {
    const all = value.map((one, index) => respelledIn(one, names, `${place}/${index}`))
    return all.find(({ length }) => length > 0) ?? NONE
  }
  if (typeof value !== 'object' || value === null) return NONE
  for (const [name, below] of Object.entries(names)) {
    const inside = Object.hasOwn(value, name)
      ? respelledIn((value as Record<string, unknown>)[name], below, `${place}/${name}`)
      : respelled(value, name, place)
    if (inside.length > 0) return inside
  }
  return NONE
}

const plain = (name: string) => name.replace(/[-_]/g, '').toLowerCase()

function respelled(value: object, name: string, place: string): Finding[] {
  const other = Object.keys(value).find((each) => plain(each) === plain(name))
  if (other === undefined) return NONE
  const message = `${name} is called ${other}`
  return [{ message, expected: name, actual: other, place: `${place}/${other}` }]
}
