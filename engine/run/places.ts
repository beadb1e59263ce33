import { schemaSources } from '../judge/schemas.ts'
import { definitionOf, type Place } from '../record/definitions.ts'
import { sourceOf } from '../yaml/source.ts'

/**
 * Where checks, rules, scenarios and statements of schemas are defined, as far as they were imported and recorded their
 * definition. Without the sources, as in the package, only statements of schemas have a place.
 */
export function placesOf(ids: Iterable<string>): Map<string, Place> {
  const stated = statementPlaces()
  const found = new Map<string, Place>()
  for (const id of ids) {
    const place = definitionOf(id) ?? stated.get(id)
    if (place) found.set(id, place)
  }
  return found
}

/** Where each statement of the schemas is, by id; the first position of several. */
function statementPlaces(): Map<string, Place> {
  const places = [...schemaSources()].flatMap(({ file, text, stated }) => {
    const source = sourceOf(file, text)
    return stated.map(({ id, at }): [string, Place] => [
      id,
      { file: `schemas/${file}`, line: source.at(at.split('/').slice(1)).line },
    ])
  })
  return new Map(places.reverse())
}
