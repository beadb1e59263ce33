import { resolve } from 'node:path'
import pc from 'picocolors'
import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import type { BankSighting } from '../engine/certification/bank-host.ts'
import { loadTppSuites } from '../engine/certification/suite.ts'
import { openWatch, type WatchedLine } from '../engine/certification/watch.ts'
import { openWatchPage } from '../engine/certification/watch-page.ts'
import { targetFrom } from '../engine/configuration/resolve.ts'
import type { TargetDocument } from '../engine/configuration/target.ts'
import { makeFolder } from '../engine/record/make-folder.ts'
import { joined, painted, say, shown } from '../engine/report/terminal.ts'
import { createRedactor } from '../engine/wire/redaction.ts'
import { defaultFolder, TPP_SUITES, version } from './folders.ts'
import { screen } from './progress.ts'
import { report } from './run-target.ts'

/** Judges and prints every request that reaches the bank. */
export async function startWatch(target: TargetDocument, options: { out?: string; port?: number }) {
  const catalogue = loadCatalogue(undefined, 'TPP')
  const suites = await loadTppSuites(TPP_SUITES, catalogue)
  const out = resolve(options.out ?? defaultFolder('watched'))
  makeFolder(out)
  const { secrets } = targetFrom(target)
  const watch = openWatch({ suites, catalogue, out, version, redactor: createRedactor(secrets) })
  const page = await openWatchPage(options.port)
  const { colour } = screen()
  return {
    /** Address of the page, which updates itself. */
    url: page.url,
    see(sighting: BankSighting) {
      const line = watch.see(sighting)
      if (!line) return
      page.show(line)
      say(lineText(line, colour))
    },
    /** Writes the report and prints its summary. */
    async end() {
      await page.close()
      watch.finish()
      await report(out, 'TPP')
      // Watching gives no verdict; only a certification does.
      process.exitCode = 0
    },
  }
}

/** One watched request as a line on the terminal. */
export function lineText(
  { at, method, path, answer, refusal, broken }: WatchedLine,
  colour: boolean,
) {
  const { dim, red, yellow, green, bold } = pc.createColors(colour)
  const paint = broken.some(({ level }) => level === 'must') ? red : broken.length ? yellow : green
  const time = painted(dim, at.slice(11, 19))
  const lines = [shown`${time} ${painted(paint, answer)} ${method} ${path}`]
  if (refusal) lines.push(shown`         refused: ${refusal}`)
  for (const { by, id, level, text, expected, actual } of broken) {
    const who = by === undefined ? '' : `${by} `
    lines.push(shown`         ${who}${painted(bold, id)} (${level}) ${text}`)
    lines.push(shown`         expected ${expected}`, shown`         actual   ${actual}`)
  }
  return joined(lines, '\n')
}
