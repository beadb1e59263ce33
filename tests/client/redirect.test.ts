import { expect, test } from 'vitest'
import { parseRedirect, redirectsTo } from '../../engine/client/redirect.ts'

test('success: code, ID token and state stand in the fragment', () => {
  expect(parseRedirect('https://tpp.example/cb?own=1#code=c&id_token=a.b.c&state=s%20t')).toEqual({
    address: 'https://tpp.example/cb',
    query: { own: '1' },
    fragment: { code: 'c', id_token: 'a.b.c', state: 's t' },
    mode: 'fragment',
    code: 'c',
    idToken: 'a.b.c',
    state: 's t',
  })
})

test('an answer in the query is read, and said to be there', () => {
  expect(parseRedirect('https://tpp.example/cb?code=c&state=s')).toMatchObject({
    mode: 'query',
    code: 'c',
    state: 's',
  })
})

test('an error carries its description', () => {
  const url = 'https://tpp.example/cb#error=access_denied&error_description=no+thanks&state=s'
  expect(parseRedirect(url)).toMatchObject({
    mode: 'fragment',
    error: 'access_denied',
    errorDescription: 'no thanks',
    state: 's',
  })
})

test('a parameter without a value is as good as none', () => {
  const url = 'https://tpp.example/cb?error=access_denied&state=s#code=&id_token=&error='
  const redirect = parseRedirect(url)
  expect(redirect).toMatchObject({ mode: 'query', error: 'access_denied', state: 's' })
  expect([redirect?.code, redirect?.idToken]).toEqual([undefined, undefined])
})

test('no answer, no URL', () => {
  expect(parseRedirect('https://tpp.example/cb')?.mode).toBeUndefined()
  expect(parseRedirect('/relative')).toBeUndefined()
})

test('redirectsTo compares the address and the query of the redirect URI', () => {
  const redirect = parseRedirect('https://tpp.example/cb?own=1#code=c')
  if (!redirect) throw new Error('not parsed')
  expect(redirectsTo(redirect, 'https://tpp.example/cb?own=1')).toBe(true)
  expect(redirectsTo(redirect, 'https://tpp.example/cb')).toBe(true)
  expect(redirectsTo(redirect, 'https://tpp.example/cb?own=2')).toBe(false)
  expect(redirectsTo(redirect, 'https://tpp.example/other')).toBe(false)
})

test.each([
  ['https://tpp.example', 'https://tpp.example/#code=c', true],
  ['https://TPP.example:443/cb', 'https://tpp.example/cb#code=c', true],
  ['https://TPP.example:443/cb', 'https://TPP.example:443/cb#code=c', true],
  ['https://tpp.example?own=1', 'https://tpp.example/?own=1#code=c', true],
  ['https://tpp.example?own=1', 'https://tpp.example/#code=c', false],
  ['https://tpp.example/cb', 'https://tpp.example/cb/#code=c', false],
  ['https://tpp.example/CB', 'https://tpp.example/cb#code=c', false],
])('redirectsTo knows %s as a browser writes it: %s', (redirectUri, url, goesThere) => {
  const redirect = parseRedirect(url)
  expect(redirect && redirectsTo(redirect, redirectUri)).toBe(goesThere)
})
