export {
  Blocked,
  blockBy,
  blockByEnvironment,
  blockForData,
  Nonconformance,
  NotApplicable,
} from '../judge/outcome.ts'
