import { chained } from '../../engine/report/chain.ts'
import type {
  CheckResult,
  ExchangeRecord,
  Level,
  Outcome,
  Report,
  RequirementResult,
} from '../../engine/report/report.ts'

const START = Date.parse('2026-03-02T02:00:00.000Z')

type Row = [
  id: string,
  level: Level,
  chapter: string,
  source: string,
  quote: string,
  text: string,
  checks: [slug: string, title: string, outcome: Outcome, more?: Partial<CheckResult>][],
  more?: Partial<RequirementResult>,
]

const ROWS: Row[] = [
  [
    'DSC-01',
    'must',
    'account-information/discovery',
    'Endpoints',
    'Returns the OIDC configuration; body: not shown.',
    'The well-known address answers with a configuration.',
    [['served', 'the configuration is served as JSON', 'pass']],
  ],
  [
    'REG-05',
    'must',
    'account-information/registration',
    'Registration 4',
    'The supplied redirect_uris equal or are a subset of the software_redirect_uris claim of the assertion.',
    'A redirect URI outside the software statement is not registered.',
    [
      [
        'outside-statement',
        'a redirect URI outside the statement is refused or discarded',
        'not-applicable',
        { message: 'The target declares registration absent.' },
      ],
    ],
  ],
  [
    'REG-06',
    'must',
    'account-information/registration',
    'Registration 1',
    'The request is made over valid mutual TLS.',
    'Registration without a client certificate is refused.',
    [
      [
        'no-certificate',
        'registration without a client certificate is refused',
        'not-applicable',
        { message: 'The target declares registration absent.' },
      ],
    ],
  ],
  [
    'TOK-09',
    'must',
    'account-information/token',
    'Token, table',
    'JWT signed by the TPP, per OpenID Connect Core section 9.',
    'A client assertion that was signed with another key is refused.',
    [
      [
        'other-key',
        'a client assertion signed with another key is refused',
        'pass',
        { control: 'x7' },
      ],
      [
        'refresh-once-more',
        'a refreshed token reads accounts',
        'not-run',
        { message: 'Interrupted before its group.' },
      ],
    ],
  ],
  [
    'TOK-14',
    'should',
    'account-information/token',
    'Token response',
    'Type of the token; Bearer is used.',
    'token_type is Bearer when it is sent.',
    [
      [
        'bearer',
        'token_type is Bearer',
        'warn',
        {
          message: 'token_type is "bearer", which only differs in case.',
          expected: 'Bearer',
          actual: 'bearer',
          place: '/token_type',
          exchanges: ['x4'],
        },
      ],
    ],
  ],
  [
    'CON-03',
    'must',
    'account-information/consents',
    'AccountAccessConsent',
    'Any other value causes rejection of the request.',
    'A permission outside the list is rejected.',
    [
      [
        'unknown-permission',
        'a consent with an unknown permission is rejected',
        'pass',
        { control: 'x9' },
      ],
    ],
  ],
  [
    'CON-11',
    'must',
    'account-information/consents',
    'Consent endpoints 2',
    'An invalid ConsentId, or one owned by another client, gives an error response.',
    "Another client's consent can't be queried.",
    [
      [
        'foreign',
        "another client's consent is an error",
        'blocked',
        {
          message: 'There is no second client to own a consent.',
          blockedBy: 'The target has no second client.',
        },
      ],
    ],
  ],
  [
    'CLC-05',
    'should',
    'account-information/consents',
    'States and transitions',
    'it remains visible to the customer',
    'A consent that the TPP deleted stays visible to the customer.',
    [],
    { notTested: "The customer's own view is outside every interface of the documents." },
  ],
  [
    'ACC-05',
    'must',
    'account-information/accounts',
    'Account',
    'Always GBP.',
    'Currency is GBP.',
    [
      [
        'gbp',
        'Currency is GBP in every account',
        'fail',
        {
          kind: 'rule',
          message: 'Currency of the second account is "EUR".',
          expected: '"GBP"',
          actual: '"EUR"',
          place: '/Data/Account/1/Currency',
          exchanges: ['x14', 'x15', 'x20'],
        },
      ],
    ],
  ],
  [
    'ACC-09',
    'must',
    'account-information/accounts',
    'Account',
    'Masked version of the primary card number.',
    'The card number is masked.',
    [
      [
        'masked',
        'no account shows a whole card number',
        'fail',
        {
          kind: 'rule',
          message: 'Identification holds 16 digits.',
          expected: 'a masked card number',
          actual: '<card_number:9f3102>',
          place: '/Data/Account/0/Account/Identification',
          exchanges: ['x15'],
          deviation: {
            reason: 'Masking arrives with release 26.4',
            ticket: 'CARD-1182',
            owner: 'cards-api',
            expires: '2026-04-30',
          },
        },
      ],
    ],
  ],
  [
    'BAL-01',
    'must',
    'account-information/balances',
    'Data endpoints 4',
    'Permission needed for balance endpoints: not shown.',
    'Balances are served for a consent with ReadBalances.',
    [
      [
        'bulk',
        'GET /balances answers for the consent',
        'error',
        { message: 'Our own error: Cannot read properties of undefined.', exchanges: ['x18'] },
      ],
    ],
    {
      open: 'which permission balance endpoints need',
      decision: {
        id: 'D-07',
        text: 'ReadBalances is taken to be sufficient, since it is the only permission that names balances; whether less suffices is recorded.',
      },
    },
  ],
  [
    'TXN-17',
    'must',
    'account-information/transactions',
    'Data endpoints 5',
    'Transaction query parameters fromBookingDateTime and toBookingDateTime (RFC 3339, both optional) restrict results to transactions booked after and before the given time.',
    'toBookingDateTime restricts the answer to transactions booked before it, also without fromBookingDateTime.',
    [
      [
        'to-alone',
        'toBookingDateTime alone drops what was booked later',
        'fail',
        {
          message: '8 transactions that were booked later are in the answer.',
          expected: 'none of the 8 transactions booked after 2025-11-14T00:00:00Z',
          actual:
            '2025-11-14T09:12:44Z  4.50 Debit  Northgate Books\n2025-11-15T09:12:44Z  5.50 Debit  Northgate Books\n2025-11-16T09:12:44Z  6.50 Debit  Northgate Books\nand 5 more',
          place: '/Data/Transaction/4/BookingDateTime',
          exchanges: ['x22'],
          control: 'x21',
        },
      ],
      [
        'both',
        'both filters together cut on both sides',
        'blocked',
        {
          message: 'The filter toBookingDateTime does nothing alone.',
          blockedBy: 'TXN-17/to-alone',
        },
      ],
    ],
    {
      open: 'whether the boundary itself is included',
      decision: {
        id: 'D-12',
        text: '“after and before” is read as both bounds applying independently; no boundary instant is judged.',
      },
    },
  ],
  [
    'TXN-20',
    'must',
    'account-information/transactions',
    'Data endpoints 5',
    'only transactions in that range can be fetched',
    "The consent's own period cuts the answer.",
    [
      [
        'period-with-filter',
        'the narrower of period and filter wins',
        'blocked',
        { message: 'Needs a working filter.', blockedBy: 'TXN-17/both' },
      ],
      ['period', 'nothing outside of the period is served', 'pass'],
    ],
  ],
  [
    'TXN-31',
    'observe',
    'account-information/transactions',
    'Transaction',
    'Full list of values: not shown.',
    'Values of Status.',
    [['statuses', 'values of Status', 'observed', { message: 'Booked, Pending' }]],
  ],
  [
    'LIM-01',
    'must',
    'account-information/limits',
    'Errors',
    'Rate limit reached while the customer is not present',
    'The limit answers 429 to an absent customer.',
    [
      [
        'absent',
        'a burst without the customer ends in 429',
        'not-run',
        { message: 'Deselected: the target allows no burst.' },
      ],
    ],
  ],
  [
    'PRD-02',
    'must',
    'product-information/products',
    'ProductResponse',
    'Number of products returned.',
    'TotalResults is the number of products.',
    [['total', 'TotalResults counts data', 'pass']],
  ],
  [
    'PRD-08',
    'must',
    'product-information/errors',
    'Errors',
    'All error responses have the ErrorResponse body.',
    'An error has description, status and title.',
    [['not-found', 'an unknown resource answers with an ErrorResponse', 'pass']],
  ],
]

/** A report with every outcome, a known deviation, blocked chains and things left behind. */
export function fixtureReport(change: Partial<Report> = {}): Report {
  const checks: CheckResult[] = []
  const requirements: RequirementResult[] = []
  for (const [id, level, chapter, source, quote, text, own, more] of ROWS) {
    for (const [slug, title, outcome, extra] of own) {
      checks.push({
        id: `${id}/${slug}`,
        requirement: id,
        level,
        kind: 'check',
        title,
        outcome,
        message: '',
        exchanges: [`x${checks.length + 3}`],
        durationMs: 12.5 + checks.length,
        ...extra,
      })
    }
    const order: Outcome[] = [
      'error',
      'fail',
      'blocked',
      'not-run',
      'warn',
      'observed',
      'pass',
      'not-applicable',
    ]
    const outcome = order.find((o) => own.some((check) => check[2] === o)) ?? 'not-applicable'
    requirements.push({
      id,
      level,
      chapter,
      text,
      source,
      quote: [quote],
      outcome,
      checks: own.map(([slug]) => `${id}/${slug}`),
      ...more,
    })
  }
  const n = (outcome: Outcome) => checks.filter((check) => check.outcome === outcome).length
  return {
    assay: { version: '0.1.0', specsDigest: '4f6b1c'.padEnd(64, '0'), node: '20.20.0' },
    target: { name: 'staging', configurationDigest: 'ab12cd'.padEnd(64, '0') },
    scope: { profile: 'full', only: [], requirements: requirements.length, checks: checks.length },
    startedAt: new Date(START).toISOString(),
    finishedAt: new Date(START + 9_400).toISOString(),
    verdict: 'nonconformant',
    exitCode: 1,
    summary: {
      pass: n('pass'),
      fail: n('fail'),
      warn: n('warn'),
      observed: n('observed'),
      blocked: n('blocked'),
      notApplicable: n('not-applicable'),
      notRun: n('not-run'),
      error: n('error'),
    },
    musts: {
      judged: 8,
      passed: 5,
      failed: 3,
      blocked: 2,
      notApplicable: 2,
      notRun: 1,
      notTested: 1,
    },
    requirements,
    checks,
    observations: [
      {
        requirement: 'TXN-31',
        what: 'values of Status',
        value: 'Booked, Pending',
        exchange: 'x22',
      },
      {
        requirement: 'CON-03',
        what: 'status of a rejected permission',
        value: '400',
        exchange: 'x9',
      },
    ],
    approvals: [
      {
        name: 'everything',
        customer: 'first',
        client: 'first',
        outcome: 'granted',
        used: ['ACC-05/gbp', 'TXN-17/to-alone', 'TXN-17/both'],
        at: new Date(START + 1_200).toISOString(),
      },
      {
        name: 'basic only',
        customer: 'first',
        client: 'first',
        outcome: 'granted',
        used: ['ACC-09/masked'],
        at: new Date(START + 3_100).toISOString(),
      },
      {
        name: 'denied',
        customer: 'second',
        client: 'first',
        outcome: 'refused',
        used: ['CON-11/foreign'],
        at: new Date(START + 6_000).toISOString(),
      },
    ],
    requests: 40,
    latency: [
      { endpoint: 'token', count: 9, p50: 12.4, p95: 33.1 },
      { endpoint: 'transactions', count: 14, p50: 41, p95: 180.25 },
    ],
    leftBehind: [{ kind: 'consent', id: 'aac-7f31', why: 'DELETE answered 503 three times.' }],
    problems: ['The known deviation for TOK-02/expired no longer occurs: remove it.'],
    ...change,
  }
}

const ENDPOINTS: [endpoint: string, method: string, path: string, status: number][] = [
  ['discovery', 'GET', '/.well-known/openid-configuration', 200],
  ['token', 'POST', '/open-banking/oauth/token', 200],
  ['create-account-access-consent', 'POST', '/open-banking/v3.1/aisp/account-access-consents', 201],
  ['accounts', 'GET', '/open-banking/v3.1/aisp/accounts', 200],
  [
    'transactions',
    'GET',
    '/open-banking/v3.1/aisp/transactions?toBookingDateTime=2025-11-14T00%3A00%3A00Z',
    200,
  ],
  ['balances', 'GET', '/open-banking/v3.1/aisp/balances', 200],
  ['products', 'GET', '/open-banking/v1/consumer-credit-cards', 200],
]

/** `n` chained exchanges, x1 … xn, evenly spread over the run. */
export function fixtureExchanges(
  n: number,
  change: (record: ExchangeRecord, i: number) => ExchangeRecord = (record) => record,
): ExchangeRecord[] {
  const records: ExchangeRecord[] = []
  let previous = ''
  for (let i = 1; i <= n; i++) {
    const record = chained(previous, change(exchange(i, n), i))
    previous = record.hash
    records.push(record)
  }
  return records
}

function exchange(i: number, n: number): ExchangeRecord {
  const id = `x${i}`
  const forced =
    id === 'x14' || id === 'x15' || id === 'x20'
      ? 3
      : id === 'x21' || id === 'x22'
        ? 4
        : id === 'x4'
          ? 1
          : undefined
  const [endpoint, method, path, status] = ENDPOINTS[forced ?? i % ENDPOINTS.length] ?? [
    'elsewhere',
    'GET',
    '/',
    404,
  ]
  const failed = i % 97 === 0
  const post = method === 'POST'
  const form = endpoint === 'token'
  return {
    id,
    endpoint,
    about: {
      client: 'first',
      check: 'TXN-17/to-alone',
      ...(i % 5 === 0 ? { deviation: 'the client assertion is signed with another key' } : {}),
    },
    startedAt: new Date(START + (i / n) * 9_000).toISOString(),
    durationMs: 4 + ((i * 7919) % 60),
    request: {
      method,
      url: `https://127.0.0.1:8443${path}`,
      headers: [
        ['accept', 'application/json'],
        ...(form
          ? ([['content-type', 'application/x-www-form-urlencoded']] as [string, string][])
          : ([
              ['authorization', 'Bearer <access_token:4be1a0>'],
              ['x-fapi-customer-ip-address', '198.51.100.7'],
            ] as [string, string][])),
      ],
      ...(form
        ? {
            body: 'grant_type=client_credentials&scope=accounts&client_assertion=<client_assertion:11aa3b alg=PS256 kid=first>',
          }
        : post
          ? { body: '{"Data":{"Permissions":["ReadAccountsBasic"]},"Risk":{}}' }
          : {}),
    },
    ...(failed
      ? {
          failure: {
            kind: 'closed',
            code: 'ECONNRESET',
            message: 'The connection was closed before a response.',
          },
        }
      : {
          response: {
            status,
            headers: [
              ['Content-Type', 'application/json; charset=utf-8'],
              ['Date', 'Mon, 02 Mar 2026 02:00:01 GMT'],
            ],
            body: bodyOf(endpoint),
            bytes: bodyOf(endpoint).length,
          },
        }),
    connection: {
      protocol: 'TLSv1.3',
      cipher: 'TLS_AES_256_GCM_SHA384',
      identity: endpoint === 'products' ? 'none' : 'first',
    },
    hash: '',
  }
}

function bodyOf(endpoint: string): string {
  const envelope = { Links: { Self: 'https://127.0.0.1:8443/x' }, Meta: { TotalPages: 1 } }
  switch (endpoint) {
    case 'accounts':
      return JSON.stringify({
        Data: {
          Account: ['GBP', 'EUR'].map((Currency, i) => ({
            AccountId: `acc-${i}`,
            Currency,
            AccountType: 'Personal',
            AccountSubType: 'CreditCard',
            Description: 'Everyday card',
            Account: { SchemeName: 'UK.OBIE.PAN', Identification: 'XXXX XXXX XXXX 1881' },
          })),
        },
        ...envelope,
      })
    case 'transactions':
      return JSON.stringify({
        Data: {
          Transaction: Array.from({ length: 12 }, (_, i) => ({
            AccountId: 'acc-0',
            Amount: { Amount: `${i}.50`, Currency: 'GBP' },
            CreditDebitIndicator: 'Debit',
            Status: 'Booked',
            BookingDateTime: `2025-11-${String(10 + i).padStart(2, '0')}T09:12:44Z`,
            MerchantDetails: { MerchantName: 'Northgate Books' },
          })),
        },
        ...envelope,
      })
    case 'token':
      return JSON.stringify({
        access_token: '<access_token:4be1a0>',
        token_type: 'bearer',
        expires_in: 300,
        scope: 'accounts',
      })
    default:
      return JSON.stringify({ Data: {}, ...envelope })
  }
}
