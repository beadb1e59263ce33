import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import type { Directory } from '../../bank/directory/directory.ts'
import { readBody } from '../../bank/listeners/body.ts'
import type { Alteration } from '../../bank/operator/alteration.ts'
import { encoded } from '../../engine/authorisation-drivers/form-encoding.ts'
import {
  boxesOf,
  filled,
  fitting,
  lackedButton,
  lookedFor,
  offered,
  readPage,
  sending,
} from '../../engine/authorisation-drivers/forms.ts'
import { refreshOf } from '../../engine/authorisation-drivers/refresh.ts'
import type { FormDocument } from '../../engine/configuration/target.ts'
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
    ['the first option that is in use', '<select name="a"><option disabled>1<option>2', 'a=2'],
    [
      'none of a group out of use',
      '<select name="a"><optgroup disabled><option>1</optgroup><option>2',
      'a=2',
    ],
    ['no placeholder', '<select name="a"><option selected disabled>Choose<option>2', ''],
    ['the last of several choices', '<select name="a"><option selected>1<option selected>2', 'a=2'],
    ['nothing of a list of several lines', '<select name="a" size="2"><option>1<option>2', ''],
    [
      'each choice of a multiple list',
      '<select name="a" multiple><option selected>1<option>2<option selected>3<option selected disabled>4',
      'a=1&a=3',
    ],
    ['nothing of a multiple list without one', '<select name="a" multiple><option>1', ''],
    ['what stands in a textarea', '<textarea name="a">\none\ntwo</textarea>', 'a=one%0D%0Atwo'],
    ['lines in a hidden field', '<input type="hidden" name="a" value="1\n2">', 'a=1%0D%0A2'],
    ['what a box that is ticked says', '<input type="checkbox" name="a" value="" checked>', 'a='],
    ['on, where it says nothing', '<input type="checkbox" name="a" checked>', 'a=on'],
    ['no reset', '<input type="reset" name="a" value="1">', ''],
    ['no button of a script', '<input type="button" name="a" value="1">', ''],
    ['nothing out of use', '<fieldset disabled><p><input name="a"></p></fieldset>', ''],
    [
      'what stands in the first legend of that',
      '<fieldset disabled><legend><input name="a"></legend><legend><input name="b"></legend></fieldset>',
      'a=',
    ],
    [
      'nothing in a legend whose set stands in another one out of use',
      '<fieldset disabled><fieldset disabled><legend><input name="a"></legend></fieldset></fieldset>',
      '',
    ],
    ['no suggestion', '<datalist><option value="1"><input name="a"></datalist>', ''],
    ['its encoding', '<input type="hidden" name="_charset_" value="no">', '_charset_=UTF-8'],
    [
      'a colour',
      '<input type="color" name="a"><input type="color" name="b" value="#00ff00">',
      'a=%23000000&b=%2300ff00',
    ],
    ['the middle of a range', '<input type="range" name="a">', 'a=50'],
    ['that of its bounds', '<input type="range" name="a" min="10" max="20">', 'a=15'],
    ['on one of its steps', '<input type="range" name="a" max="5">', 'a=3'],
    [
      'its least value, where that is above the other',
      '<input type="range" name="a" min="200">',
      'a=200',
    ],
  ])('%s', (_what, field, expected) => {
    expect(sent(`<form method="post">${field}</form>`)).toBe(expected)
  })

  test('fields in the order of the page, wherever they stand', () => {
    const page =
      '<input name="a" form="f"><form id="f"><input name="b"></form><input name="c" form="f">'
    expect(sent(page)).toBe('a=&b=&c=')
  })

  test('a field that names it and stands elsewhere', () => {
    const page = '<input name="a" value="1" form="login"><form id="login"></form>'
    expect(sent(`${page}<form id="search"><input name="b" form="none"></form>`)).toBe('a=1')
  })
})

describe('the encoding of a form', () => {
  const sent = async (form: string, charset?: string) => {
    const fields =
      '<input type="hidden" name="é" value="€ &amp; я"><input type="hidden" name="_charset_">'
    const [read] = readPage(`<form ${form}>${fields}</form>`, charset).forms
    return read && (await encoded(filled(read, {}, 'approve', {}), '', read.charset)).body
  }
  const utf8 = '%C3%A9=%E2%82%AC+%26+%D1%8F&_charset_=UTF-8'
  const western = '%E9=%80+%26+%26%231103%3B&_charset_=windows-1252'

  test.each([
    ['UTF-8 where nothing says another', '', undefined, utf8],
    ['that of the page', '', 'windows-1252', western],
    ['the one that it names', 'accept-charset="klingon latin1 utf-8"', 'utf-8', western],
    ['UTF-8 where it names one that nobody knows', 'accept-charset="klingon"', 'latin1', utf8],
    ['UTF-8 for UTF-16', '', 'utf-16le', utf8],
    ['UTF-8 for one of several bytes', 'accept-charset="big5"', undefined, utf8],
  ])('is %s', async (_which, form, charset, expected) => {
    expect(await sent(form, charset)).toBe(expected)
  })

  test('of other letters', async () => {
    expect(await sent('', 'koi8-r')).toBe('%26%23233%3B=%26%238364%3B+%26+%D1&_charset_=KOI8-R')
  })
})

describe('what is ticked', () => {
  const ticked = (fields: string, tickAll: string) => {
    const [form] = readPage(`<form>${fields}</form>`).forms
    if (!form) return undefined
    const sent = (one: boolean) => filled(form, { tickAll }, 'approve', {}, one).toString()
    return { all: sent(false), one: sent(true), of: boxesOf(form, { tickAll }) }
  }

  test.each([
    [
      'every box of a name',
      '<input type="checkbox" name="a" value="1"><input type="checkbox" name="a" value="2"><input type="checkbox" name="b">',
      'a',
      { all: 'a=1&a=2', one: 'a=1', of: 2 },
    ],
    [
      'the boxes of a name that a hidden field has too',
      '<input type="hidden" name="a" value="0"><input type="checkbox" name="a" value="1">',
      'a',
      { all: 'a=0&a=1', one: 'a=0&a=1', of: 1 },
    ],
    [
      'every option of a multiple list',
      '<select name="a" multiple><option>1<option selected>2<option disabled>3</select>',
      'a',
      { all: 'a=1&a=2', one: 'a=1', of: 2 },
    ],
    [
      'boxes with a number, by a star',
      '<input type="checkbox" name="a[0]"><input type="checkbox" name="a[1]"><input type="checkbox" name="ab">',
      'a[*]',
      { all: 'a%5B0%5D=on&a%5B1%5D=on', one: 'a%5B0%5D=on', of: 2 },
    ],
    [
      'no list of which one is chosen',
      '<select name="a"><option>1<option>2',
      'a',
      { all: 'a=1', one: 'a=1', of: 0 },
    ],
  ])('%s', (_what, fields, tickAll, expected) => {
    expect(ticked(fields, tickAll)).toEqual(expected)
  })
})

describe('an image button', () => {
  const image = '<input type="image" name="go" formaction="/go">'
  const press = (buttons: string, description: FormDocument = {}) => {
    const page = readPage(`<form action="/form"><input name="user">${buttons}</form>`)
    const match = fitting(page, [{ has: ['user'], ...description }], 'approve')
    if (!match || !('form' in match))
      return lackedButton(page, [{ has: ['user'], ...description }], 'approve')
    const sent = filled(match.form, description, 'approve', {}).toString()
    return `${sending(match.form, description, 'approve').action} ${sent}`
  }
  const named = (name: string) => ({ approve: { name, value: 'yes' } })

  test.each([
    ['is pressed where it is the first one', image, {}, '/go user=&go.x=0&go.y=0'],
    ['is pressed without a name', '<input type="image">', {}, '/form user=&x=0&y=0'],
    [
      'is not pressed where another one is the first',
      `<button>on</button>${image}`,
      {},
      '/form user=',
    ],
    [
      'is pressed by its name',
      `<button>on</button>${image}`,
      named('go'),
      '/go user=&go.x=0&go.y=0',
    ],
    [
      'is not pressed instead of another one',
      `${image}<button name="go" value="yes">`,
      named('go'),
      '/form user=&go=yes',
    ],
    [
      'is named where another one is lacking',
      image,
      named('on'),
      'the page with user has no button on=yes, but go (an image)',
    ],
  ])('%s', (_what, buttons, description, expected) => {
    expect(press(buttons, description)).toBe(expected)
  })

  test('stands outside of its form', () => {
    const [form] = readPage('<form id="f"></form><input type="image" form="f">').forms
    expect(form && filled(form, {}, 'approve', {}).toString()).toBe('x=0&y=0')
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

  test('types in the encoding of the page', async () => {
    let seen = ''
    const alteration: Alteration = {
      id: 'western',
      story: 'The login page is in ISO 8859-1.',
      async middleware(ctx, next) {
        if (ctx.path === '/seen') seen = (await readBody(ctx.req)) ?? ''
        else if (!ctx.path.startsWith('/auth')) return next()
        const form =
          '<form method="post" action="/seen"><input type="hidden" name="é"><input name="user">'
        ctx.type = 'text/html; charset=iso-8859-1'
        ctx.body = Buffer.from(seen === '' ? form : 'Danke schön', 'latin1')
      },
    }
    const forms = [{ has: ['user'], fill: { user: 'Jürgen' } }]
    const { session, close } = await open(
      { driver: 'http', forms },
      { directory, alterations: [alteration] },
    )
    await expect(session.visit({ purpose })).rejects.toThrow('a page without any form')
    expect(seen).toBe('%E9=&user=J%FCrgen')
    await close()
  })

  test('whose password is wrong blocks it too', async () => {
    const { session, close } = await open(undefined, {
      directory,
      change: ({ customers }) => {
        customers.first.credentials.password = 'wrong'
      },
    })
    await expect(session.visit({ purpose })).rejects.toThrow(
      /^the bank did not accept the credentials of customers\.first: its page says “.+”\. Correct customers\.first\.credentials/,
    )
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

describe('a page that leads on by itself', () => {
  test.each([
    ["0; URL='/wait'", { seconds: 0, url: '/wait' }],
    ['3;url=/wait?a=b;c', { seconds: 3, url: '/wait?a=b;c' }],
    ['1.5, URL = "next page" and more', { seconds: 1, url: 'next page' }],
    ['2 /wait', { seconds: 2, url: '/wait' }],
    [' 5 ', { seconds: 5, url: '' }],
    ['5;', { seconds: 5, url: '' }],
    ['900; url=/ended', undefined],
    ['soon', undefined],
    ['3x; url=/wait', undefined],
    [undefined, undefined],
  ])('by %s', (text, expected) => {
    expect(refreshOf(text)).toEqual(expected)
  })

  test('says so in its head, the first time that it does', () => {
    const { refresh } = readPage(
      '<meta http-equiv="content-type" content="text/html"><meta http-equiv=ReFresh content="0; /a&amp;b"><meta http-equiv="refresh" content="1">',
    )
    expect(refresh).toBe('0; /a&b')
  })
})

test('what descriptions look for is said once each', () => {
  const forms = [
    { has: ['user', 'secret'] },
    { has: ['user', 'secret'], only: 'deny' as const },
    { follow: 'Continue' },
  ]
  expect(lookedFor(forms)).toBe(
    'authorisation.forms looks for fields user, secret, or for the link “Continue”',
  )
})
