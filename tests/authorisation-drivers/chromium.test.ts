import { expect, test } from 'vitest'
import { startProblem } from '../../engine/authorisation-drivers/chromium.ts'

const CLOSED = 'browserType.launch: Target page, context or browser has been closed'
const LOADER = '/usr/bin/chromium: error while loading shared libraries: libnss3.so: cannot open'

test.each([
  [
    `browserType.launch: \n║ you launched a headed browser without having a XServer running. ║`,
    /^there is no display/,
  ],
  [
    `${CLOSED}\nBrowser logs:\n[pid=7][err] ${LOADER} shared object file`,
    /^libnss3\.so is not installed$/,
  ],
  [CLOSED, /^Target page, context or browser has been closed$/],
])('why a browser does not start: %j', (message, words) => {
  expect(startProblem(new Error(message))).toMatch(words)
})
