export {
  Blocked,
  blockBy,
  blockByEnvironment,
  blockForData,
  blockForFreedom,
  blockForTarget,
  Nonconformance,
  NotApplicable,
} from '../judge/outcome.ts'
