import { attachment, description, label, logStep, type Status, step } from 'allure-js-commons'
import { allureDescription, allureLabels, evidence } from '../report/allure-parts.ts'
import { brief } from '../report/escape.ts'
import { headline } from '../report/queries.ts'
import type { CheckResult, ExchangeRecord } from '../report/report.ts'
import { machineMessage, machineStatus } from '../report/status-map.ts'
import { behind } from './shared-judging.ts'

/**
 * Tells Allure's adapter of vitest, if it is active, what a test is about: requirement, level, chapter and the words of
 * the document; each exchange as a step; evidence of what did not pass.
 */
export async function tellAllure(result: CheckResult): Promise<void> {
  if (!listens()) return
  const { requirement, exchanges } = await behind(result)
  for (const { name, value } of allureLabels(result, requirement?.chapter ?? '')) {
    await label(name, value)
  }
  if (requirement) await description(allureDescription(requirement))
  const files = result.outcome === 'pass' ? [] : evidence(result, exchanges)
  for (const [id, exchange] of exchanges) {
    const own = files.filter(({ name }) => name.includes(` ${id} `) || name.endsWith(` ${id}`))
    await step(stepName(result, exchange), async () => {
      for (const { name, content, type } of own) await attachment(name, content, type)
    })
  }
  if (result.outcome === 'pass') return
  await logStep(machineMessage(result), machineStatus(result) as Status)
}

function stepName({ control }: CheckResult, exchange: ExchangeRecord): string {
  const role = exchange.id === control?.exchange ? 'control ' : ''
  return brief(`${role}${exchange.id} ${headline(exchange)}`, 200)
}

/** Without Allure's setup the functions of allure-js-commons only print complaints. */
function listens(): boolean {
  return 'allureTestRuntime' in globalThis
}
