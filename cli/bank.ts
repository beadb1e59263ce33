import { appendFileSync, existsSync, writeFileSync } from 'node:fs'
import { basename, dirname, join, relative, resolve } from 'node:path'
import { stringify } from 'yaml'
import { startBank } from '../bank/bank.ts'
import type { Sighting } from '../bank/operator/sighting.ts'
import type { Bank } from '../bank/running-bank.ts'
import type { TargetDocument } from '../engine/configuration/target.ts'
import { ASSAY, word } from '../engine/record/program.ts'
import { root } from '../engine/record/root.ts'
import { onEnd } from '../engine/record/signals.ts'
import { counted } from '../engine/report/escape.ts'
import { say, shown } from '../engine/report/terminal.ts'
import { loadFaults, loadVariants } from '../proof/run/load.ts'
import type { Variant } from '../proof/run/proof.ts'
import { towardsTpps } from '../proof/tpp/towards-tpps.ts'
import { listAlterations, named } from './bank-alterations.ts'
import { tellGateway } from './bank-gateway.ts'
import { openStateFolder, type StateFolder } from './bank-state.ts'
import { number, portTaken, UsageError, written } from './usage.ts'
import type { startWatch } from './watch.ts'

export interface BankCommand {
  fault?: string[]
  variant?: string[]
  port?: string
  transactions?: string
  info?: string
  watch?: boolean
  out?: string
  log?: string
  state?: string
  strict?: string
  tpp?: string
  behindGateway?: string
}

/** `assay bank`: the reference bank alone, to develop against. It runs until Ctrl-C. */
export async function bank(what: string | undefined, options: BankCommand): Promise<void> {
  if (what !== undefined) return listAlterations(what)
  if (options.strict !== undefined && options.strict !== 'fapi') {
    throw new UsageError(`--strict takes fapi, not ${options.strict}`)
  }
  const gateway = options.behindGateway
  if (gateway !== undefined && !/^https:\/\/[\w.[\]:-]+\/?$/.test(gateway)) {
    throw new UsageError(`--behind-gateway takes an https: address without a path, not ${gateway}`)
  }
  if (options.out !== undefined && !options.watch) throw new UsageError('--out goes with --watch')
  const { info } = options
  if (info !== undefined && !existsSync(dirname(resolve(info)))) {
    throw new UsageError(`--info ${info}: there is no folder ${dirname(info)}. Make it first.`)
  }
  const alterations = [
    ...(options.fault ? named('fault', await loadFaults(), options.fault) : []),
    ...(options.variant ? named('variant', await loadVariants(), options.variant) : []),
  ]
  const known = options.tpp ? await tppOf(options.tpp) : undefined
  const state = options.state ?? known?.state
  const folder = state ? await openStateFolder(state, known?.enrol) : undefined
  const given = number('--port', options.port, 65_500)
  // A client that is configured once must find the bank again at the same port.
  const port = given ?? known?.port ?? (folder ? 8443 : undefined)
  try {
    await serve(options, alterations, folder, port)
  } finally {
    await folder?.directory.close()
  }
}

/** Runs until Ctrl-C. If something cannot be opened, everything is closed. */
async function serve(
  options: BankCommand,
  alterations: Variant[],
  folder: StateFolder | undefined,
  port: number | undefined,
): Promise<void> {
  const seeing = new Set<(sighting: Sighting) => void>()
  const taken = (port = 0) => `port ${port} is in use. Name another first port with --port.`
  const { policies, settings } = options.watch || options.tpp ? towardsTpps : {}
  const started = await startBank({
    alterations,
    policies,
    port,
    ...(options.behindGateway && { behindGateway: options.behindGateway }),
    transactions: number('--transactions', options.transactions, 10_000_000),
    settings: { ...settings, strict: options.strict === 'fapi' ? 'fapi' : 'documents' },
    directory: folder?.directory,
    kept: folder?.kept,
    onSighting: (sighting) => {
      for (const see of seeing) see(sighting)
    },
  }).catch(portTaken(taken))
  const following = folder?.follow(started)
  // Listen for signals from here on, because the text that is printed next says that Ctrl-C ends the bank.
  const ended = new Promise<void>((resolve) => {
    onEnd(resolve)
  })
  const { log, watch, out } = options
  let watching: Awaited<ReturnType<typeof startWatch>> | undefined
  try {
    introduce(started, options.info, alterations)
    if (options.behindGateway) tellGateway(started, options.info)
    for (const { id, story } of alterations) say(shown`Altered: ${id}. ${story}`)
    if (log !== undefined) {
      await written('--log', log, () => writeFileSync(log, '', { mode: 0o600 }))
      seeing.add((sighting) => appendFileSync(log, `${logLine(sighting)}\n`))
      say(shown`A line for each request: ${log}`)
    }
    if (watch) {
      const { startWatch } = await import('./watch.ts')
      const target = structuredClone(started.target) as TargetDocument
      watching = await startWatch(target, { out, port: port && port + 9 })
      seeing.add(watching.see)
      say(shown`What the bank sees: ${watching.url}`)
    }
    say(shown`Ctrl-C ends it.`)
    await ended
  } finally {
    await following?.stop()
    await watching?.end()
    await started.close()
  }
}

/** What the file of a TPP says that this bank must know. */
async function tppOf(file: string) {
  const { readTppFile } = await import('../engine/certification/tpp-file.ts')
  const { enrolmentOf, stateFolderOf } = await import('./tpp-client.ts')
  const { document, base } = readTppFile(file)
  return {
    enrol: await enrolmentOf(document, base),
    state: stateFolderOf(document, base),
    port: document.port,
  }
}

function introduce(started: Bank, file: string | undefined, alterations: Variant[]): void {
  const { target, addresses, operatorUrl, servicingUrl, customers } = started
  say(shown`The reference bank is up.`)
  const all = { ...addresses, 'account servicing': servicingUrl, operator: operatorUrl }
  for (const [name, address] of Object.entries(all)) {
    if (typeof address === 'string') say(shown`  ${name.padEnd(26)} ${address}`)
  }
  say(shown`Customers (made up, for this bank only):`)
  for (const { username, password, cards } of customers) {
    say(shown`  ${username.padEnd(20)} ${password.padEnd(22)} ${counted(cards.length, 'card')}`)
  }
  if (!file) {
    say(shown`Certificates and keys for a TPP: start it with --info FILE.`)
    return
  }
  const place = relative(
    dirname(resolve(file)),
    join(root, 'schemas', 'assay', 'target.schema.json'),
  )
  const schema = `# yaml-language-server: $schema=${place.replaceAll('\\', '/')}`
  // The target is named after its file, so that its reports do not mix with those of another bank.
  const name = basename(file).replace(/\.[^.]*$/, '') || 'reference-bank'
  const called: TargetDocument = { ...structuredClone(target), name }
  // Adds the members that describe an altered bank, where they differ.
  for (const { target: change } of alterations) change?.(called)
  writeFileSync(file, `${schema}\n${stringify(called, { lineWidth: 0 })}`, { mode: 0o600 })
  say(shown`Certificates, keys and addresses for a TPP: ${file}`)
  say(shown`  ${ASSAY} run --target ${word(file)}`)
}

/** A log line contains no header, body or query, because these hold secrets. */
function logLine({ startedAt, durationMs, request, response, failure, refusal }: Sighting): string {
  const { origin, pathname } = new URL(request.url)
  return JSON.stringify({
    at: new Date(startedAt).toISOString(),
    method: request.method,
    address: `${origin}${pathname}`,
    status: response?.status,
    failure: failure?.code,
    refused: refusal?.detail,
    milliseconds: Math.round(durationMs),
  })
}
