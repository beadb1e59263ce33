import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Alteration } from '../../bank/alteration.ts'
import type { Directory } from '../../bank/directory.ts'
import {
  filled,
  fitting,
  lackedButton,
  offered,
  readPage,
  sending,
} from '../../engine/authorisation-drivers/forms.ts'
import { openDirectory } from '../directory.ts'
import { open } from './opened.ts'

const landing = readPage(`
  <h1>Heron Cards</h1>
  <p><a href="/help">Help</a> <a href="../login?step=1"><b>Go on</b> to log in</a></p>`)
const login = readPage(
  '<form method="post"><input name="user"><button name="go">Next</button></form>',
)

describe('where a form is sent', () => {
  const page = (...buttons: string[]) =>
    readPage(`<form action="/form"><input name="user">${buttons.join('')}</form>`).forms[0]
  const plain = '<button type="button" formaction="/help">?</button>'
  const first = '<button formaction="/first" formmethod="POST">Next</button>'
  const named = '<input type="submit" name="go" value="on" formaction="/named">'

  test.each([
    ['by the first button that sends it', [plain, first, named], { has: ['user'] }, '/first'],
    ['by the form itself where that button says nothing', ['<button>', first], {}, '/form'],
    [
      'by the button that is described',
      [first, named],
      { approve: { name: 'go', value: 'on' } },
      '/named',
    ],
  ])('%s', (_how, buttons, description, action) => {
    const form = page(...buttons)
    expect(form && sending(form, description, 'approve').action).toBe(action)
  })
})

describe('what a description fits', () => {
  test.each([
    ['its text', 'Go on to log in'],
    ['the end of its address', 'login?step=1'],
  ])('a link by %s', (_by, follow) => {
    expect(fitting(landing, [{ has: ['user'] }, { follow }], 'approve')).toMatchObject({
      link: { href: '../login?step=1', text: 'Go on to log in' },
    })
  })

  test('no link by a part of its text', () => {
    expect(fitting(landing, [{ follow: 'Go on' }], 'approve')).toBeUndefined()
  })

  test('a form by all its names', () => {
    expect(fitting(login, [{ has: ['user', 'go'] }], 'approve')).toHaveProperty('form')
    expect(fitting(login, [{ has: ['user', 'password'] }], 'approve')).toBeUndefined()
  })

  test.each(['approve', 'deny'] as const)(
    'what only the other decision takes is passed over: %s',
    (only) => {
      const other = only === 'approve' ? 'deny' : 'approve'
      for (const description of [
        { has: ['user'], only },
        { follow: 'login?step=1', only },
      ]) {
        const page = description.has ? login : landing
        expect(fitting(page, [description], only)).toMatchObject({ description })
        expect(fitting(page, [description], other)).toBeUndefined()
      }
    },
  )

  const described = { has: ['user'], approve: { name: 'answer', value: 'yes' } }
  const withButton = (field: string) => readPage(`<form><input name="user">${field}</form>`)

  test.each([
    ['a button', '<button name="answer" value="yes">'],
    ['a button that is not in use yet', '<button name="answer" value="yes" disabled>'],
    ['a radio button', '<input type="radio" name="answer" value="yes">'],
    ['a list', '<select name="answer"><option>no<option>yes</select>'],
    ['a hidden field', '<input type="hidden" name="answer">'],
  ])('a form whose described button is %s', (_what, field) => {
    expect(fitting(withButton(field), [described], 'approve')).toHaveProperty('form')
    expect(fitting(withButton(field), [described], 'deny')).toHaveProperty('form')
  })

  test.each([
    ['another value', '<button name="answer" value="ok">', 'but answer=ok'],
    ['another name', '<input type="submit" name="go" value="Yes">', 'but go=Yes'],
    ['no name', '<button>Yes</button>', 'nor any that has a name'],
    [
      'other choices',
      '<select name="answer"><option>a<option>b</select>',
      'but answer=a, answer=b',
    ],
  ])('no form whose button has %s: the page says which it has', (_what, field, has) => {
    expect(fitting(withButton(field), [described], 'approve')).toBeUndefined()
    expect(lackedButton(withButton(field), [described], 'approve')).toBe(
      `the page with user has no button answer=yes, ${has}`,
    )
    const added = { ...described, approve: { ...described.approve, added: true } }
    expect(fitting(withButton(field), [added], 'approve')).toHaveProperty('form')
  })

  test('a page says what it offers', () => {
    expect(offered(landing)).toBe('no form, but the links “Help”, “Go on to log in”')
    expect(offered(login)).toBe('fields user, go')
    expect(offered(readPage('<p>One moment</p>'))).toBe('no form and no link')
  })
})

test.each([
  ['the description of a picture', '<img alt="Tally Ltd">', 'Tally Ltd'],
  ['what stands in a field', '<input readonly value="Tally Ltd">', 'Tally Ltd'],
  ['what a button says', '<input type="submit" value="Go on">', 'Go on'],
  ['nothing of a hidden field', '<input type="hidden" value="Tally Ltd">', ''],
  ['nothing of a password', '<input type="password" value="secret">', ''],
])('what a page says: %s', (_what, html, text) => {
  expect(readPage(html).text).toBe(text)
})

describe('what a form sends untouched', () => {
  const sent = (html: string) => {
    const [form] = readPage(html).forms
    return form && filled(form, {}, 'approve', {}).toString()
  }

  test.each([
    [
      'the text of an option without a value',
      '<select name="a"><option>one<option selected>two',
      'a=two',
    ],
    ['an option of a group', '<select name="a"><optgroup><option value="1">one</optgroup>', 'a=1'],
    ['what stands in a textarea', '<textarea name="a">\none\ntwo</textarea>', 'a=one%0D%0Atwo'],
  ])('%s', (_what, field, expected) => {
    expect(sent(`<form method="post">${field}</form>`)).toBe(expected)
  })

  test('a field that names it and stands elsewhere', () => {
    const page = '<input name="a" value="1" form="login"><form id="login"></form>'
    expect(sent(`${page}<form id="search"><input name="b" form="none"></form>`)).toBe('a=1')
  })
})

describe('a decision', () => {
  const description = {
    approve: { name: 'answer', value: 'yes' },
    deny: { name: 'answer', value: 'no' },
  }
  const sent = (fields: string, decision: 'approve' | 'deny') => {
    const [form] = readPage(`<form method="post">${fields}</form>`).forms
    return form && filled(form, description, decision, {}).toString()
  }

  test.each([
    ['a button', '<button name="answer" value="yes"></button><button name="answer" value="no">'],
    [
      'a radio button, another being preselected',
      '<input type="radio" name="answer" value="no" checked><input type="radio" name="answer" value="yes">',
    ],
    ['a list', '<select name="answer"><option value="no"><option value="yes"></select>'],
  ])('by %s is sent once', (_by, fields) => {
    expect(sent(fields, 'approve')).toBe('answer=yes')
    expect(sent(fields, 'deny')).toBe('answer=no')
  })
})

describe('a customer without a screen', () => {
  const purpose = 'test'
  let directory: Directory

  beforeAll(async () => {
    directory = await openDirectory()
  })
  afterAll(() => directory.close())

  test('whose description fits no page blocks what needs the visit: the bank is not to blame', async () => {
    const { session, close } = await open(
      { driver: 'http', forms: [{ has: ['membershipNumber'] }] },
      { directory },
    )
    await expect(session.visit({ purpose })).rejects.toThrow(
      /^the visit ended: a page without any form that the target describes; the page has fields .*username/,
    )
    await close()
  })

  test('whose password is wrong blocks it too', async () => {
    const { session, close } = await open(undefined, {
      directory,
      change: ({ customers }) => {
        customers.first.credentials.password = 'wrong'
      },
    })
    await expect(session.visit({ purpose })).rejects.toThrow(/comes back again and again/)
    await close()
  })

  test('who came through once finds a page that fits nothing: that is the bank’s doing', async () => {
    let busy = false
    const alteration: Alteration = {
      id: 'busy',
      story: 'A page for the time of maintenance stands before the login.',
      async middleware(ctx, next) {
        if (busy && ctx.path.startsWith('/auth')) ctx.body = '<p>We will be back soon.</p>'
        else await next()
      },
    }
    const { session, close } = await open(undefined, { directory, alterations: [alteration] })
    expect(await session.visit({ purpose })).toMatchObject({ kind: 'granted' })
    busy = true
    expect(await session.visit({ purpose })).toMatchObject({
      kind: 'stopped',
      why: 'a page without any form that the target describes',
    })
    await close()
  })
})
