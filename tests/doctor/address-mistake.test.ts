import { expect, test } from 'vitest'
import { endpointsOf } from '../../engine/configuration/addresses.ts'
import type { Target } from '../../engine/configuration/resolve.ts'
import type { Addresses, TargetDocument } from '../../engine/configuration/target.ts'
import { addressMistake } from '../../engine/doctor/address-mistake.ts'

const ADDRESSES: Addresses = {
  base_url: 'https://api.bank.example',
  auth_url: 'https://login.bank.example',
  discovery_url: 'https://login.bank.example',
  product_api_url: 'https://products.bank.example',
}
const DOCUMENTED = 'https://api.bank.example/open-banking/oauth/token'
const OTHER = 'https://api.bank.example/oauth2/token'

function mistakeWith(
  { token }: { token?: string },
  { said, ...answer }: { status: number; said?: string; error?: string },
) {
  const addresses = { ...ADDRESSES, ...(token !== undefined && { overrides: { token } }) }
  const document = { addresses } as TargetDocument
  const target = { document, endpoints: endpointsOf(document) } as Target
  const configuration = said === undefined ? undefined : { token_endpoint: said }
  const found = addressMistake(
    'token',
    { status: answer.status, ...(answer.error && { said: answer.error }) },
    { target, configuration },
  )
  return found?.level === 'wrong' ? found.mend : undefined
}

const CORRECT = 'Correct addresses.overrides.token.'
const COMPARE =
  'Correct addresses.base_url, or write the whole address under addresses.overrides.token.'

test.each([
  ['the file replaces the documented address', { token: OTHER }, { status: 404 }, CORRECT],
  ['the same, and 405', { token: OTHER }, { status: 405 }, CORRECT],
  ['the bank names the documented', { token: OTHER }, { status: 404, said: DOCUMENTED }, CORRECT],
  ['the bank names the same', { token: OTHER }, { status: 404, said: OTHER }, undefined],
  ['it is the documented address', {}, { status: 404 }, undefined],
  ['it is written out', { token: DOCUMENTED }, { status: 404 }, undefined],
  ['the bank names another path', {}, { status: 404, said: OTHER }, undefined],
  ['another host', {}, { status: 404, said: 'https://mtls.bank.example/token' }, COMPARE],
  ['a gateway knows no route', { token: OTHER }, { status: 403, said: DOCUMENTED }, CORRECT],
  ['a portal is there', { token: OTHER }, { status: 302, said: DOCUMENTED }, CORRECT],
  [
    'a token endpoint is there',
    { token: OTHER },
    { status: 400, said: DOCUMENTED, error: 'invalid_client' },
    undefined,
  ],
  [
    'a registration is refused in words',
    { token: OTHER },
    { status: 400, said: DOCUMENTED },
    undefined,
  ],
  ['it fails', { token: OTHER }, { status: 500, said: DOCUMENTED }, undefined],
] as const)('nothing is at an address: %s', (_words, file, answer, mend) => {
  expect(mistakeWith(file, answer)).toBe(mend)
})

test.each([
  ['registration', 'https://reg.bank.example:4501/other'],
  ['token', 'https://mtls.bank.example:4201/other'],
  ['authorisation', 'https://sandbox.bank.example/other'],
  ['discovery', 'https://sandbox.bank.example/other'],
  ['aisp', 'https://api.sandbox.bank.example/other'],
  ['products', 'https://products.bank.example/other'],
] as const)('a sandbox: the address of %s', (part, elsewhere) => {
  const sandbox: Addresses = {
    sandbox_discovery_url: 'https://sandbox.bank.example',
    sandbox_api_url: 'https://api.sandbox.bank.example',
    sandbox_registration_url: 'https://reg.bank.example',
    sandbox_token_url: 'https://mtls.bank.example',
    product_api_url: 'https://products.bank.example',
  }
  const found = (addresses: Addresses) => {
    const document = { addresses } as TargetDocument
    const target = { document, endpoints: endpointsOf(document) } as Target
    return addressMistake(part, { status: 404 }, { target, configuration: undefined })
  }
  expect(found(sandbox)).toBeUndefined()
  const overrides = { [part]: elsewhere }
  expect(found({ ...sandbox, overrides })).toMatchObject({
    mend: `Correct addresses.overrides.${part}.`,
  })
})
