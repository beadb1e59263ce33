import type { Command } from 'commander'

/** Answers by the name of their question; an empty text means "none". */
export type Answers = Record<string, string>

/** One value of a target file, asked for on a terminal or given by a flag of the same name. */
export interface Question {
  /** base-url: the flag is --base-url. */
  name: string
  ask: string
  /** Short help for the flag; the question itself when absent. */
  help?: string
  /** The default answer; absent: none. */
  otherwise?: (answers: Answers) => string
  /** The question is asked, and its answer written, only when this is true. */
  when?: (answers: Answers) => boolean
  /** What is wrong with an answer; undefined when nothing is. */
  wrong?: (text: string) => string | undefined
  /** The allowed answers. */
  choices?: readonly string[]
  /** Never asked: only a flag, or what was read elsewhere, answers it. */
  unasked?: true
}

type Questions = Record<string, Omit<Question, 'name'>>

const is = (name: string, value: string) => (answers: Answers) => answers[name] === value
const given = (name: string) => (answers: Answers) => Boolean(answers[name])

/** MY_BANK_BASE_URL, for a bank called my-bank. */
const variable = (what: string) => (answers: Answers) =>
  `${answers.name ?? 'BANK'}_${what}`.toUpperCase().replace(/[^A-Z0-9]+/g, '_')

/** A reference to an environment variable. */
const reference = (what: string) => (answers: Answers) => `\${${variable(what)(answers)}}`

const matching = (right: RegExp, complaint: string) => (text: string) =>
  right.test(text) ? undefined : complaint

const oneOf = (...choices: string[]) => ({
  choices,
  wrong: (text: string) => (choices.includes(text) ? undefined : `is one of ${choices.join(', ')}`),
})

const ADDRESS = /^$|\$\{|^https?:\/\/[^\s/]+/

const isAddress = matching(ADDRESS, `is a whole address that begins with https://, or \${NAME}`)

const isCount = matching(/^([1-9]\d?)?$/, 'is a number of accounts, from 1 to 99')

const isVariable = matching(
  /^([A-Za-z_][A-Za-z0-9_]*)?$/,
  'is the name of an environment variable, never the secret itself',
)

function address(placeholder: string, layout: 'production' | 'sandbox', what = '') {
  const ask = `{${placeholder}}${what}`
  return { ask, when: is('layout', layout), otherwise: reference(placeholder), wrong: isAddress }
}

/** Questions about one TPP client. Those about the second client have the prefix second-. */
function clientQuestions(prefix: '' | 'second-'): Questions {
  const at = (name: string) => `${prefix}${name}`
  const whose = prefix === '' ? '' : ' of the second client'
  const file = (name: string) => (answers: Answers) => `${answers.name}/${at(name)}`
  const isPem = (answers: Answers) => !answers[at('pkcs12')]
  const clientId = {
    '': { ask: 'client_id, when the client is registered already; empty: a run registers it' },
    'second-': {
      ask: 'client_id of the second client',
      when: given('client-id'),
      otherwise: reference('second_client_id'),
    },
  }
  const own: Questions = {
    'client-id': clientId[prefix],
    statement: {
      ask: `file of the software statement${whose}`,
      when: (answers) => !answers[at('client-id')],
      otherwise: file('statement.jwt'),
    },
    'redirect-uris': {
      ask: `redirect URIs${whose}, with commas between them`,
      otherwise: reference(at('redirect_uri')),
    },
    pkcs12: {
      ask: `PKCS#12 file with transport certificate and key${whose}; empty: they are PEM`,
    },
    certificate: {
      ask: `PEM file of the transport certificate${whose}, leaf first`,
      when: isPem,
      otherwise: file('transport.pem'),
    },
    key: {
      ask: `PEM file of its private key`,
      help: `PEM file of the private key of the transport certificate${whose}`,
      when: isPem,
      otherwise: file('transport.key'),
    },
    'passphrase-variable': {
      ask: 'environment variable that holds its passphrase; empty: there is none',
      help: `environment variable with the passphrase of that key or PKCS#12 file${whose}`,
      wrong: isVariable,
    },
    'signing-key': {
      ask: `PEM or JWK file of the signing key${whose}`,
      otherwise: file('signing.key'),
    },
    'signing-passphrase-variable': {
      ask: 'environment variable that holds the passphrase of the signing key; empty: there is none',
      help: `environment variable with the passphrase of the signing key${whose}`,
      wrong: isVariable,
    },
    jwks: {
      ask: `file or address of the public keys (JWKS)${whose}, to look up the kid; empty: there is none`,
      help: `file or address of the public keys (JWKS)${whose}: the kid is looked up there`,
    },
    kid: {
      ask: `kid of the signing key${whose}`,
      otherwise: reference(at('kid')),
    },
  }
  const isThere = (answers: Answers) => prefix === '' || answers['second-client'] === 'yes'
  const asked = Object.entries(own).map(([name, { when = () => true, ...question }]) => {
    return [at(name), { ...question, when: (given: Answers) => isThere(given) && when(given) }]
  })
  return Object.fromEntries(asked)
}

/** The full URL of an endpoint; written when discovery, or the file that init starts from, names a different place. */
const override = (what: string): Omit<Question, 'name'> => ({
  ask: `whole URL of ${what}, where it is not at the path that the documents show`,
  unasked: true,
  wrong: isAddress,
})

/** Questions about the customers who log in. */
function customerQuestions(prefix: '' | 'second-'): Questions {
  const at = (name: string) => `${prefix}${name}`
  const whose = prefix === '' ? 'the customer' : 'the second customer'
  const name = at('customer').replace('-', '_')
  return {
    [at('customer-variable')]: {
      ask: `environment variable with the user name of ${whose}; empty: a person knows it`,
      otherwise: (answers) => (answers.driver === 'ask' ? '' : variable(name)(answers)),
      wrong: isVariable,
    },
    [at('password-variable')]: {
      ask: `environment variable with the password of ${whose}`,
      when: given(at('customer-variable')),
      otherwise: variable(`${name}_password`),
      wrong: isVariable,
    },
    [at('accounts')]: {
      ask: `how many accounts ${whose} chooses at the bank; empty: not known, and then no run ends conformant`,
      wrong: isCount,
    },
    [at('card-ending')]: {
      ask: `last four digits of one of the cards of ${whose}; empty: not known`,
      wrong: matching(/^(\d{4})?$/, 'is four digits'),
    },
  }
}

const DISCOVERY = ', address before /.well-known/openid-configuration'
const REGISTRATION = ', address at which clients are registered'

const table: Questions = {
  name: {
    ask: 'short name of the bank, for folders and reports',
    otherwise: () => 'my-bank',
    wrong: matching(
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/,
      'has letters, digits, dots, hyphens and underscores',
    ),
  },
  trust: {
    ask: 'PEM file of the authorities of the bank’s server certificates; empty: those of Node',
  },
  proxy: {
    ask: 'HTTP proxy, http://host:port; empty: there is none',
    wrong: matching(ADDRESS, `is written http://host:port, or \${NAME}`),
  },
  discovery: {
    ask: 'address of the bank’s discovery document, to read the other addresses there; empty: enter them',
    wrong: matching(/^$|^https?:\/\/[^\s/]+/, 'is a whole address that begins with https://'),
  },
  layout: {
    ask: 'layout of its addresses: production or sandbox',
    otherwise: () => 'production',
    ...oneOf('production', 'sandbox'),
  },
  'base-url': address('base_url', 'production', ', address of the API'),
  'auth-url': address('auth_url', 'production', ', address of the authorisation page'),
  'discovery-url': address('discovery_url', 'production', DISCOVERY),
  'sandbox-discovery-url': address('sandbox_discovery_url', 'sandbox', DISCOVERY),
  'sandbox-api-url': address('sandbox_api_url', 'sandbox', ', address of the API'),
  'sandbox-registration-url': address('sandbox_registration_url', 'sandbox', REGISTRATION),
  'sandbox-token-url': address('sandbox_token_url', 'sandbox', ', address of the token endpoint'),
  'override-discovery': override('the discovery document'),
  'override-registration': override('client registration'),
  'override-authorisation': override('the authorisation page'),
  'override-token': override('the token endpoint'),
  'override-aisp': override('the API, below which /accounts stands'),
  'product-api-url': {
    ask: 'address of the product interface; empty: there is none',
    wrong: isAddress,
  },
  ...clientQuestions(''),
  scope: { ask: 'scope for account information', otherwise: () => 'accounts' },
  'funds-scope': { ask: 'scope for funds confirmation; empty: not offered' },
  'second-client': {
    ask: 'is there a second client, of another organisation: yes or no',
    otherwise: () => 'no',
    ...oneOf('yes', 'no'),
  },
  ...clientQuestions('second-'),
  driver: {
    ask: 'who takes the customer through the bank’s pages: ask, http, browser or command',
    otherwise: () => 'ask',
    ...oneOf('ask', 'http', 'browser', 'command'),
  },
  command: {
    ask: 'program that gets the link and prints the final redirect',
    when: is('driver', 'command'),
    otherwise: () => './approve.sh',
  },
  ...customerQuestions(''),
  'second-customer': {
    ask: 'is there a second customer: yes or no',
    otherwise: () => 'no',
    ...oneOf('yes', 'no'),
  },
  ...withinSecondCustomer(customerQuestions('second-')),
}

/** Only asked when there is a second customer. */
function withinSecondCustomer(asked: Questions): Questions {
  const isThere = is('second-customer', 'yes')
  const rows = Object.entries(asked).map(([name, { when = () => true, ...question }]) => {
    return [name, { ...question, when: (answers: Answers) => isThere(answers) && when(answers) }]
  })
  return Object.fromEntries(rows)
}

/** Every question, in the order in which they are asked: a question that can answer others comes before them. */
export const questions: Question[] = Object.entries(table).map(([name, question]) => ({
  name,
  ...question,
}))

/** The flags of `assay init`: one for each question; --from is the flag of the discovery document. */
export function initOptions(command: Command): Command {
  command
    .option('--out <file>', 'where to write; default: asked on a terminal, else standard output')
    .option(
      '--from <what>',
      'begin with the address of a discovery document, or with a file: a configuration of the OBIE or OpenID Foundation suite, or a Postman environment',
    )
    .option('--force', 'overwrite the file')
    .option('--yes', 'ask nothing; what no flag gives becomes a reference to a variable or file')
  for (const { name, ask, help } of questions) {
    if (name !== 'discovery') command.option(`--${name} <value>`, help ?? ask)
  }
  return command
}
