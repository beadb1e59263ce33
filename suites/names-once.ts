import { type Exchange, member } from '../engine/suite-api/responses.ts'
import type { Finding } from '../engine/suite-api/rule.ts'

/** A finding if a name occurs twice in one object of an answer; undefined where the body is no JSON. */
export function namesOnce({ response }: Exchange): Finding[] | undefined {
  if (typeof response?.json !== 'object' || response.json === null) return undefined
  const { repeated: place, json } = response
  if (place === undefined) return []
  const steps = place
    .split('/')
    .slice(1)
    .map((step) => step.replaceAll('~1', '/').replaceAll('~0', '~'))
  const value = JSON.stringify(member(json, ...steps)) ?? 'another value'
  const message = `${steps.at(-1)} occurs twice in one object, and parsers use one or the other`
  const actual = `two, the last of them ${value.slice(0, 100)}`
  return [{ message, expected: 'one member of that name', actual, place }]
}
