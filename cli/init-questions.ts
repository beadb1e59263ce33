import type { Command } from 'commander'

/** Answers by the name of their question; an empty text is "none". */
export type Answers = Record<string, string>

/** One value of a target file, asked for on a terminal or given by a flag of the same name. */
export interface Question {
  /** base-url: the flag is --base-url. */
  name: string
  ask: string
  /** Short help of the flag; the question itself when absent. */
  help?: string
  /** Taken when nothing is answered; undefined: there must be an answer. */
  otherwise?: (answers: Answers) => string
  /** Only asked for, and only written, when this holds. */
  when?: (answers: Answers) => boolean
  /** What is wrong with an answer. */
  wrong?: (text: string) => string | undefined
}

const none = () => ''
const is = (name: string, value: string) => (answers: Answers) => answers[name] === value
const given = (name: string) => (answers: Answers) => Boolean(answers[name])

/** MY_BANK_BASE_URL, for a bank called my-bank. */
export function variable(answers: Answers, what: string): string {
  return `${answers.name ?? 'BANK'}_${what}`.toUpperCase().replace(/[^A-Z0-9]+/g, '_')
}

/** A reference to a variable of the environment. */
const reference = (what: string) => (answers: Answers) => `\${${variable(answers, what)}}`

function oneOf(...words: string[]) {
  return (text: string) => (words.includes(text) ? undefined : `is one of ${words.join(', ')}`)
}

function address(text: string): string | undefined {
  const fine = text === '' || text.includes('${') || /^https?:\/\/[^\s/]+/.test(text)
  return fine ? undefined : `is a whole address that begins with https://, or \${NAME}`
}

function variableName(text: string): string | undefined {
  if (text === '' || /^[A-Za-z_][A-Za-z0-9_]*$/.test(text)) return undefined
  return 'is the name of an environment variable, never the secret itself'
}

function addressQuestion(name: string, layout: string, ask: string): Question {
  const what = name.replaceAll('-', '_')
  return { name, ask, when: is('layout', layout), otherwise: reference(what), wrong: address }
}

/** Questions about one TPP client; those of the second have the prefix second-. */
function clientQuestions(prefix: '' | 'second-'): Question[] {
  const at = (name: string) => `${prefix}${name}`
  const whose = prefix === '' ? '' : ' of the second client'
  const asked = (condition?: (answers: Answers) => boolean) => (answers: Answers) =>
    (prefix === '' || answers['second-client'] === 'yes') && (condition?.(answers) ?? true)
  const file = (name: string) => (answers: Answers) => `${answers.name}/${at(name)}`
  return [
    {
      name: at('pkcs12'),
      ask: `PKCS#12 file with transport certificate and key${whose}; empty: they are PEM`,
      when: asked(),
      otherwise: none,
    },
    {
      name: at('certificate'),
      ask: `PEM file of the transport certificate${whose}, leaf first`,
      when: asked((answers) => !answers[at('pkcs12')]),
      otherwise: file('transport.pem'),
    },
    {
      name: at('key'),
      ask: `PEM file of its private key`,
      help: `PEM file of the private key of the transport certificate${whose}`,
      when: asked((answers) => !answers[at('pkcs12')]),
      otherwise: file('transport.key'),
    },
    {
      name: at('passphrase-variable'),
      ask: 'environment variable that holds its passphrase; empty: there is none',
      help: `environment variable with the passphrase of that key or PKCS#12 file${whose}`,
      when: asked(),
      otherwise: none,
      wrong: variableName,
    },
    {
      name: at('signing-key'),
      ask: `PEM or JWK file of the signing key${whose}`,
      when: asked(),
      otherwise: file('signing.key'),
    },
    {
      name: at('kid'),
      ask: 'its kid at the directory',
      help: `kid of the signing key${whose}`,
      when: asked(),
      otherwise: reference(at('kid')),
    },
    {
      name: at('signing-passphrase-variable'),
      ask: 'environment variable that holds the passphrase of the signing key; empty: there is none',
      help: `environment variable with the passphrase of the signing key${whose}`,
      when: asked(),
      otherwise: none,
      wrong: variableName,
    },
    ...(prefix === ''
      ? [
          {
            name: 'client-id',
            ask: 'client_id, when the client is registered already; empty: a run registers it',
            when: asked(),
            otherwise: none,
          },
        ]
      : [
          {
            name: 'second-client-id',
            ask: 'client_id of the second client',
            when: asked(given('client-id')),
            otherwise: reference('second_client_id'),
          },
        ]),
    {
      name: at('statement'),
      ask: `file of the software statement${whose}`,
      when: asked((answers) => !answers[at('client-id')]),
      otherwise: file('statement.jwt'),
    },
    {
      name: at('redirect-uris'),
      ask: `redirect URIs${whose}, with commas between them`,
      when: asked(),
      otherwise: reference(at('redirect_uri')),
    },
  ]
}

/** Every question, in the order of the file. */
export const questions: Question[] = [
  {
    name: 'name',
    ask: 'short name of the bank, for folders and reports',
    otherwise: () => 'my-bank',
    wrong: (text) =>
      /^[A-Za-z0-9][A-Za-z0-9._-]{0,63}$/.test(text)
        ? undefined
        : 'has letters, digits, dots, hyphens and underscores',
  },
  {
    name: 'layout',
    ask: 'layout of its addresses: production or sandbox',
    otherwise: () => 'production',
    wrong: oneOf('production', 'sandbox'),
  },
  addressQuestion('base-url', 'production', '{base_url}, address of the API'),
  addressQuestion('auth-url', 'production', '{auth_url}, address of the authorisation page'),
  addressQuestion('discovery-url', 'production', '{discovery_url}'),
  addressQuestion('sandbox-discovery-url', 'sandbox', '{sandbox_discovery_url}'),
  addressQuestion('sandbox-api-url', 'sandbox', '{sandbox_api_url}'),
  addressQuestion('sandbox-registration-url', 'sandbox', '{sandbox_registration_url}'),
  addressQuestion('sandbox-token-url', 'sandbox', '{sandbox_token_url}'),
  {
    name: 'product-api-url',
    ask: 'address of the product interface; empty: there is none',
    otherwise: none,
    wrong: address,
  },
  {
    name: 'trust',
    ask: 'PEM file of the authorities of the bank’s server certificates; empty: those of Node',
    otherwise: none,
  },
  {
    name: 'proxy',
    ask: 'HTTP proxy, http://host:port; empty: there is none',
    otherwise: none,
    wrong: address,
  },
  ...clientQuestions(''),
  { name: 'scope', ask: 'scope for account information', otherwise: () => 'accounts' },
  {
    name: 'funds-scope',
    ask: 'scope for funds confirmation; empty: not offered',
    otherwise: none,
  },
  {
    name: 'second-client',
    ask: 'is there a second client, of another organisation: yes or no',
    otherwise: () => 'no',
    wrong: oneOf('yes', 'no'),
  },
  ...clientQuestions('second-'),
  {
    name: 'driver',
    ask: 'who takes the customer through the bank’s pages: ask, http, browser or command',
    otherwise: () => 'ask',
    wrong: oneOf('ask', 'http', 'browser', 'command'),
  },
  {
    name: 'command',
    ask: 'program that gets the link and prints the final redirect',
    when: is('driver', 'command'),
    otherwise: () => './approve.sh',
  },
  {
    name: 'customer-variable',
    ask: 'environment variable with the customer’s user name; empty: a person knows it',
    otherwise: (answers) => (answers.driver === 'ask' ? '' : variable(answers, 'customer')),
    wrong: variableName,
  },
  {
    name: 'password-variable',
    ask: 'environment variable with the customer’s password',
    when: given('customer-variable'),
    otherwise: (answers) => variable(answers, 'customer_password'),
    wrong: variableName,
  },
]

/** The flags of `assay init`: one for each question. */
export function initOptions(command: Command): Command {
  command
    .description('write a target file: asks on a terminal, or takes flags')
    .option('--out <file>', 'where to write; default: standard output')
    .option('--force', 'overwrite the file')
    .option('--yes', 'ask nothing; what no flag gives becomes a reference to a variable or file')
  for (const { name, ask, help } of questions) command.option(`--${name} <value>`, help ?? ask)
  return command
}
