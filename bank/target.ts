import { type Customer, customersOf } from './data/customers.ts'
import { applications, type Directory, type Enrolled } from './directory/directory.ts'
import { endpointsOf, placeholdersOf } from './listeners/endpoints.ts'
import { factNames } from './operator/admin-api.ts'
import { panScheme } from './policies/consents.ts'
import type { Services } from './state/services.ts'
import { settingsFrom } from './state/settings.ts'

/** How to reach and judge this bank: the content of a target file, including every credential. */
export function targetOf(services: Addressed & Pick<Services, 'directory'>, operatorUrl: string) {
  const { directory } = services
  const { first, second } = directory.clients
  // The addresses come first, so that they are at the top of the file.
  const { addresses, ...facts } = publicFacts(services, operatorUrl)
  return {
    name: 'embedded',
    addresses,
    trust: [directory.authority],
    clients: { first: clientOf(first), second: clientOf(second) },
    refusedCertificates: refusedOf(directory),
    ...facts,
  }
}

/** The same before the bank starts, when no port and no key is known. */
export function plannedTarget(name: string) {
  const settings = settingsFrom()
  const endpoints = endpointsOf(settings, () => 'https://127.0.0.1')
  const customers = customersOf(settings.data)
  const transport = { certificate: '', key: '' }
  const client = {
    transport,
    signing: { key: '', kid: '' },
    softwareStatement: '',
  }
  return {
    name,
    clients: {
      first: { ...client, redirectUris: applications.first.redirectUris, scopes: { ...SCOPES } },
      second: { ...client, redirectUris: applications.second.redirectUris, scopes: { ...SCOPES } },
    },
    refusedCertificates: { expired: transport, untrusted: transport },
    ...publicFacts({ settings, endpoints, customers }, ''),
  }
}

type Addressed = Pick<Services, 'settings' | 'endpoints' | 'customers'>

function publicFacts({ settings, endpoints, customers }: Addressed, operatorUrl: string) {
  const [one, two] = customers
  if (!one || !two) throw new Error('a bank has two customers at least')
  return {
    addresses: placeholdersOf(settings, endpoints),
    customers: { first: customerOf(one), second: customerOf(two) },
    authorisation: {
      driver: 'http' as const,
      forms: [
        {
          has: ['username', 'password'],
          fill: { username: '{username}', password: '{password}' },
        },
        {
          has: ['decision'],
          tickAll: 'accounts',
          approve: { name: 'decision', value: 'approve' },
          deny: { name: 'decision', value: 'deny' },
        },
      ],
    },
    literals: {
      panScheme: panScheme(),
      cardSchemes: ['Cashcard', 'CreditSchemeA', 'CreditSchemeB'],
      intentClaim: 'openbanking_intent_id',
    },
    hooks: hooksOf(operatorUrl),
    freshRegistrations: true,
    rateLimitBurst: settings.rateLimit.threshold + 5,
    clockTolerance: 60,
    settlingTime: 1,
  }
}

export type Target = ReturnType<typeof targetOf>

const SCOPES = { accounts: 'accounts', fundsConfirmation: 'fundsconfirmations' }

function clientOf({ transport, signing, softwareStatement, redirectUris }: Enrolled) {
  return {
    transport,
    signing: {
      key: signing.key.export({ type: 'pkcs8', format: 'pem' }) as string,
      kid: signing.kid,
    },
    softwareStatement,
    redirectUris,
    scopes: { ...SCOPES },
  }
}

function refusedOf({ refused: { expired, untrusted } }: Directory) {
  return { expired, untrusted }
}

function customerOf({ username, password, name, cards }: Customer) {
  return {
    credentials: { username, password },
    names: [name, ...cards.map(({ holder }) => holder)],
    secondaryIdentification: '00',
    accounts: cards.length,
    ...(cards[0] ? { cardEnding: cards[0].pan.slice(-4) } : {}),
  }
}

interface Hook {
  http: {
    method: string
    url: string
    headers: Record<string, string>
    body: Record<string, string>
  }
}

type FactName = 'token-expired' | 'consent-expired' | 'ninety-days-passed' | 'customer-revokes'

function hooksOf(operatorUrl: string): Record<FactName, Hook> {
  const hooks = factNames.map((name) => {
    const subject = name === 'token-expired' ? 'accessToken' : 'consentId'
    const http = {
      method: 'POST',
      url: `${operatorUrl}/facts/${name}`,
      headers: { 'content-type': 'application/json' },
      body: { [subject]: `{${subject}}` },
    }
    return [name, { http }]
  })
  return Object.fromEntries(hooks) as Record<FactName, Hook>
}
