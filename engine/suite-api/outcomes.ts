export {
  blockBy,
  blockByEnvironment,
  blockForData,
  Nonconformance,
  NotApplicable,
} from '../judge/outcome.ts'
