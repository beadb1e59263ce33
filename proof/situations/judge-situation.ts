import { existsSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { stringify } from 'yaml'
import type { Bank } from '../../bank/running-bank.ts'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Report, Whose } from '../../engine/report/report.ts'
import { assay } from '../run/assay.ts'
import type { Situation, Surroundings } from './situation.ts'
import { type ListenerName, openTrouble } from './trouble.ts'

/** How `assay run` and `assay doctor` handled a situation. */
export interface Taken {
  id: string
  run: {
    exit: number | null
    said: string
    whose?: Whose
    title?: string
    seconds: number
    /** The text at the beginning of the page; absent when no page was written. */
    page?: string
  }
  doctor: { exit: number | null; said: string }
}

/** The listeners of the production layout, by the target member that contains their address. */
const LISTENERS: Record<ListenerName, string> = {
  api: 'base_url',
  authorisation: 'auth_url',
  discovery: 'discovery_url',
  products: 'product_api_url',
}

/** A run that registers the first client, which is kept beside the target file. */
async function keepClient(document: TargetDocument, file: string, folder: string): Promise<void> {
  document.freshRegistrations = false
  writeFileSync(file, stringify(document, { lineWidth: 0 }), { mode: 0o600 })
  const words = ['run', '--target', file, '--out', join(folder, 'before'), '--only', 'TOK-03']
  await assay(words, folder)
}

/** Runs both commands in separate processes against a correct bank, with this one thing wrong. */
export async function judgeSituation(
  bank: Bank,
  about: Surroundings,
  situation: Situation,
): Promise<Taken> {
  const folder = mkdtempSync(join(tmpdir(), 'assay-situation-'))
  const document = structuredClone(bank.target) as TargetDocument
  document.name = 'staging'
  document.timeout = 2
  const addresses = document.addresses as Record<string, string>
  const ports = []
  const { trouble } = situation
  for (const [name, member] of Object.entries(LISTENERS)) {
    if (!trouble || (trouble.at !== name && trouble.at !== 'every')) continue
    const port = await openTrouble(addresses[member] ?? '', trouble.does)
    ports.push(port)
    addresses[member] = port.url
  }
  const file = join(folder, 'target.yaml')
  const out = join(folder, 'out')
  try {
    if (situation.isLater) await keepClient(document, file, folder)
    situation.target?.(document, about)
    const yaml = stringify(document, { lineWidth: 0 })
    writeFileSync(file, situation.text?.(yaml) ?? yaml, { mode: 0o600 })
    const doctor = await assay(['doctor', '--target', file], folder)
    // Many defects are visible only when a consent or token ends, so the full profile is needed.
    const profile = situation.fault === undefined ? 'core' : 'full'
    const words = ['run', '--target', file, '--out', out, '--profile', profile]
    const began = Date.now()
    const run = await assay(words, folder, {
      ...(situation.interruptedAfter !== undefined && {
        interruptedAfter: situation.interruptedAfter,
      }),
    })
    // The bank may have other findings too, such as a different address in discovery; they are not the subject.
    const causes = reportIn(out)?.causes ?? []
    const blocking = causes.find(({ findings }) => findings.length === 0)
    const cause = (situation.kind === 'network' && blocking) || causes[0]
    return {
      id: situation.id,
      run: {
        ...run,
        seconds: (Date.now() - began) / 1000,
        ...pageIn(out),
        ...(cause && { whose: cause.whose, title: cause.title }),
      },
      doctor,
    }
  } finally {
    await Promise.all(ports.map(({ close }) => close()))
    rmSync(folder, { recursive: true, force: true })
  }
}

/** The report that a run wrote into its folder, if any. */
export function reportIn(out: string): Report | undefined {
  try {
    return JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as Report
  } catch {
    return undefined
  }
}

/** The beginning of a run's page: its verdict, and what is wrong. */
function pageIn(out: string): { page: string } | undefined {
  const file = join(out, 'report.html')
  if (!existsSync(file)) return undefined
  const html = readFileSync(file, 'utf8')
  const parts = [
    between(html, '<header class="banner', '</header>'),
    between(html, '<section id="wrong"', '</section>'),
  ]
  return { page: parts.flatMap(linesOf).slice(0, LINES_OF_PAGE).join('\n') }
}

const LINES_OF_PAGE = 40

function between(html: string, from: string, to: string): string {
  const start = html.indexOf(from)
  return start < 0 ? '' : html.slice(start, html.indexOf(to, start))
}

/** Its text, one line for each block. */
function linesOf(html: string): string[] {
  return html
    .replace(/<\/?(?:h\d|p|li|br|div|dt|dd|summary|details|tr|ul|ol|nav)\b[^<>]*>/g, '\n')
    .replace(/<[^<>]*>/g, ' ')
    .replace(/&#(\d+);/g, (_, code: string) => String.fromCodePoint(Number(code)))
    .split('\n')
    .map((line) => line.replace(/\s+/g, ' ').trim())
    .filter((line) => line !== '')
}
