export { type Finding, type RuleOptions, type RuleTools, rule } from '../judge/rule.ts'
