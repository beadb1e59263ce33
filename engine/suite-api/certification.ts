export type { Said, ScenarioRun } from '../certification/scenario.ts'
export { conduct, scenario } from '../certification/suite.ts'
export { Blocked } from '../judge/outcome.ts'
export type { Seen } from '../wire/exchange.ts'
