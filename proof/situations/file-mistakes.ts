import type { TargetDocument } from '../../engine/configuration/target.ts'
import { inTheFile, type Situation, type Surroundings } from './situation.ts'

/** Each member of a target file: missing, wrong, of another client or bank, expired. */

type Change = (document: TargetDocument, about: Surroundings) => void

/** Treats the document as plain data, to reach a member by its path. */
type Plain = Record<string, unknown>

function within(document: TargetDocument, path: string): { parent: Plain; name: string } {
  const names = path.split('.')
  const name = names.pop() as string
  const parent = names.reduce((at, each) => at[each] as Plain, document as unknown as Plain)
  return { parent, name }
}

const without =
  (path: string): Change =>
  (document) => {
    const { parent, name } = within(document, path)
    delete parent[name]
  }

const set =
  (
    path: string,
    value: unknown | ((about: Surroundings, document: TargetDocument) => unknown),
  ): Change =>
  (document, about) => {
    const { parent, name } = within(document, path)
    parent[name] = typeof value === 'function' ? value(about, document) : value
  }

/** One mistake that both commands find in the file alone. */
const file = (id: string, story: string, target: Change, words: RegExp): Situation => ({
  ...{ id, kind: 'file', story, target },
  expects: inTheFile(words),
})

/** A required member that is missing. */
const missing = (path: string, words = new RegExp(path.split('.').at(-1) ?? path)): Situation =>
  file(`${path}-missing`, `${path} is left out.`, without(path), words)

const NOT_PEM = 'not a certificate'

const required: Situation[] = [
  'name',
  'addresses',
  'addresses.base_url',
  'addresses.auth_url',
  'addresses.discovery_url',
  'clients',
  'clients.first',
  'clients.first.transport',
  'clients.first.transport.certificate',
  'clients.first.transport.key',
  'clients.first.signing',
  'clients.first.signing.key',
  'clients.first.signing.kid',
  'clients.first.softwareStatement',
  'clients.first.redirectUris',
  'clients.first.scopes',
  'clients.first.scopes.accounts',
  'clients.second.transport.key',
  'clients.second.signing.kid',
  'customers',
  'customers.first',
  'authorisation',
  'authorisation.driver',
].map((path) => missing(path))

const ofWrongType: Situation[] = (
  [
    ['addresses.base_url', 'not a url'],
    ['addresses.auth_url', 'ftp://bank.example'],
    ['addresses.discovery_url', 42],
    ['clients.first.redirectUris', []],
    ['clients.first.redirectUris', ['not a url']],
    ['clients.first.scopes.accounts', ''],
    ['customers.first.accounts', 'two'],
    ['customers.first.cardEnding', '12'],
    ['authorisation.driver', 'telepathy'],
    ['rateLimitBurst', -5],
    ['clockTolerance', 'a minute'],
    ['settlingTime', null],
    ['absent', ['everything']],
    ['timeout', 0],
  ] as const
).map(([path, value], index) => {
  const name = path.split('.').at(-1) ?? path
  return file(
    `${path}-wrong-${index + 1}`,
    `${path} is ${JSON.stringify(value)}.`,
    set(path, value),
    new RegExp(name),
  )
})

const credentials: Situation[] = (['first', 'second'] as const).flatMap((client) => {
  const other = client === 'first' ? 'second' : 'first'
  const at = `clients.${client}`
  return [
    file(
      `${at}-transport-key-of-the-other-client`,
      'The two key files were exchanged.',
      set(
        `${at}.transport.key`,
        (_: Surroundings, { clients }: TargetDocument) => clients[other]?.transport.key,
      ),
      /key/,
    ),
    file(
      `${at}-transport-certificate-broken`,
      'The certificate file holds something else.',
      set(`${at}.transport.certificate`, NOT_PEM),
      /certificate/,
    ),
    file(
      `${at}-transport-expired`,
      'Last year’s certificate.',
      set(`${at}.transport`, ({ expired }: Surroundings) => expired),
      /expired|ended/,
    ),
    file(
      `${at}-transport-file-missing`,
      'The file was not copied to this machine.',
      set(`${at}.transport.certificate`, 'file:nowhere.pem'),
      /nowhere\.pem/,
    ),
    file(
      `${at}-signing-key-broken`,
      'The key file holds something else.',
      set(`${at}.signing.key`, NOT_PEM),
      /key/,
    ),
    file(
      `${at}-statement-no-jwt`,
      'The file with the software statement holds something else.',
      set(`${at}.softwareStatement`, 'not a statement'),
      /software ?[sS]tatement/,
    ),
    file(
      `${at}-redirect-uri-not-in-the-statement`,
      'A redirect URI that the directory does not know.',
      set(`${at}.redirectUris`, ['https://elsewhere.example/callback']),
      /redirect/,
    ),
  ]
})

/** What looks right, and would reach the bank as something else. */
const nearly: Situation[] = [
  file(
    'addresses.base_url-with-a-port-that-is-none',
    'The port of an address is 99999.',
    set('addresses.base_url', 'https://127.0.0.1:99999'),
    /base_url is not a URL/,
  ),
  file(
    'addresses.discovery_url-with-its-path',
    'The address of discovery is that of the document itself.',
    set('addresses.discovery_url', (_: Surroundings, { addresses }: TargetDocument) => {
      return `${addresses.discovery_url}/.well-known/openid-configuration`
    }),
    /discovery_url ends with/,
  ),
  file(
    'clients.first-statement-in-quotes',
    'The software statement is the JSON text of an answer of the directory.',
    set('clients.first.softwareStatement', (_: Surroundings, { clients }: TargetDocument) =>
      JSON.stringify(clients.first.softwareStatement),
    ),
    /softwareStatement has quotes/,
  ),
  file(
    'clients.first-transport-certificate-in-one-line',
    'A secret of a pipeline holds the certificate without its line breaks.',
    set('clients.first.transport.certificate', (_: Surroundings, { clients }: TargetDocument) =>
      clients.first.transport.certificate?.trim().replaceAll('\n', '\\n'),
    ),
    /without its line breaks/,
  ),
  file(
    'password-empty',
    'The secret with the password is not given to the job.',
    set('customers.first.credentials.password', ''),
    /password is empty/,
  ),
]

const texts: Situation[] = (
  [
    [
      'yaml-broken',
      'A bracket is not closed.',
      (yaml: string) => `${yaml}\nliterals: [`,
      /target\.yaml/,
    ],
    [
      'yaml-with-tabs',
      'Lines are indented with tabs.',
      (yaml: string) => yaml.replace('  base_url', '\tbase_url'),
      /target\.yaml/,
    ],
    [
      'yaml-member-twice',
      'A member stands twice.',
      (yaml: string) => `${yaml}\nname: again\n`,
      /twice/,
    ],
    ['empty', 'The file is empty.', () => '', /target\.yaml/],
    ['a-list', 'The file is a list.', () => '- one\n', /target\.yaml/],
    [
      'member-misspelt',
      'A member is misspelt.',
      (yaml: string) => yaml.replace('addresses:', 'adresses:'),
      /adresses/,
    ],
    [
      'secret-not-set',
      'A variable of the environment is not set.',
      (yaml: string) => yaml.replace(/password: .*/, `password: \${ASSAY_NO_SUCH_VARIABLE}`),
      /ASSAY_NO_SUCH_VARIABLE/,
    ],
    [
      'secret-without-braces',
      'A variable of the environment has no braces.',
      (yaml: string) => yaml.replace(/password: .*/, 'password: $CUSTOMER_PASSWORD'),
      /a variable is written/,
    ],
  ] as const
).map(([id, story, text, words]) => ({
  ...{ id, kind: 'file' as const, story, text },
  expects: inTheFile(words),
}))

/** Mistakes that only the bank can reveal: the doctor asks it, and so does a run before it judges. */
const atTheBank: Situation[] = [
  {
    id: 'kid-wrong',
    kind: 'file',
    story: 'The kid of last year’s key.',
    target: set('clients.first.signing.kid', 'last-years-key'),
    expects: { exit: [2, 3], words: /kid/, doctor: [2] },
  },
  {
    id: 'base-url-without-tls',
    kind: 'file',
    story: 'The address of consents and data begins with http:.',
    target: set('addresses.base_url', (_: Surroundings, { addresses }: TargetDocument) =>
      (addresses as Record<string, string>).base_url?.replace('https:', 'http:'),
    ),
    expects: { exit: [2, 3], words: /addresses\.base_url: write https:/, doctor: [2] },
  },
  {
    id: 'kid-wrong-later',
    kind: 'file',
    story: 'The kid is changed after a run that registered the client and kept it.',
    isLater: true,
    target: set('clients.first.signing.kid', 'last-years-key'),
    expects: { exit: [2, 3], words: /kid/, doctor: [2] },
  },
  {
    id: 'signing-key-of-nobody',
    kind: 'file',
    story: 'A signing key that is not in the JWK Set of the software.',
    target: set('clients.first.signing.key', ({ strayKey }: Surroundings) => strayKey),
    expects: { exit: [2, 3], words: /key/, doctor: [2] },
  },
  {
    id: 'statement-of-the-second-client',
    kind: 'file',
    story: 'The software statement of another product of the same TPP.',
    target: set(
      'clients.first.softwareStatement',
      (_: Surroundings, { clients }: TargetDocument) => clients.second?.softwareStatement,
    ),
    expects: { exit: [2, 3], words: /statement/, doctor: [2] },
  },
  {
    id: 'statement-of-another-directory',
    kind: 'file',
    story: 'A software statement of the sandbox of another directory.',
    target: set(
      'clients.first.softwareStatement',
      ({ other }: Surroundings) => other.clients.first.softwareStatement,
    ),
    expects: { exit: [2, 3], words: /statement/, doctor: [2, 3] },
  },
  {
    id: 'certificate-of-another-authority',
    kind: 'file',
    story: 'A transport certificate that this bank does not trust.',
    target: set(
      'clients.first.transport',
      ({ other }: Surroundings) => other.clients.first.transport,
    ),
    expects: { exit: [2, 3], words: /certificate/, doctor: [2, 3] },
  },
  {
    id: 'trust-of-another-authority',
    kind: 'file',
    story: 'The authority of another environment.',
    target: set('trust', ({ other }: Surroundings) => other.trust),
    expects: { exit: [3], words: /not trusted|trust/, doctor: [2, 3] },
  },
  {
    id: 'trust-missing',
    kind: 'file',
    story: 'The authority of the bank is left out, and no public one has signed its certificate.',
    target: without('trust'),
    expects: { exit: [3], whose: ['configuration'], words: /trust/, doctor: [2] },
  },
  {
    id: 'scope-wrong',
    kind: 'file',
    story: 'A scope that this bank does not have.',
    target: set('clients.first.scopes.accounts', 'aisp'),
    expects: { exit: [2, 3], words: /scope/, doctor: [2, 3] },
  },
  {
    id: 'password-wrong',
    kind: 'file',
    story: 'The password was changed at the bank.',
    target: set('customers.first.credentials', { username: 'amara.okafor', password: 'changed' }),
    expects: { exit: [2, 3, 4], words: /credentials|password|log/, doctor: [0] },
  },
  {
    id: 'customer-unknown',
    kind: 'file',
    story: 'The customer of another environment.',
    target: set('customers.first.credentials', { username: 'nobody', password: 'nothing' }),
    expects: { exit: [2, 3, 4], words: /credentials|password|log/, doctor: [0] },
  },
  {
    id: 'intent-claim-wrong',
    kind: 'file',
    story: 'The name of the claim is spelled otherwise at this bank.',
    target: set('literals.intentClaim', 'intent_id'),
    expects: { exit: [3], whose: ['configuration'], words: /literals\.intentClaim/, doctor: [2] },
  },
  {
    id: 'forms-of-another-page',
    kind: 'file',
    story: 'The login page was rebuilt, and its fields have other names.',
    target: set('authorisation.forms', [
      { has: ['user', 'secret'], fill: { user: '{username}', secret: '{password}' } },
    ]),
    expects: { exit: [2, 3, 4], words: /form/, doctor: [2, 3] },
  },
  {
    id: 'card-of-nobody',
    kind: 'file',
    story: 'The card ending of a customer of another environment.',
    target: set('customers.first.cardEnding', '9999'),
    expects: { exit: [0, 1, 2, 4], words: /./, doctor: [0, 2] },
  },
  {
    id: 'accounts-missing',
    kind: 'file',
    story: 'How many accounts the customer chooses is left out.',
    target: without('customers.first.accounts'),
    expects: { exit: [0, 4], words: /customers\.first\.accounts/, doctor: [0] },
  },
]

/** A whole address that is nearly right: this bank has nothing there. */
const elsewhere: Situation[] = (
  [
    ['discovery', 'discovery_url', '/.well-known/oauth-configuration'],
    ['registration', 'base_url', '/open-banking/oauth/registration'],
    ['token', 'base_url', '/open-banking/oauth2/token'],
    ['authorisation', 'auth_url', '/authorise'],
    ['aisp', 'base_url', '/open-banking/v3.0/aisp'],
    ['products', 'product_api_url', '/open-banking/v2'],
  ] as const
).map(([part, below, path]) => ({
  id: `overrides-${part}-elsewhere`,
  kind: 'file',
  story: `addresses.overrides.${part} ends in ${path}, where this bank has nothing.`,
  target(document) {
    const { addresses } = document
    addresses.overrides = { ...addresses.overrides, [part]: `${addresses[below]}${path}` }
  },
  expects: {
    ...{ exit: [3], whose: ['configuration'] },
    words: new RegExp(`Correct addresses\\.overrides\\.${part}\\.`),
    doctor: [2],
  },
}))

/** Two parties of the file are one and the same, or one member has the value of another. */
const alike: Situation[] = [
  file(
    'clients-are-one',
    'The second client is a copy of the first.',
    set('clients.second', (_: Surroundings, document: TargetDocument) => document.clients.first),
    /clients\.second\.softwareStatement is of the same software/,
  ),
  file(
    'customers-are-one',
    'The second customer logs in as the first.',
    set(
      'customers.second.credentials',
      (_: Surroundings, document: TargetDocument) => document.customers.first.credentials,
    ),
    /customers\.second\.credentials are those of customers\.first/,
  ),
  file(
    'denial-is-approval',
    'The button of a denial is that of an approval.',
    (document) => {
      for (const form of document.authorisation.forms ?? []) form.deny = form.approve
    },
    /deny is the button of approve/,
  ),
]

const FUNDS = '/funds-consents'

/** Nothing tells whether the bank, or what the file says of it, is wrong. */
const doubtful: Situation[] = [
  {
    id: 'hook-does-nothing',
    kind: 'file',
    story: 'The program of the hook token-expired ends with 0, and no token has expired.',
    target: set('hooks.token-expired', { command: ['node', '-e', '0'] }),
    expects: {
      ...{ exit: [1], whose: ['either'] },
      words: /First\s+see\s+that\s+hooks\.token-expired/,
    },
  },
  {
    id: 'card-schemes-of-another-bank',
    kind: 'file',
    story: 'The names of card schemes are those of another bank.',
    target: set('literals.cardSchemes', ['Visa', 'Mastercard']),
    expects: {
      ...{ exit: [1], whose: ['either'] },
      words: /First\s+compare\s+literals\.cardSchemes/,
    },
  },
]

/** What the bank refuses as it must: only a comparison with what the bank publishes shows whose mistake it is. */
const refused: Situation[] = [
  {
    id: 'funds-address-elsewhere',
    kind: 'file',
    story: 'The path of funds confirmation consents is one of another bank.',
    target: set('fundsConfirmation', { create: FUNDS, delete: FUNDS }),
    expects: {
      ...{ exit: [3], whose: ['configuration'] },
      ...{ words: /Correct fundsConfirmation\.create/, doctor: [2] },
    },
  },
  {
    id: 'audience-of-another-bank',
    kind: 'file',
    story: 'assertionAudience is the token endpoint of another bank.',
    target: set('assertionAudience', 'https://login.other-bank.example/token'),
    expects: {
      ...{ exit: [3], whose: ['configuration'] },
      words: /assertionAudience|clientId/,
      doctor: [2, 3],
    },
  },
  {
    id: 'scope-left-out-of-the-registration',
    kind: 'file',
    story: 'registrationClaims replaces the scope, and leaves out those of consents.',
    target: set('clients.first.registrationClaims', { scope: 'openid' }),
    expects: {
      ...{ exit: [3], whose: ['configuration'] },
      words: /clients\.first\.(registrationClaims|scopes)/,
      doctor: [2, 3],
    },
  },
  {
    id: 'funds-scope-of-accounts',
    kind: 'file',
    story: 'The scope of funds confirmation is that of accounts, and this bank has one of its own.',
    target: set('clients.first.scopes.fundsConfirmation', 'accounts'),
    expects: {
      ...{ exit: [3], whose: ['configuration'] },
      words: /clients\.first\.scopes\.fundsConfirmation|not created/,
      doctor: [2, 3],
    },
  },
  {
    id: 'accounts-miscounted',
    kind: 'file',
    story: 'The customer is said to choose three accounts, and has two.',
    target: set('customers.first.accounts', 3),
    expects: {
      ...{ exit: [4], whose: ['configuration'] },
      ...{ words: /customers\.first\.accounts|2 were ticked/, doctor: [0] },
    },
  },
  {
    id: 'boxes-unticked',
    kind: 'file',
    story: 'The boxes of the accounts are not described, and the bank wants one of them ticked.',
    target(document) {
      for (const form of document.authorisation.forms ?? []) delete form.tickAll
    },
    expects: {
      ...{ exit: [4], whose: ['configuration'] },
      ...{ words: /not\s+ticked/, doctor: [0] },
    },
  },
  {
    id: 'second-kid-wrong-later',
    kind: 'file',
    isLater: true,
    story: 'The kid of the second client is that of the first, after a run that kept both clients.',
    target: set(
      'clients.second.signing.kid',
      (_: Surroundings, document: TargetDocument) => document.clients.first.signing.kid,
    ),
    expects: { exit: [3], whose: ['configuration'], words: /kid/, doctor: [2] },
  },
]

export const FILE_MISTAKES: readonly Situation[] = [
  ...required,
  ...ofWrongType,
  ...credentials,
  ...nearly,
  ...texts,
  ...atTheBank,
  ...elsewhere,
  ...alike,
  ...refused,
  ...doubtful,
]
