import { isAbsolute, relative, resolve } from 'node:path'
import { stringify } from 'yaml'
import { PLACEHOLDERS } from '../engine/configuration/addresses.ts'
import type { Answers } from './init-questions.ts'

/** Where the file goes: paths in it are relative to that folder. */
export interface Place {
  folder: string
  /** As the editor's schema line names it. */
  schema: string
}

/** A commented target file from answers to all questions; secrets only by reference. */
export function targetFile(answers: Answers, { folder, schema }: Place): string {
  const value = (name: string) => answers[name] ?? ''
  const file = (name: string) => scalar(fileReference(value(name), folder))
  const layout = value('layout') === 'sandbox' ? 'sandbox' : 'production'
  return [
    `# yaml-language-server: $schema=${schema}`,
    '#',
    '# Every text may come from elsewhere:',
    `#   \${NAME}              the environment variable NAME; it must be set`,
    `#   \${NAME:-default}     the same, with a value for when it is not set or empty`,
    '#   file:client.pem      the content of a file, its path relative to this file',
    '# A dollar sign is written $$ where a variable could be meant. Every member: docs/target.md.',
    '',
    '# Short name; the folder of reports carries it.',
    `name: ${scalar(value('name'))}`,
    '',
    '# The placeholders of the document’s table Addresses.',
    'addresses:',
    ...PLACEHOLDERS[layout].map((name) => `  ${name}: ${scalar(value(name.replaceAll('_', '-')))}`),
    ...(value('product-api-url')
      ? [`  product_api_url: ${scalar(value('product-api-url'))}`]
      : ['  # product_api_url: https://products.bank.example']),
    '  # Whole URLs, where this bank does not keep to the paths of the document:',
    '  # overrides:',
    '  #   token: https://token.bank.example/token',
    '  #   aisp: https://api.bank.example/open-banking/v3.1/aisp',
    '',
    '# Authorities that sign the bank’s server certificates. Left out: those of Node.',
    ...(value('trust') ? ['trust:', `  - ${file('trust')}`] : ['# trust:', '#   - file:ca.pem']),
    '',
    ...(value('proxy')
      ? [`proxy: ${scalar(value('proxy'))}`]
      : [`# proxy: http://user:\${PROXY_PASSWORD}@proxy.example:3128`]),
    '# timeout: 30               # seconds for one request',
    '# requestsPerMinute: 120    # that a run may send; left out: no limit',
    '# clockTolerance: 60        # seconds by which the bank’s clock may differ',
    '',
    'clients:',
    '  # The client that most checks use.',
    '  first:',
    ...clientLines(answers, '', file),
    ...(value('second-client') === 'yes'
      ? [
          '  # A client of another organisation: consents are kept apart between clients.',
          '  second:',
          ...clientLines(answers, 'second-', file),
        ]
      : []),
    '',
    'customers:',
    '  first:',
    ...customerLines(answers),
    '    # names: [Anna Example]     # as the bank shows them: kept out of every report',
    '    # accounts: 2               # how many the customer chooses at the bank',
    '    # cardEnding: "0004"        # of one of the customer’s cards, in quotes',
    '  # second:                     # then take second-customer out of absent',
    '',
    ...driverLines(answers),
    '',
    '# Real spellings of what the documents neutralise.',
    '# literals:',
    '#   panScheme: UK.STD.PAN',
    '',
    '# What this environment cannot offer: registration, second-client, second-customer,',
    '# funds-confirmation, products, account-information.',
    `absent: [${absentOf(answers).join(', ')}]`,
    '',
    '# Facts that only somebody inside the bank can make true: docs/hooks.md.',
    '# hooks:',
    '#   customer-revokes:',
    '#     command: [./revoke.sh, "{consentId}"]     # or http:, or ask: what somebody is to do',
    '',
    '# Seconds that a run may wait for a token or a consent to expire by itself.',
    '# expiryPatience: 60',
    '',
    '# May clients be registered that nobody can remove again?',
    'freshRegistrations: false',
    '',
    '# Requests that the 429 check may send without the customer present; 0: it is off.',
    'rateLimitBurst: 0',
    '',
  ].join('\n')
}

function absentOf(answers: Answers): string[] {
  return [
    ...(answers['client-id'] ? ['registration'] : []),
    ...(answers['second-client'] === 'yes' ? [] : ['second-client']),
    'second-customer',
    ...(answers['funds-scope'] ? [] : ['funds-confirmation']),
    ...(answers['product-api-url'] ? [] : ['products']),
  ]
}

function clientLines(
  answers: Answers,
  prefix: '' | 'second-',
  file: (name: string) => string,
): string[] {
  const at = (name: string) => answers[`${prefix}${name}`] ?? ''
  const passphrase = (name: string) => (at(name) ? [`      passphrase: \${${at(name)}}`] : [])
  const uris = at('redirect-uris').split(',')
  return [
    '    transport:',
    ...(at('pkcs12')
      ? [`      pkcs12: ${file(`${prefix}pkcs12`)}`]
      : [
          '      # Leaf first, then intermediates.',
          `      certificate: ${file(`${prefix}certificate`)}`,
          `      key: ${file(`${prefix}key`)}`,
        ]),
    ...passphrase('passphrase-variable'),
    '    signing:',
    '      # An RSA key of 2048 bits or more: PEM, or the JSON of a JWK.',
    `      key: ${file(`${prefix}signing-key`)}`,
    `      kid: ${scalar(at('kid'))}`,
    ...passphrase('signing-passphrase-variable'),
    ...(at('client-id')
      ? [`    clientId: ${scalar(at('client-id'))}`]
      : [
          '    # Issued by the directory; carries software_id and software_redirect_uris.',
          `    softwareStatement: ${file(`${prefix}statement`)}`,
        ]),
    '    redirectUris:',
    ...uris.map((uri) => `      - ${scalar(uri.trim())}`),
    '    scopes:',
    `      accounts: ${scalar(answers.scope ?? 'accounts')}`,
    ...(answers['funds-scope']
      ? [`      fundsConfirmation: ${scalar(answers['funds-scope'])}`]
      : []),
  ]
}

function customerLines(answers: Answers): string[] {
  const { 'customer-variable': user, 'password-variable': password } = answers
  if (!user) return ['    # A person logs in: nothing has to be filled in.', '    credentials: {}']
  return [
    '    # What a driver fills in, by the names that its forms or steps use.',
    '    credentials:',
    `      username: \${${user}}`,
    `      password: \${${password}}`,
  ]
}

/** A driver with what it needs; forms and steps are those of the reference bank, as an example. */
function driverLines(answers: Answers): string[] {
  const head = [
    '# Who takes the customer through the bank’s pages:',
    '#   ask       shows the link and waits for a person',
    '#   http      fills the forms described here',
    '#   browser   drives a real browser by the steps described here',
    '#   command   runs a program that gets the link and prints the final redirect',
    'authorisation:',
    `  driver: ${answers.driver}`,
  ]
  const more: Record<string, string[]> = {
    ask: [
      '  # Approvals outlive an interrupted run, encrypted beside this file; memory: they do not.',
      '  keep: file',
      '  # open: [xdg-open]       # opens the page of approvals; on macOS: [open]',
    ],
    command: [`  command: [${scalar(answers.command ?? '')}]`],
    http: [
      '  # An example: correct the names of fields and buttons.',
      '  forms:',
      '    - has: [username, password]',
      '      fill: { username: "{username}", password: "{password}" }',
      '    - has: [decision]',
      '      tickAll: accounts',
      '      approve: { name: decision, value: approve }',
      '      deny: { name: decision, value: deny }',
    ],
    browser: [
      '  # An example: correct the CSS selectors.',
      '  steps:',
      "    - when: 'input[name=username]'",
      "      fill: { 'input[name=username]': '{username}', 'input[name=password]': '{password}' }",
      "      click: 'button[type=submit]'",
      "    - when: 'button[value=approve]'",
      '      only: approve',
      "      tickAll: 'input[name=accounts]'",
      "      click: 'button[value=approve]'",
      "    - when: 'button[value=deny]'",
      '      only: deny',
      "      click: 'button[value=deny]'",
    ],
  }
  return [...head, ...(more[answers.driver ?? ''] ?? [])]
}

/** `file:` and a path relative to the target file; a reference that was given stays as it is. */
function fileReference(path: string, folder: string): string {
  if (path.startsWith('file:') || path.startsWith('${')) return path
  if (isAbsolute(path)) return `file:${path}`
  return `file:${relative(folder, resolve(path)).replaceAll('\\', '/')}`
}

/** A YAML scalar, in quotes where it needs them. */
function scalar(text: string): string {
  return stringify(text, { lineWidth: 0 }).trim()
}

/** Names of the variables that a target file refers to. */
export function variablesOf(yaml: string): string[] {
  const lines = yaml.split('\n').filter((line) => !/^\s*#/.test(line))
  const found = lines.flatMap((line) => [...line.matchAll(/\$\{(\w+)\}/g)].map(([, name]) => name))
  return [...new Set(found)].filter((name) => name !== undefined)
}
