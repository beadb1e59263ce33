import { mkdtempSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { readTargetFile } from '../../engine/configuration/load.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import { authority } from '../wire/certificates.ts'
import { documentFor, statementOf } from './documents.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-alike-'))
afterAll(() => rmSync(folder, { recursive: true }))

const ca = await authority('directory')
const other = await authority('another directory')
const [first, second, stranger, sibling] = await Promise.all([
  ca.issue('first'),
  ca.issue('second'),
  other.issue('stranger'),
  ca.issue('sibling'),
])

let files = 0

/** What is wrong with a target file of two clients and two customers after this change; empty where nothing is. */
async function problemsOf(change: (document: TargetDocument) => void): Promise<string> {
  const document = documentFor('https://bank.example')
  const { clients, customers, authorisation } = document
  clients.first.transport = {
    certificate: `${first.certificate}\n${ca.certificate}`,
    key: first.key,
  }
  Object.assign(clients.second ?? {}, {
    transport: { certificate: second.certificate, key: second.key },
  })
  customers.second = { credentials: { username: 'ben.example', password: 'battery staple' } }
  authorisation.forms = [
    { has: ['password'], fill: { password: '{password}' } },
    { has: ['decision'], approve: button('approve'), deny: button('deny') },
  ]
  change(document)
  files += 1
  const path = join(folder, `${files}.yaml`)
  writeFileSync(path, stringify(document), { mode: 0o600 })
  return readTargetFile(path).then(
    () => '',
    (error: Error) => error.message,
  )
}

const button = (value: string) => ({ name: 'decision', value })
const refused = ({ certificate, key }: typeof first) => ({ untrusted: { certificate, key } })

test.each<[string, RegExp, (document: TargetDocument) => void]>([
  [
    'a client that is a copy of the first',
    /clients\.second\.softwareStatement is of the same software as clients\.first\.softwareStatement/,
    ({ clients }) => {
      clients.second = clients.first
    },
  ],
  [
    'one client_id for both',
    /clients\.second\.clientId is that of clients\.first/,
    ({ clients }) => {
      for (const client of Object.values(clients)) client.clientId = 'one'
    },
  ],
  [
    'a customer who logs in as the first',
    /customers\.second\.credentials are those of customers\.first/,
    ({ customers }) => {
      customers.second = customers.first
    },
  ],
  [
    'no button of a denial but that of the approval',
    /deny is the button of approve/,
    ({ authorisation: { forms = [] } }) => {
      Object.assign(forms[1] ?? {}, { deny: button('approve') })
    },
  ],
  [
    'an untrusted certificate of the authority of a client',
    /refusedCertificates\.untrusted\.certificate is of the authority/,
    (document) => {
      document.refusedCertificates = refused(sibling)
    },
  ],
])('refuses %s', async (_words, problem, change) => {
  expect(await problemsOf(change)).toMatch(problem)
})

test.each<[string, (document: TargetDocument) => void]>([
  ['two of each', () => {}],
  [
    'one software that is registered as two clients',
    ({ clients }) => {
      for (const [name, client] of Object.entries(clients)) {
        Object.assign(client, { clientId: name, softwareStatement: statementOf('software1') })
      }
    },
  ],
  [
    'customers of whom a person knows the credentials',
    ({ customers, authorisation }) => {
      customers.first.credentials = {}
      Object.assign(customers.second ?? {}, { credentials: {} })
      authorisation.driver = 'ask'
    },
  ],
  [
    'a page with one button for both before that of the decision',
    ({ authorisation: { forms = [] } }) => {
      Object.assign(forms[0] ?? {}, { approve: button('next'), deny: button('next') })
    },
  ],
  [
    'forms of which one is for a denial alone',
    ({ authorisation }) => {
      authorisation.forms = [
        { has: ['decision'], only: 'approve', approve: button('go') },
        { has: ['decision'], only: 'deny', approve: button('go'), fill: { choice: 'no' } },
      ]
    },
  ],
  [
    'an untrusted certificate of another authority',
    (document) => {
      document.refusedCertificates = refused(stranger)
    },
  ],
])('takes %s', async (_words, change) => {
  expect(await problemsOf(change)).toBe('')
})
