/** The reference TPP as a program: `client.command` of its tpp.yaml starts it. */
import { readFileSync } from 'node:fs'
import type { Briefing } from '../../engine/certification/client.ts'
import { right } from './conduct.ts'
import { pursue } from './reference-tpp.ts'
import { Refusal } from './refusal.ts'

const told = JSON.parse(readFileSync(process.env.ASSAY_BRIEFING ?? '', 'utf8'))
const file = (path: string) => readFileSync(path, 'utf8')
const { bank, client, state } = told
const briefing: Briefing = {
  ...told,
  folder: state,
  bank: { ...bank, trust: [file(bank.trust)] },
  client: {
    ...client,
    transport: { certificate: file(client.transport.certificate), key: file(client.transport.key) },
    signing: { key: file(client.signing.key), kid: client.signing.kid },
    softwareStatement: file(client.softwareStatement),
  },
}
try {
  await pursue(briefing, right)
} catch (error) {
  if (!(error instanceof Refusal)) throw error
  console.error(error.message)
  process.exitCode = 1
}
