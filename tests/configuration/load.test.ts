// biome-ignore-all lint/suspicious/noTemplateCurlyInString: it is what target files have
import { createPrivateKey, generateKeyPairSync } from 'node:crypto'
import { copyFileSync, mkdirSync, mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { readTargetFile } from '../../engine/configuration/load.ts'
import { TargetError } from '../../engine/configuration/target-error.ts'
import { authority } from '../wire/certificates.ts'
import { pemOf, signingKeys, softwareStatement } from './documents.ts'
import { loadTarget } from './load-target.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-target-'))
afterAll(() => rmSync(folder, { recursive: true }))

/** Every secret of the files below: none may be in a message. */
const CANARIES = ['canary-passphrase', 'canary-password', 'canary-wrong', 'canary-secret']

beforeAll(async () => {
  const ca = await authority('directory')
  const [first, second, expired] = await Promise.all([
    ca.issue('first'),
    ca.issue('second'),
    ca.issue('expired', { ends: -60_000 }),
  ])
  const write = (name: string, content: string | Buffer) =>
    writeFileSync(join(folder, name), content)
  const encrypted = (pem: string) =>
    createPrivateKey(pem)
      .export({ type: 'pkcs8', format: 'pem', cipher: 'aes-256-cbc', passphrase: CANARIES[0] })
      .toString()
  write('ca.pem', ca.certificate)
  write('first.pem', `${first.certificate}\n`)
  write('first-with-mark.pem', `\ufeff${first.certificate}\n`)
  write('first-utf-16.pem', Buffer.from(`\ufeff${first.certificate}`, 'utf16le'))
  write('first.key', first.key)
  write('first-encrypted.key', encrypted(first.key))
  write('first-last.pem', `${ca.certificate}\n${first.certificate}`)
  write(
    'first.csr',
    '-----BEGIN CERTIFICATE REQUEST-----\nMIIC\n-----END CERTIFICATE REQUEST-----\n',
  )
  write('first-in-one-line.pem', first.certificate.trim().replaceAll('\n', '\\n'))
  const cut = '-----BEGIN CERTIFICATE-----\nMIIC\n-----END CERTIFICATE-----\n'
  write('first-and-damaged.pem', `${first.certificate}\n${cut}`)
  write('first.pem.b64', Buffer.from(first.certificate).toString('base64'))
  write('second.pem', second.certificate)
  write('second.key', second.key)
  write('expired.pem', expired.certificate)
  write('expired.key', expired.key)
  write('damaged.pem', first.certificate.replace(/\n.{40}/, '\n%%%%'))
  write('damaged.key', first.key.slice(0, 300))
  write('signing.key', pemOf(signingKeys.first))
  write('signing-encrypted.key', encrypted(pemOf(signingKeys.first)))
  write('signing.jwk', JSON.stringify(signingKeys.first.export({ format: 'jwk' })))
  const { n, e } = signingKeys.first.export({ format: 'jwk' })
  write('public.jwk', JSON.stringify({ kty: 'RSA', n, e }))
  write('set.jwk', JSON.stringify({ keys: [signingKeys.first.export({ format: 'jwk' })] }))
  write('statement-in-quotes.jwt', `"${softwareStatement}"\n`)
  write('short.key', pemOf(generateKeyPairSync('rsa', { modulusLength: 1024 }).privateKey))
  write('ec.key', pemOf(generateKeyPairSync('ec', { namedCurve: 'P-256' }).privateKey))
  write('statement.jwt', `${softwareStatement}\n`)
  write('first.der', Buffer.from(first.certificate.replace(/-----[^-]+-----|\s/g, ''), 'base64'))
  mkdirSync(join(folder, 'directory'))
  for (const name of ['client.p12', 'legacy.p12']) {
    copyFileSync(join('tests/configuration/fixtures', name), join(folder, name))
  }
})

const RIGHT = `name: staging
addresses:
  base_url: https://api.bank.example
  auth_url: https://auth.bank.example
  discovery_url: https://auth.bank.example
  product_api_url: https://products.bank.example
clients:
  first:
    transport:
      certificate: file:first.pem
      key: file:first.key
    signing:
      key: file:signing.key
      kid: kid-first
    softwareStatement: file:statement.jwt
    redirectUris: [https://tpp.example/callback]
    scopes: { accounts: accounts }
customers:
  first:
    credentials:
      username: anna
      password: canary-password
authorisation:
  driver: ask
absent: [second-client, second-customer]
`

let files = 0
function fileWith(text: string): string {
  files += 1
  const path = join(folder, `target-${files}.yaml`)
  writeFileSync(path, text)
  return path
}

/** The right file with one piece of text replaced. */
function but(from: string, to: string): string {
  expect(RIGHT).toContain(from)
  return RIGHT.replace(from, () => to)
}

async function problems(text: string, env: Record<string, string> = {}): Promise<string[]> {
  const path = fileWith(text)
  const error = await readTargetFile(path, env).then(
    () => expect.unreachable('the file was accepted'),
    (reason: unknown) => reason,
  )
  expect(error).toBeInstanceOf(TargetError)
  const { message } = error as TargetError
  for (const canary of CANARIES) expect(message).not.toContain(canary)
  return message
    .replaceAll(path, 'target.yaml')
    .replaceAll(folder, '')
    .split('\n')
    .map((line) => line.replace(/^target\.yaml:/, ''))
}

describe('a right file', () => {
  test('gives a target with everything read', async () => {
    const target = await loadTarget(fileWith(RIGHT), {})
    expect(target).toMatchObject({
      name: 'staging',
      layout: 'production',
      timeout: 30_000,
      maxResponseSize: 67_108_864,
      clockTolerance: 60,
      issuer: 'https://auth.bank.example',
      intentClaim: 'openbanking_intent_id',
      base: folder,
    })
    expect(target.clients.first.transport.certificate).toMatch(/^-----BEGIN CERTIFICATE-----/)
    expect(target.clients.first.softwareStatement).toBe(softwareStatement)
    expect(target.clients.first.signingKey.equals(signingKeys.first)).toBe(true)
    expect([...target.absent]).toEqual(['second-client', 'second-customer'])
    expect(target.secrets).toContain('canary-password')
  })

  test('has the credentials of hooks and of the products as secrets, and nothing else of them', async () => {
    const text = `${RIGHT}
hooks:
  token-expired:
    http:
      url: https://u:canary-1@ci.example/expire?api_key=canary-2&job=harmless-1
      headers: {X-Auth: canary-3, X-Tenant: harmless-2}
      body: {token: canary-4, subject: '{accessToken}', job: harmless-3}
`
    const { secrets } = await loadTarget(fileWith(text), {})
    expect(secrets).toEqual(
      expect.arrayContaining(['canary-1', 'canary-2', 'canary-3', 'canary-4']),
    )
    expect(secrets.join()).not.toMatch(/harmless|\{accessToken/)
  })

  test('has values from the environment, numbers and booleans too, and defaults', async () => {
    const text = `${but('https://api.bank.example', '${HOST:-https://default.example}')}
timeout: \${SECONDS}
freshRegistrations: \${FRESH}
literals: { panScheme: "UK.$\${X}.PAN" }
`
    const target = await loadTarget(fileWith(text.replace('canary-password', '${PASSWORD}')), {
      HOST: '',
      SECONDS: '5',
      FRESH: 'true',
      PASSWORD: '0123: {x}',
    })
    expect(target.timeout).toBe(5000)
    expect(target.document).toMatchObject({
      addresses: { base_url: 'https://default.example' },
      freshRegistrations: true,
      literals: { panScheme: 'UK.${X}.PAN' },
      customers: { first: { credentials: { password: '0123: {x}' } } },
    })
  })

  test('may be of an editor of Windows, and so may its variables', async () => {
    const text = but('canary-password', '${PASSWORD}').replaceAll('\n', '\r\n')
    const target = await loadTarget(fileWith(`\ufeff${text}`), { PASSWORD: 'canary-password\r' })
    expect(target.document.customers.first.credentials.password).toBe('canary-password')
  })

  test('may leave variables of a command to a shell', async () => {
    const command = ['sh', '-c', 'echo ${1%/}', '$LINK']
    const text = but('driver: ask', `driver: command\n  command: ${JSON.stringify(command)}`)
    const target = await loadTarget(fileWith(text), {})
    expect(target.document.authorisation.command).toEqual(command)
  })

  test('may have a path of a file from the environment, and its JSON form', async () => {
    const text = but('file:first.pem', 'file:${NAME}.pem')
    const target = await loadTarget(fileWith(text), { NAME: 'first' })
    expect(target.transports.first?.certificate).toContain('BEGIN CERTIFICATE')
    const { parse } = await import('yaml')
    await loadTarget(fileWith(JSON.stringify(parse(RIGHT), null, 2)), {})
    await loadTarget(fileWith(stringify(parse(RIGHT))), {})
  })

  test.each([
    [
      'a PKCS#12 file',
      'certificate: file:first.pem\n      key: file:first.key',
      'pkcs12: file:client.p12\n      passphrase: canary-passphrase',
    ],
    [
      'an encrypted key',
      'key: file:first.key',
      'key: file:first-encrypted.key\n      passphrase: canary-passphrase',
    ],
    [
      'an encrypted signing key',
      'key: file:signing.key',
      'key: file:signing-encrypted.key\n      passphrase: canary-passphrase',
    ],
    ['a JWK', 'file:signing.key', 'file:signing.jwk'],
    ['a file with a byte order mark', 'file:first.pem', 'file:first-with-mark.pem'],
    ['its own trust anchor', 'name: staging', 'name: staging\ntrust: [file:ca.pem]'],
  ])('may name %s', async (_, from, to) => {
    await loadTarget(fileWith(but(from, to)), {})
  })

  test('may ask for the reference bank', async () => {
    const path = fileWith('bank: embedded\ntransactions: ${N:-7}\n')
    expect(await readTargetFile(path, {})).toEqual({
      kind: 'embedded',
      options: { name: 'embedded', transactions: 7 },
    })
  })
})

const REEXPORT =
  'Export it again: openssl pkcs12 -legacy -in OLD -nodes -out ALL.pem, ' +
  'then openssl pkcs12 -export -in ALL.pem -out NEW, and delete ALL.pem.'

describe('a broken file', () => {
  test.each<[string, string, string[]]>([
    [
      'key that is not known',
      but('kid: kid-first', 'kid: kid-first\n      pasphrase: canary-secret'),
      ['15:7: clients.first.signing.pasphrase is not known. Did you mean passphrase?'],
    ],
    [
      'key that is near none',
      but('name: staging', 'name: staging\nzzz: canary-secret'),
      [
        '2:1: zzz is not known. Known here: name, addresses, trust, timeout, maxResponseSize, proxy, issuer, assertionAudience, clients, refusedCertificates, customers, authorisation, products, literals, fundsConfirmation, absent, hooks, freshRegistrations, rateLimitBurst, requestsPerMinute, clockTolerance, settlingTime, expiryPatience.',
      ],
    ],
    [
      'variable that is not set',
      but('canary-password', '${PASSWORD}'),
      [
        '22:17: the environment variable PASSWORD is not set. Set it, or write ${PASSWORD:-default}.',
      ],
    ],
    ...['${MY-PASSWORD}', '${{ secrets.PASSWORD }}', '${PASSWORD', '$PASSWORD'].map(
      (value): [string, string, string[]] => [
        `variable that is written ${value}`,
        but('canary-password', `'${value}'`),
        [
          '22:17: a variable is written ${NAME}, with letters, digits and underscores. Where none is meant, write $$ for the dollar sign.',
        ],
      ],
    ),
    [
      'variable within a default',
      but('canary-password', '${PASSWORD:-${OTHER}}'),
      ['22:17: the default of PASSWORD holds a variable, which is not read. Write a value.'],
    ],
    [
      'password that is empty',
      but('canary-password', "''"),
      ['22:17: customers.first.credentials.password is empty. Fill it in, or leave it out.'],
    ],
    [
      'file below the home folder',
      but('file:first.pem', 'file:~/first.pem'),
      [
        '10:20: /~/first.pem cannot be read: ~ does not mean the home folder here. Write file:${HOME}/.',
      ],
    ],
    [
      'file in UTF-16',
      but('file:first.pem', 'file:first-utf-16.pem'),
      ['10:20: /first-utf-16.pem is UTF-16. Save it as UTF-8.'],
    ],
    [
      'file with a space before its name',
      but('certificate: file:first.pem', 'certificate: file: first.pem'),
      [
        '10:20: a second colon with a space after it. Put the value in quotes; write file:NAME without a space.',
      ],
    ],
    [
      'file with a space before its name, in a list',
      but('name: staging', 'name: staging\ntrust:\n  - file: ca.pem'),
      ['3:5: trust[0] is an object. Write file:NAME, without a space.'],
    ],
    [
      'path with backslashes in double quotes',
      but('file:first.pem', '"file:C:\\keys\\first.pem"'),
      [
        '10:28: a backslash in double quotes begins an escape. Use single quotes, or slashes in a path.',
      ],
    ],
    [
      'members of another object',
      but('authorisation:', '  second: { <<: *first }\nauthorisation:')
        .replace('  first:\n    credentials', '  first: &first\n    credentials')
        .replace(', second-customer', ''),
      [
        '23:11: customers.second.credentials is missing. Add it.',
        '23:13: customers.second.<< takes members from elsewhere, which is not read. Write them here.',
      ],
    ],
    [
      'proxy without its scheme',
      but('name: staging', 'name: staging\nproxy: proxy.example:3128'),
      ['2:8: proxy is spelled wrongly. Write http://host:port.'],
    ],
    ...(
      [
        ['!', '! is a tag'],
        ['&', '& is an anchor'],
      ] as const
    ).map(([sign, is]): [string, string, string[]] => [
      `password that begins with ${sign}`,
      but('canary-password', `${sign}canary-secret`),
      [`22:31: a value that begins with ${is} in YAML. Put it in quotes.`],
    ]),
    ...['{{ canary-secret }}', '{{ canary.secret }}/x'].map((value): [string, string, string[]] => [
      `template that nobody filled in: ${value}`,
      but('canary-password', value),
      [
        '22:18: a key is an object or a list here. If {{ … }} is a template, fill it in first; else put the value in quotes.',
      ],
    ]),
    [
      'password with a space and #',
      but('canary-password', 'canary-password #secret'),
      [
        '22:17: a space and # begin a comment: the rest of the line is not read. Put the value in quotes.',
      ],
    ],
    [
      'password that begins with @',
      but('canary-password', '@canary-secret'),
      ['22:17: a value cannot begin with this character. Put it in quotes.'],
    ],
    [
      'file that is not there',
      but('file:first.pem', 'file:nothing.pem'),
      [
        '10:20: /nothing.pem cannot be read: there is no such file. Correct the path, it is relative to the target file.',
      ],
    ],
    [
      'file that is a directory',
      but('file:first.pem', 'file:directory'),
      ['10:20: /directory cannot be read: it is a directory. Name a file in it.'],
    ],
    [
      'member that is missing',
      but('      kid: kid-first\n', ''),
      ['13:7: clients.first.signing.kid is missing. Add it.'],
    ],
    [
      'number for a text',
      but('canary-password', '123456'),
      [
        '22:17: customers.first.credentials.password is a number. Write a text, in quotes when it looks like a number.',
      ],
    ],
    [
      'text for a number',
      but('name: staging', 'name: staging\ntimeout: canary-secret'),
      ['2:10: timeout is a text. Write a number.'],
    ],
    [
      'object for a list',
      but('[https://tpp.example/callback]', '{ a: b }'),
      [
        '16:19: clients.first.redirectUris is an object. Write a list: lines that begin with a hyphen.',
      ],
    ],
    [
      'number that is too small',
      but('name: staging', 'name: staging\ntimeout: 0'),
      ['2:10: timeout must be > 0. Correct it.'],
    ],
    [
      'address without scheme',
      but('https://api.bank.example', 'api.bank.example'),
      [
        '3:13: addresses.base_url is spelled wrongly. Write a whole address that begins with https://.',
      ],
    ],
    ...['https://api.bank.example:99999', "'https://api.bank.example '", 'https://['].map(
      (address): [string, string, string[]] => [
        `address that is not a URL: ${address}`,
        but('https://api.bank.example', address),
        [
          '3:13: addresses.base_url is not a URL: a space, the port or another character is wrong. Correct it.',
        ],
      ],
    ),
    [
      'redirect URI that is not a URL',
      but('https://tpp.example/callback', 'https://tpp.example:99999/callback'),
      [
        '16:20: clients.first.redirectUris[0] is not a URL: a space, the port or another character is wrong. Correct it.',
      ],
    ],
    [
      'address with a query',
      but('https://api.bank.example', 'https://api.bank.example/?tenant=1'),
      [
        '3:13: addresses.base_url has a query or a fragment. Leave it out: paths are added to the address.',
      ],
    ],
    [
      'addresses with the paths of the documents',
      but('https://api.bank.example', 'https://api.bank.example/open-banking/v3.1').replace(
        'discovery_url: https://auth.bank.example',
        'discovery_url: https://auth.bank.example/.well-known/openid-configuration',
      ),
      [
        '3:13: addresses.base_url ends with /open-banking/v3.1, which is added to it. Leave that out.',
        '5:18: addresses.discovery_url ends with /.well-known/openid-configuration, which is added to it. Leave that out.',
      ],
    ],
    [
      'address that is empty',
      but('https://api.bank.example', "''"),
      ['3:13: addresses.base_url is empty. Write a whole address that begins with https://.'],
    ],
    [
      'card ending without quotes',
      but('  first:\n    credentials', '  first:\n    cardEnding: 12\n    credentials'),
      [
        '20:17: customers.first.cardEnding is a number. Write a text, in quotes when it looks like a number.',
      ],
    ],
    [
      'card ending that is too long',
      but('  first:\n    credentials', "  first:\n    cardEnding: '12345'\n    credentials"),
      ['20:17: customers.first.cardEnding is spelled wrongly. Write four digits in quotes.'],
    ],
    [
      'driver that is not known',
      but('driver: ask', 'driver: brwser'),
      ['24:11: authorisation.driver has a value that is not known. Did you mean browser?'],
    ],
    [
      'capability that is not known',
      but('absent: [second-client', 'absent: [payments, second-client'),
      [
        '25:10: absent[0] has a value that is not known. Write one of registration, second-client, second-customer, second-account, funds-confirmation, products, account-information.',
      ],
    ],
    [
      'empty list',
      but('[https://tpp.example/callback]', '[]'),
      ['16:19: clients.first.redirectUris is empty. Fill it in, or leave it out.'],
    ],
    [
      'address that is missing',
      but('  auth_url: https://auth.bank.example\n', ''),
      ['3:3: addresses has no auth_url. Add it.'],
    ],
    [
      'both layouts at once',
      but('  auth_url', '  sandbox_api_url: https://s.example\n  auth_url'),
      [
        '4:20: addresses.sandbox_api_url stands beside production addresses. Write a target file for each.',
      ],
    ],
    [
      'no product address',
      but('  product_api_url: https://products.bank.example\n', ''),
      ['3:3: addresses has no product_api_url. Add it, or list products under absent.'],
    ],
    [
      'nobody second',
      but('absent: [second-client, second-customer]\n', ''),
      [
        '8:3: clients has no second. Describe it, or list second-client under absent.',
        '19:3: customers has no second. Describe it, or list second-customer under absent.',
      ],
    ],
    [
      'two accounts where nobody has two',
      but(
        '      password: canary-password\nauthorisation',
        '      password: canary-password\n    accounts: 2\nauthorisation',
      ).replace('[second-client,', '[second-account, second-client,'),
      [
        '23:15: customers.first.accounts is more than one. Correct it, or take second-account out of absent.',
      ],
    ],
    [
      'certificate that is damaged',
      but('file:first.pem', 'file:damaged.pem'),
      [
        '10:20: clients.first.transport.certificate is damaged PEM. Name the file as it came: file:name.pem.',
      ],
    ],
    [
      'certificate in DER',
      but('file:first.pem', 'file:first.der'),
      [
        '10:20: clients.first.transport.certificate is not PEM. Convert it: openssl x509 -inform der -in FILE -out FILE.pem.',
      ],
    ],
    [
      'certificate after that of its authority',
      but('file:first.pem', 'file:first-last.pem'),
      [
        '10:20: clients.first.transport.certificate begins with the certificate of an authority. Put certificate 2 first: it belongs to the key.',
      ],
    ],
    [
      'certificate request',
      but('file:first.pem', 'file:first.csr'),
      [
        '10:20: clients.first.transport.certificate is a certificate request. Name the certificate that the directory issued for it.',
      ],
    ],
    [
      'certificate without its line breaks',
      but('file:first.pem', 'file:first-in-one-line.pem'),
      [
        '10:20: clients.first.transport.certificate is PEM without its line breaks. Name a file, file:name.pem; or keep the lines: | in YAML, quotes around the variable in a shell.',
      ],
    ],
    [
      'chain with a damaged certificate',
      but('file:first.pem', 'file:first-and-damaged.pem'),
      [
        '10:20: clients.first.transport.certificate has a damaged certificate after the first. Name the file as it came: file:name.pem.',
      ],
    ],
    [
      'certificate whose PEM is in base64',
      but('file:first.pem', 'file:first.pem.b64'),
      [
        '10:20: clients.first.transport.certificate is PEM in base64. Decode it, base64 -d, and name the result.',
      ],
    ],
    [
      'PKCS#12 file as certificate and as signing key',
      but('file:first.pem', 'file:client.p12').replace('file:signing.key', 'file:client.p12'),
      [
        '10:20: clients.first.transport.certificate is PKCS#12. Name it under pkcs12, and leave out certificate and key.',
        '13:12: clients.first.signing.key is PKCS#12. Take the key out of it: openssl pkcs12 -in FILE -nocerts -out FILE.key.',
      ],
    ],
    [
      'JWK as transport key',
      but('file:first.key', 'file:signing.jwk'),
      ['11:12: clients.first.transport.key is a JWK. Name the key as PEM.'],
    ],
    [
      'certificate and key exchanged',
      but(
        'certificate: file:first.pem\n      key: file:first.key',
        'certificate: file:first.key\n      key: file:first.pem',
      ),
      [
        '10:20: clients.first.transport.certificate is a private key. Name the certificate here and the key under key.',
        '11:12: clients.first.transport.key is not a private key. Name the private key here.',
      ],
    ],
    [
      'key of another certificate',
      but('file:first.key', 'file:second.key'),
      [
        '11:12: clients.first.transport.key does not match the certificate. Name the key it was issued for.',
      ],
    ],
    [
      'key that is damaged',
      but('file:first.key', 'file:damaged.key'),
      [
        '11:12: clients.first.transport.key is damaged PEM. Name the file as it came: file:name.pem.',
      ],
    ],
    [
      'encrypted key without passphrase',
      but('file:first.key', 'file:first-encrypted.key'),
      [
        '11:12: clients.first.transport.key is encrypted and there is no passphrase. Add passphrase.',
      ],
    ],
    [
      'encrypted key, wrong passphrase',
      but('file:first.key', 'file:first-encrypted.key\n      passphrase: canary-wrong'),
      ['12:19: clients.first.transport.passphrase does not open the key. Correct it.'],
    ],
    [
      'no certificate at all',
      but(
        '      certificate: file:first.pem\n      key: file:first.key\n',
        '      passphrase: canary-secret\n',
      ),
      ['10:7: clients.first.transport names no certificate. Add certificate and key, or pkcs12.'],
    ],
    [
      'certificate without key',
      but('      key: file:first.key\n', ''),
      ['10:7: clients.first.transport has a certificate without key. Add key.'],
    ],
    [
      'PKCS#12 and PEM',
      but('      key: file:first.key\n', '      pkcs12: file:client.p12\n'),
      ['10:7: clients.first.transport has both pkcs12 and certificate or key. Keep one of them.'],
    ],
    [
      'PKCS#12 with legacy ciphers',
      but(
        'certificate: file:first.pem\n      key: file:first.key',
        'pkcs12: file:legacy.p12\n      passphrase: canary-passphrase',
      ),
      [
        `10:15: clients.first.transport.pkcs12 uses ciphers that OpenSSL 3 calls legacy. ${REEXPORT}`,
      ],
    ],
    [
      'PKCS#12, wrong passphrase',
      but(
        'certificate: file:first.pem\n      key: file:first.key',
        'pkcs12: file:client.p12\n      passphrase: canary-wrong',
      ),
      ['11:19: clients.first.transport.passphrase does not open the PKCS#12 file. Correct it.'],
    ],
    [
      'PKCS#12 without passphrase',
      but('certificate: file:first.pem\n      key: file:first.key', 'pkcs12: file:client.p12'),
      [
        '10:15: clients.first.transport.pkcs12 is encrypted and there is no passphrase. Add passphrase.',
      ],
    ],
    [
      'PKCS#12 that is none',
      but(
        'certificate: file:first.pem\n      key: file:first.key',
        'pkcs12: file:first.pem\n      passphrase: canary-passphrase',
      ),
      ['10:15: clients.first.transport.pkcs12 is PEM. Name it under certificate and key.'],
    ],
    [
      'signing key that is short',
      but('file:signing.key', 'file:short.key'),
      ['13:12: clients.first.signing.key has 1024 bits. PS256 needs 2048: name a longer RSA key.'],
    ],
    [
      'signing key that is not RSA',
      but('file:signing.key', 'file:ec.key'),
      ['13:12: clients.first.signing.key is of type ec. PS256 is used: name an RSA key.'],
    ],
    [
      'signing JWK that is public',
      but('file:signing.key', 'file:public.jwk'),
      ['13:12: clients.first.signing.key is not a private JWK. Name the JWK with its member d.'],
    ],
    [
      'set of signing JWKs',
      but('file:signing.key', 'file:set.jwk'),
      [
        '13:12: clients.first.signing.key is a set of keys. Write the private JWK that signs into a file of its own.',
      ],
    ],
    [
      'signing key that is a password',
      but('file:signing.key', 'canary-secret'),
      [
        '13:12: clients.first.signing.key is not PEM. Convert it: openssl pkey -inform der -in FILE -out FILE.pem.',
      ],
    ],
    [
      'software statement that is no JWS',
      but('file:statement.jwt', 'canary-secret'),
      [
        '15:24: clients.first.softwareStatement is not a compact JWS. Paste the assertion that the directory issued: a.b.c.',
      ],
    ],
    [
      'software statement in quotes',
      but('file:statement.jwt', 'file:statement-in-quotes.jwt'),
      [
        '15:24: clients.first.softwareStatement has quotes, spaces or line breaks. Write it as one line: a.b.c.',
      ],
    ],
    [
      'neither software statement nor client id',
      but('    softwareStatement: file:statement.jwt\n', ''),
      ['9:5: clients.first has no softwareStatement. Add it, or list registration under absent.'],
    ],
    [
      'no registration and no client id',
      but('absent: [', 'absent: [registration, '),
      ['9:5: clients.first has no clientId. Add that of its registration.'],
    ],
    [
      'trust anchor that is none',
      but('name: staging', 'name: staging\ntrust: [file:first.der]'),
      ['2:9: trust[0] holds no PEM certificate. Convert it: openssl x509 -inform der -in FILE.'],
    ],
    [
      'expired certificate that is good',
      but(
        'customers:',
        'refusedCertificates:\n  expired: { certificate: file:first.pem, key: file:first.key }\ncustomers:',
      ),
      [
        '19:27: refusedCertificates.expired.certificate has not expired yet. Name one that a bank must refuse.',
      ],
    ],
    [
      'driver without its part',
      but('driver: ask', 'driver: http'),
      ['24:3: authorisation has no forms. The driver http needs it.'],
    ],
    [
      'burst beyond the budget',
      but('absent:', 'rateLimitBurst: 30\nrequestsPerMinute: 60\nabsent:'),
      ['25:17: rateLimitBurst cannot be reached within requestsPerMinute. Keep one of the two.'],
    ],
    [
      'hook that does nothing',
      but('absent:', 'hooks: { token-expired: {} }\nabsent:'),
      ['25:25: hooks.token-expired needs http, command or ask. Write exactly one of them.'],
    ],
    [
      'hook of two forms',
      but('absent:', 'hooks: { token-expired: { ask: Let it expire, command: [x] } }\nabsent:'),
      ['25:25: hooks.token-expired needs http, command or ask. Write exactly one of them.'],
    ],
    [
      'hook that asks nothing',
      but('absent:', "hooks: { token-expired: { ask: '' } }\nabsent:"),
      ['25:32: hooks.token-expired.ask is empty. Fill it in, or leave it out.'],
    ],
    [
      'keeping that is not known',
      but('driver: ask', 'driver: ask\n  keep: fle'),
      ['25:9: authorisation.keep has a value that is not known. Did you mean file?'],
    ],
    [
      'person who is and is not there',
      but('driver: ask', 'driver: ask\n  attended: false'),
      ['25:13: authorisation.attended is false. The driver ask needs a person: leave it out.'],
    ],
    [
      'person who is a word',
      but('driver: ask', 'driver: ask\n  attended: always'),
      ['25:13: authorisation.attended is a text. Write true or false.'],
    ],
    [
      'patience that is endless',
      but('name: staging', 'name: staging\nexpiryPatience: 100000'),
      ['2:17: expiryPatience must be <= 86400. Correct it.'],
    ],
    [
      'patience with a unit',
      but('name: staging', 'name: staging\nexpiryPatience: 10m'),
      ['2:17: expiryPatience is a text. Write a number.'],
    ],
    [
      'catcher without anything to catch',
      but(
        'driver: ask',
        'driver: ask\n  catcher: { certificate: file:first.pem, key: file:first.key }',
      ),
      [
        '25:12: authorisation.catcher serves no redirect URI. Name one that begins with https://localhost:PORT/.',
      ],
    ],
    [
      'catcher with another key',
      but(
        'driver: ask',
        'driver: ask\n  catcher: { certificate: file:first.pem, key: file:second.key }',
      ).replace('https://tpp.example/callback', 'https://localhost:8912/callback'),
      [
        '25:48: authorisation.catcher.key does not match the certificate. Name the key it was issued for.',
      ],
    ],
    [
      'several problems, in order',
      but('kid: kid-first', 'kid: 1')
        .replace('driver: ask', 'driver: x')
        .replace('name: staging', 'name: a b'),
      [
        '1:7: name is spelled wrongly. Use letters, digits, dots, hyphens and underscores, at most 64.',
        '14:12: clients.first.signing.kid is a number. Write a text, in quotes when it looks like a number.',
        '24:11: authorisation.driver has a value that is not known. Write one of http, browser, ask, command.',
      ],
    ],
    [
      'reference bank with an unknown option',
      'bank: embedded\ntransaction: 1\n',
      ['2:1: transaction is not known. Did you mean transactions?'],
    ],
    [
      'reference bank of another kind',
      'bank: canary-secret\n',
      ['1:7: bank has another value. Write embedded.'],
    ],
    [
      'list',
      '- canary-secret\n',
      ['1:1: a target file is an object. Start with name: and addresses:.'],
    ],
    ['empty file', '', ['1:1: a target file is an object. Start with name: and addresses:.']],
    [
      'key that is there twice',
      but('name: staging', 'name: staging\nname: again'),
      ['2:1: this key is here twice. Keep one of them.'],
    ],
    [
      'quote that is not closed',
      but('canary-password', '"canary-password'),
      ['26:1: a quote, bracket or colon is missing before this place. Close what was opened.'],
    ],
    [
      'password that begins with a star',
      but('canary-password', '*canary-secret'),
      ['22:17: a value that begins with * is an alias in YAML. Put it in quotes.'],
    ],
  ])('%s', async (_, text, expected) => {
    expect(await problems(text)).toEqual(expected)
  })

  test('that is not there', async () => {
    const path = join(folder, 'none.yaml')
    await expect(readTargetFile(path, {})).rejects.toThrow(
      `${path}:1:1: the target file cannot be read: there is no such file.`,
    )
  })
})
