import { expect, test } from 'vitest'
import { denialProblem } from '../../engine/authorisation-drivers/denial.ts'
import type { AuthorisationDocument } from '../../engine/configuration/target.ts'

/** Whether a description lets a customer deny is known before anything is sent. */

const button = (value: string) => ({ name: 'decision', value })
const login = { has: ['username'], fill: { username: '{username}' } }

const described: [what: string, authorisation: AuthorisationDocument, denies: boolean][] = [
  [
    'a form with both buttons',
    {
      driver: 'http',
      forms: [login, { has: ['decision'], approve: button('yes'), deny: button('no') }],
    },
    true,
  ],
  [
    'a link for who denies',
    {
      driver: 'http',
      forms: [login, { follow: 'Cancel', only: 'deny' }, { has: ['decision'] }],
    },
    true,
  ],
  [
    'a form that approves alone',
    { driver: 'http', forms: [login, { has: ['decision'], approve: button('yes') }] },
    false,
  ],
  [
    'a form for who approves',
    { driver: 'http', forms: [login, { has: ['decision'], only: 'approve' }] },
    false,
  ],
  ['steps for both', { driver: 'browser', steps: [{ when: 'form', only: 'deny' }] }, true],
  ['steps for everybody', { driver: 'browser', steps: [{ when: 'form', click: 'button' }] }, false],
  ['a program, which is told', { driver: 'command', command: ['./approve.sh'] }, true],
  ['a person, who is told', { driver: 'ask' }, true],
]

test.each(described)('%s', (_, authorisation, denies) => {
  expect(denialProblem(authorisation) === undefined).toBe(denies)
})
