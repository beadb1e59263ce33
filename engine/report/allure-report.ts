import { execFile } from 'node:child_process'
import { mkdtemp, readdir, readFile, rename, rm, writeFile } from 'node:fs/promises'
import { createRequire } from 'node:module'
import { tmpdir } from 'node:os'
import { join, resolve } from 'node:path'
import { promisify } from 'node:util'
import type { Written } from './write-reports.ts'

export interface AllureReportOptions {
  /** Allure's own history file (JSON lines); each making adds a point to its trend. */
  history?: string
  /** Path of Allure's command line; default: the package `allure`, where one is installed. */
  cli?: string
}

/** What the page may do: its own scripts and data, and nothing on any network. */
const POLICY =
  "default-src 'none'; script-src 'unsafe-inline' 'unsafe-eval' data: blob:; style-src 'unsafe-inline' data:; img-src data: blob:; font-src data:; media-src data: blob:; connect-src data: blob:; frame-src data: blob:; base-uri 'none'; form-action 'none'"

const CALL = 'googletagmanager.com'

/**
 * DIR/allure-report.html from DIR/allure-results/: the report of Allure 3 as one file that opens from
 * disk. Allure's pages call an analytics host when somebody looks at them; that is taken out, and a
 * policy forbids every other call. Allure is not among our dependencies (53 MB): install `allure` beside.
 */
export async function allureReport(
  dir: string,
  options: AllureReportOptions = {},
): Promise<Written> {
  const cli = options.cli ?? installedAllure()
  if (cli === undefined) throw new Error('allure is not installed; npm i -D allure@3.18.0')
  const folder = await mkdtemp(join(tmpdir(), 'assay-allure-'))
  try {
    const config = {
      name: 'Assay',
      output: join(folder, 'out'),
      ...(options.history ? { historyPath: resolve(options.history) } : {}),
      plugins: {
        awesome: { options: { singleFile: true, groupBy: ['epic', 'feature', 'story'] } },
      },
    }
    await writeFile(join(folder, 'allurerc.mjs'), `export default ${JSON.stringify(config)}\n`)
    const words = [
      cli,
      'generate',
      '--config',
      join(folder, 'allurerc.mjs'),
      resolve(dir, 'allure-results'),
    ]
    await promisify(execFile)(process.execPath, words, { cwd: folder, timeout: 300_000 })
    const made = await readdir(join(folder, 'out'), { recursive: true })
    const page = made.find((file) => file.endsWith('index.html'))
    if (!page) throw new Error('allure made no index.html')
    const html = quietAllure(await readFile(join(folder, 'out', page), 'utf8'))
    const file = join(dir, 'allure-report.html')
    await writeFile(`${file}.tmp`, html)
    await rename(`${file}.tmp`, file)
    return { file: 'allure-report.html', bytes: Buffer.byteLength(html) }
  } finally {
    await rm(folder, { recursive: true, force: true })
  }
}

/** The page without its call to an analytics host, and with a policy that forbids any. */
export function quietAllure(html: string): string {
  const quiet = html
    .replace(/<script[^>]*\bsrc="https?:\/\/[^"]*"[^>]*><\/script>/g, '')
    .replace(/<script>\s*window\.dataLayer[\s\S]*?<\/script>/g, '')
    .replace(
      '<meta charset="utf-8">',
      `<meta charset="utf-8"><meta http-equiv="Content-Security-Policy" content="${POLICY}">`,
    )
  if (quiet.includes(CALL) || !quiet.includes(POLICY)) {
    throw new Error(
      'this version of allure calls an analytics host in a way that is not known; use 3.18',
    )
  }
  return quiet
}

/** Allure's command line where the package is installed; undefined elsewhere. */
export function installedAllure(): string | undefined {
  for (const from of [join(process.cwd(), 'package.json'), import.meta.url]) {
    try {
      const require = createRequire(from)
      const manifest = require.resolve('allure/package.json')
      return join(manifest, '..', 'cli.js')
    } catch {
      // not there: look in the next place
    }
  }
  return undefined
}
