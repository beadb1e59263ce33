import { expect, test } from 'vitest'
import { endpointsOf, layoutOf } from '../../engine/configuration/addresses.ts'
import type { Addresses, TargetDocument } from '../../engine/configuration/target.ts'
import { documentFor } from './documents.ts'

function endpoints(addresses: Addresses, over: Partial<TargetDocument> = {}) {
  return endpointsOf({ ...documentFor('https://bank.example'), addresses, ...over })
}

test('production: the paths of the table Endpoints', () => {
  expect(
    endpoints({
      base_url: 'https://api.example/',
      auth_url: 'https://auth.example',
      discovery_url: 'https://discovery.example',
      product_api_url: 'https://products.example',
    }),
  ).toEqual({
    discovery: 'https://discovery.example/.well-known/openid-configuration',
    registration: 'https://api.example/open-banking/oauth/register',
    authorisation: 'https://auth.example/authorize',
    token: 'https://api.example/open-banking/oauth/token',
    aisp: 'https://api.example/open-banking/v3.1/aisp',
    cbpii: {
      create: [
        'https://api.example/open-banking/v3.1/cbpii/funds-confirmation-consents',
        'https://api.example/open-banking/v3.1/aisp/cbpii/funds-confirmation-consents',
        'https://api.example/open-banking/v3.1/aisp/funds-confirmation-consents',
      ],
      delete: [
        'https://api.example/open-banking/v3.1/cbpii/funds-confirmation-consents',
        'https://api.example/open-banking/v3.1/aisp/cbpii/funds-confirmation-consents',
        'https://api.example/open-banking/v3.1/aisp/funds-confirmation-consents',
      ],
    },
    products: 'https://products.example/open-banking/v1/consumer-credit-cards',
  })
})

test('sandbox: other paths, ports 4501 and 4201', () => {
  const addresses = {
    sandbox_discovery_url: 'https://auth.sandbox.example',
    sandbox_api_url: 'https://api.sandbox.example',
    sandbox_registration_url: 'https://register.sandbox.example',
    sandbox_token_url: 'https://token.sandbox.example',
  }
  expect(layoutOf(addresses)).toBe('sandbox')
  expect(endpoints(addresses)).toMatchObject({
    discovery: 'https://auth.sandbox.example/.well-known/openid-configuration',
    registration: 'https://register.sandbox.example:4501/dynamic-client-registration/v3.1/register',
    authorisation: 'https://auth.sandbox.example/auth',
    token: 'https://token.sandbox.example:4201/token',
    aisp: 'https://api.sandbox.example/open-banking/v3.1/aisp',
    products: '',
  })
})

test('sandbox: a port that is named stays', () => {
  expect(
    endpoints({
      sandbox_registration_url: 'https://register.sandbox.example:443/',
      sandbox_token_url: 'https://127.0.0.1:9000',
    }),
  ).toMatchObject({
    registration: 'https://register.sandbox.example:443/dynamic-client-registration/v3.1/register',
    token: 'https://127.0.0.1:9000/token',
  })
})

test('an override replaces one URL', () => {
  const found = endpoints({
    base_url: 'https://api.example',
    overrides: {
      token: 'https://token.example/t',
      aisp: 'https://data.example/aisp/',
      cbpii: 'https://data.example/cbpii',
      products: 'https://p.example/v1',
    },
  })
  expect(found).toMatchObject({
    registration: 'https://api.example/open-banking/oauth/register',
    token: 'https://token.example/t',
    aisp: 'https://data.example/aisp',
    cbpii: { create: ['https://data.example/cbpii/funds-confirmation-consents'] },
    products: 'https://p.example/v1/consumer-credit-cards',
  })
})

test('a funds confirmation path that the target names is the only one', () => {
  const found = endpoints(
    { base_url: 'https://api.example' },
    {
      fundsConfirmation: { create: 'https://f.example/c', delete: '/funds-confirmation-consents' },
    },
  )
  expect(found.cbpii).toEqual({
    create: ['https://f.example/c'],
    delete: ['https://api.example/open-banking/v3.1/aisp/funds-confirmation-consents'],
  })
})
