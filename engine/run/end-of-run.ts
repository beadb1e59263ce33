/**
 * The last file of a vitest run of the suites: rules that schemas/ state, and checks whose outcome only the whole run
 * decides, such as one whose success another check could not rely on.
 */
import { describe } from 'vitest'
import { loadSchemas } from '../judge/schemas.ts'
import { addTest } from './check-test.ts'
import { atTheEnd, finalResult } from './shared-judging.ts'
import { tellAllure } from './tell-allure.ts'

const stated = new Map<string, string>()
for (const { stated: rules } of loadSchemas()) {
  for (const { id, title } of rules) stated.set(id, stated.get(id) || title)
}
const { changed, cases, tested } = await atTheEnd()

describe('what schemas state of every answer', () => {
  for (const [id, title] of stated) {
    if (tested.has(id)) continue
    addTest({ id, title }, () => finalResult({ id, title }), tellAllure)
  }
})

const more = { 'kept cases': cases, 'checks that ended otherwise': changed }
for (const [words, results] of Object.entries(more)) {
  if (results.length === 0) continue
  describe(words, () => {
    for (const result of results) addTest(result, async () => result, tellAllure)
  })
}
