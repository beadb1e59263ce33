export type { AtHand, WrongRequest, WrongValue } from '../explore/wrong-values.ts'
