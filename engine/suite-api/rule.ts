export { type Finding, type RuleTools, rule } from '../judge/rule.ts'
