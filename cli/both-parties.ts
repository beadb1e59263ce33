import { join } from 'node:path'
import { makeFolder } from '../engine/record/make-folder.ts'
import type { Report } from '../engine/report/report.ts'
import { say, shown, shownLines } from '../engine/report/terminal.ts'
import { forgetEarlier } from './preparation.ts'
import { report } from './run-target.ts'

/** When both parties are judged, each has its own folder. */
export interface FoldersOfBoth {
  bank: string
  tpp: string
}

/** Makes a folder for both reports, with a folder for each in it. Removes what an earlier judgement left there. */
export function makeFoldersOfBoth(out: string): FoldersOfBoth {
  const folders = { bank: join(out, 'bank'), tpp: join(out, 'tpp') }
  for (const folder of [out, folders.bank, folders.tpp]) {
    makeFolder(folder)
    forgetEarlier(folder)
  }
  return folders
}

/**
 * Prints a summary of both reports and sets the exit code: 1 when either party broke a must.
 *
 * @param options.ofBank options for the bank's report only
 */
export async function tellBoth(
  reports: { bank: Report; tpp: Report },
  folders: FoldersOfBoth,
  options: { failOn: string; tppName: string; ofBank?: Parameters<typeof report>[2] },
): Promise<void> {
  const { failOn, tppName, ofBank } = options
  const sides = [
    { side: 'bank', folder: folders.bank, said: reports.bank, who: reports.bank.target.name },
    { side: 'TPP', folder: folders.tpp, said: reports.tpp, who: tppName },
  ] as const
  const codes: number[] = []
  for (const { side, folder, said, who } of sides) {
    say(shownLines(''), shown`${side === 'bank' ? 'The bank' : 'The TPP'}, ${who}:`)
    const isBank = side === 'bank'
    // A TPP that was only watched gets no verdict, so that what was not judged does not set the exit code.
    const failing = failOn === 'should' ? { failOn } : {}
    await report(folder, side, { ...failing, ...(isBank && ofBank) })
    const broke = said.exitCode === 1 || said.exitCode === 5
    codes.push(broke || isBank ? Number(process.exitCode) : shouldsBroken(said, failOn))
  }
  const worst = [130, 5, 1, 4].find((code) => codes.includes(code))
  process.exitCode = worst ?? 0
}

const shouldsBroken = ({ checks }: Report, failOn: string): number =>
  failOn === 'should' && checks.some(({ outcome }) => outcome === 'warn') ? 1 : 0
