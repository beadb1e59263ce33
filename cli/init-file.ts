import { isAbsolute, relative, resolve } from 'node:path'
import { stringify } from 'yaml'
import { PLACEHOLDERS } from '../engine/configuration/addresses.ts'
import { oneLine } from '../engine/report/escape.ts'
import { atHome } from './init-look.ts'
import type { Answers } from './init-questions.ts'

/** A commented target file for a folder, from the answers to all questions. Secrets are only references. */
export function targetFile(
  answers: Answers,
  place: { folder: string; schema: string; software?: readonly (string | undefined)[] },
): string {
  const {
    'product-api-url': products,
    'funds-scope': funds,
    'second-client': second,
    'client-id': clientId,
    'second-customer': other,
    trust,
    proxy,
    driver = '',
  } = answers
  const file = (path = '') => scalar(fileReference(path, place.folder))
  const layout = answers.layout === 'sandbox' ? 'sandbox' : 'production'
  const addresses = PLACEHOLDERS[layout].map(
    (name) => `  ${name}: ${scalar(answers[name.replaceAll('_', '-')])}`,
  )
  const absent = [
    ...(clientId ? ['registration'] : []),
    ...(second === 'yes' ? [] : ['second-client']),
    ...(other === 'yes' ? [] : ['second-customer']),
    ...(oneEach(answers) ? ['second-account'] : []),
    ...(funds ? [] : ['funds-confirmation']),
    ...(products ? [] : ['products']),
  ]
  return `# yaml-language-server: $schema=${place.schema}
#
# Every text may come from elsewhere:
#   \${NAME}              the environment variable NAME; it must be set
#   \${NAME:-default}     the same, with a value for when it is not set or empty
#   file:client.pem      the content of a file, its path relative to this file
# A dollar sign is written $$ where a variable could be meant. Every member: docs/target.md.

# Short name; the folder of reports carries it.
name: ${scalar(answers.name)}

# The placeholders of the document’s table Addresses.
addresses:
${addresses.join('\n')}
  ${products ? `product_api_url: ${scalar(products)}` : '# product_api_url: https://products.bank.example'}
  # Whole URLs, where this bank does not keep to the paths of the document:
${overrides(answers)}

# Authorities that sign the bank’s server certificates. Left out: those of Node.
${trust ? `trust:\n  - ${file(trust)}` : '# trust:\n#   - file:ca.pem'}

${proxy ? `proxy: ${scalar(proxy)}` : `# proxy: http://user:\${PROXY_PASSWORD}@proxy.example:3128`}
# timeout: 30               # seconds for one request
# requestsPerMinute: 120    # that a run may send; left out: no limit
# clockTolerance: 60        # seconds by which the bank’s clock may differ

clients:
  # The client that most checks use.
  first:
${clientLines(answers, '', file, place.software?.[0])}
${second === 'yes' ? `${SECOND}\n${clientLines(answers, 'second-', file, place.software?.[1])}\n` : ''}
customers:
  first:
${customerLines(answers, '')}
${other === 'yes' ? `  second:\n${customerLines(answers, 'second-')}` : '  # second:                     # then take second-customer out of absent'}

# Who takes the customer through the bank’s pages:
#   ask       shows the link and waits for a person
#   http      fills the forms described here
#   browser   drives a real browser by the steps described here
#   command   runs a program that gets the link and prints the final redirect
authorisation:
  driver: ${driver}
  ${driver === 'command' ? `command: [${scalar(answers.command)}]` : DRIVERS[driver]}

# What the bank really writes where the documents have a neutral word.
# literals:
#   panScheme: UK.STD.PAN

# What this environment cannot offer: registration, second-client, second-customer,
# second-account (no customer has two), funds-confirmation, products, account-information.
absent: [${absent.join(', ')}]

# Facts that only somebody inside the bank can make true: docs/hooks.md.
# hooks:
#   customer-revokes:
#     command: [./revoke.sh, "{consentId}"]     # or http:, or ask: what somebody is to do

# Seconds that a run may wait for a token or a consent to expire by itself.
# expiryPatience: 60

# May clients be registered that nobody can remove again?
freshRegistrations: false

# How many requests the check of status 429 may send without the customer present, and as many again
# before each of twenty requests if the limit ends meanwhile. 0: the check is off.
rateLimitBurst: 0
`
}

const SECOND = `  # A client of another organisation: consents are kept apart between clients.
  second:`

/** Does every customer have only one account? */
function oneEach(answers: Answers): boolean {
  const { accounts, 'second-customer': other, 'second-accounts': others } = answers
  return accounts === '1' && (other !== 'yes' || others === '1')
}

function overrides(answers: Answers): string {
  const lines = ['discovery', 'registration', 'authorisation', 'token', 'aisp'].flatMap((part) => {
    const url = answers[`override-${part}`]
    return url ? [`    ${part}: ${scalar(url)}`] : []
  })
  if (lines.length > 0) return ['  overrides:', ...lines].join('\n')
  return `  # overrides:
  #   token: https://token.bank.example/token
  #   aisp: https://api.bank.example/open-banking/v3.1/aisp`
}

function customerLines(answers: Answers, prefix: '' | 'second-'): string {
  const at = (name: string) => answers[`${prefix}${name}`]
  const user = at('customer-variable')
  const accounts = at('accounts')
  const ending = at('card-ending')
  return [
    `    ${user ? credentials(user, at('password-variable')) : NO_CREDENTIALS}`,
    '    # names: [Anna Example]     # as the bank shows them: kept out of every report',
    accounts
      ? `    accounts: ${accounts}               # how many the customer chooses at the bank`
      : '    # accounts: 2               # how many the customer chooses at the bank',
    ending
      ? `    cardEnding: "${ending}"        # of one of the customer’s cards, in quotes`
      : '    # cardEnding: "0004"        # of one of the customer’s cards, in quotes',
  ].join('\n')
}

function clientLines(
  answers: Answers,
  prefix: '' | 'second-',
  file: (path?: string) => string,
  software: string | undefined,
): string {
  const at = (name: string) => answers[`${prefix}${name}`]
  const passphrase = (name: string) => (at(name) ? [`      passphrase: \${${at(name)}}`] : [])
  const pem = `# Leaf first, then intermediates.
      certificate: ${file(at('certificate'))}
      key: ${file(at('key'))}`
  const statement = `# Issued by the directory; carries software_id and software_redirect_uris.
    softwareStatement: ${file(at('statement'))}`
  const uris = at('redirect-uris')?.split(',') ?? []
  const { scope = 'accounts', 'funds-scope': funds } = answers
  return [
    ...(software === undefined ? [] : [`    # ${oneLine(software)}`]),
    '    transport:',
    `      ${at('pkcs12') ? `pkcs12: ${file(at('pkcs12'))}` : pem}`,
    ...passphrase('passphrase-variable'),
    '    signing:',
    '      # An RSA key of 2048 bits or more: PEM, or the JSON of a JWK.',
    `      key: ${file(at('signing-key'))}`,
    `      kid: ${scalar(at('kid'))}`,
    ...passphrase('signing-passphrase-variable'),
    `    ${at('client-id') ? `clientId: ${scalar(at('client-id'))}` : statement}`,
    '    redirectUris:',
    ...uris.map((uri) => `      - ${scalar(uri.trim())}`),
    '    scopes:',
    `      accounts: ${scalar(scope)}`,
    ...(funds ? [`      fundsConfirmation: ${scalar(funds)}`] : []),
  ].join('\n')
}

const NO_CREDENTIALS = `# A person logs in: nothing has to be filled in.
    credentials: {}`

const credentials = (
  user: string,
  password = '',
) => `# What a driver fills in, by the names that its forms or steps use.
    credentials:
      username: \${${user}}
      password: \${${password}}`

/** The settings of each driver. Forms and steps are those of the reference bank, as an example. */
const DRIVERS: Record<string, string> = {
  ask: `# Approvals outlive an interrupted run, encrypted beside this file; memory: they do not.
  keep: file
  # open: [xdg-open]       # opens the page of approvals; on macOS: [open]`,
  http: `# An example: correct the names of fields and buttons.
  forms:
    - has: [username, password]
      fill: { username: "{username}", password: "{password}" }
    - has: [decision]
      tickAll: accounts
      approve: { name: decision, value: approve }
      deny: { name: decision, value: deny }`,
  browser: `# An example: correct the CSS selectors.
  steps:
    - when: 'input[name=username]'
      fill: { 'input[name=username]': '{username}', 'input[name=password]': '{password}' }
      click: 'button[type=submit]'
    - when: 'button[value=approve]'
      only: approve
      tickAll: 'input[name=accounts]'
      click: 'button[value=approve]'
    - when: 'button[value=deny]'
      only: deny
      click: 'button[value=deny]'`,
}

/** `file:` and a path relative to the target file. A reference is returned unchanged. */
function fileReference(path: string, folder: string): string {
  if (path.startsWith('file:') || path.startsWith('${')) return path
  if (isAbsolute(atHome(path))) return `file:${atHome(path)}`
  return `file:${relative(folder, resolve(path)).replaceAll('\\', '/')}`
}

/** A YAML scalar, in quotes when necessary. */
function scalar(text = ''): string {
  return stringify(text, { lineWidth: 0 }).trim()
}

/** Names of the variables that a target file refers to. */
export function variablesOf(yaml: string): string[] {
  const lines = yaml.split('\n').filter((line) => !/^\s*#/.test(line))
  const found = lines.flatMap((line) => [...line.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name))
  return [...new Set(found)].filter((name) => name !== undefined)
}
