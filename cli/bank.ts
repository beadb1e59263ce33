import { writeFileSync } from 'node:fs'
import { stringify } from 'yaml'
import { startBank } from '../bank/bank.ts'
import { loadFaults, loadVariants } from '../proof/load.ts'
import { number, UsageError } from './usage.ts'

export interface BankCommand {
  fault?: string[]
  variant?: string[]
  port?: string
  transactions?: string
  info?: string
}

/** `assay bank`: the reference bank alone, to develop against; it stays up until Ctrl-C. */
export async function bank(options: BankCommand): Promise<void> {
  const alterations = [
    ...(options.fault ? named('fault', await loadFaults(), options.fault) : []),
    ...(options.variant ? named('variant', await loadVariants(), options.variant) : []),
  ]
  const started = await startBank({
    alterations,
    port: number('--port', options.port, 65_500),
    transactions: number('--transactions', options.transactions, 10_000_000),
  })
  const { target, addresses, operatorUrl, servicingUrl, customers } = started
  console.log('The reference bank is up.')
  for (const [name, address] of Object.entries(addresses)) {
    if (typeof address === 'string') console.log(`  ${name.padEnd(26)} ${address}`)
  }
  console.log(`  ${'account servicing'.padEnd(26)} ${servicingUrl}`)
  console.log(`  ${'operator'.padEnd(26)} ${operatorUrl}`)
  console.log('Customers (made up, for this bank only):')
  for (const { username, password, cards } of customers) {
    console.log(`  ${username.padEnd(20)} ${password.padEnd(22)} ${cards.length} cards`)
  }
  for (const { id, story } of alterations) console.log(`Altered: ${id}. ${story}`)
  if (options.info) {
    const schema = '# yaml-language-server: $schema=schemas/assay/target.schema.json'
    writeFileSync(options.info, `${schema}\n${stringify(target, { lineWidth: 0 })}`, {
      mode: 0o600,
    })
    console.log(`Certificates, keys and addresses for a TPP: ${options.info}`)
    console.log(`  assay run --target ${options.info}`)
  } else {
    console.log('Certificates and keys for a TPP: start it with --info FILE.')
  }
  console.log('Ctrl-C ends it.')
  await new Promise<void>((resolve) => {
    process.once('SIGINT', resolve)
    process.once('SIGTERM', resolve)
  })
  await started.close()
}

function named<T extends { id: string }>(word: string, all: T[], ids: string[]): T[] {
  return ids.map((id) => {
    const found = all.find((each) => each.id === id)
    if (!found) throw new UsageError(`no ${word} is called ${id}`)
    return found
  })
}
