import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { GOALS, goalsOf } from '../engine/certification/scenario.ts'
import { loadTppSuites } from '../engine/certification/suite.ts'
import { readTppFile } from '../engine/certification/tpp-file.ts'
import { inScope } from '../engine/run/scope.ts'
import { TPP_SUITES } from './folders.ts'
import { assertSelects } from './selection.ts'
import { parallelOf } from './tpp.ts'

/** `assay plan --tpp`: what a certification will ask of a client, before it is started. */
export async function planTpp(options: { tpp: string; only?: string[] }): Promise<void> {
  const { only = [] } = options
  const catalogue = loadCatalogue(undefined, 'TPP')
  assertSelects(only, catalogue)
  const tpp = readTppFile(options.tpp)
  const { document, goals } = tpp
  const all = await loadTppSuites(TPP_SUITES, catalogue)
  const selected = ({ id }: { id: string }) => inScope(id, catalogue, { profile: 'full', only })
  const scenarios = all.scenarios.filter(selected)
  const able = scenarios.filter((each) => goalsOf(each).every((goal) => goals.includes(goal)))
  const asked = able.flatMap(goalsOf)
  const times = (goal: string) => asked.filter((each) => each === goal).length
  const left = scenarios.length - able.length
  const rules = all.rules.filter(selected).length
  console.log(
    `${document.name}: ${able.length} scenarios, ${rules} rules over every request, ${parallelOf(tpp)} at a time.`,
  )
  if (left > 0) console.log(`${left} not applicable: the client declares that it lacks their goal.`)
  console.log(`The client is asked ${asked.length} times:`)
  for (const goal of goals) {
    console.log(`  ${String(times(goal)).padStart(3)}  ${goal.padEnd(14)} ${GOALS[goal]}`)
  }
  const visits = times('connect') + times('reconfirm')
  console.log(`The customer is sent to the bank about ${visits} times; we log in and approve.`)
  console.log('Everything stays on this machine, and nothing is left behind.')
}
