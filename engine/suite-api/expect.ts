export { noteControl, noteMatched, noteNegative } from '../judge/controls.ts'
export { expect, expectThat, relyOn, requireReachable } from '../judge/expect.ts'
export { matchers } from '../judge/matchers.ts'
