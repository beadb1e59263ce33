import { type ChildProcess, spawn } from 'node:child_process'
import { existsSync, readdirSync, readFileSync, writeFileSync } from 'node:fs'
import { join, resolve } from 'node:path'
import { stringify } from 'yaml'
import type { TargetDocument } from '../../engine/configuration/target.ts'
import type { Report } from '../../engine/report/report.ts'
import { main } from '../built.ts'

const root = resolve(import.meta.dirname, '..', '..')

/** A command that runs in a process of its own, in a process group of its own. */
export interface Command {
  child: ChildProcess
  /** Resolves once everything that it wrote has been read. */
  ended: Promise<{ code: number | null; stdout: string; stderr: string; seconds: number }>
  /** What it has written to its standard output so far. */
  written(): string
}

/** The real command line: `assay` with these words, in a folder. */
export function assay(words: string[], env: Record<string, string> = {}, cwd = root): Command {
  const began = Date.now()
  const inherited = Object.fromEntries(
    Object.entries(process.env).filter(([name]) => !/^(VITEST|NODE_ENV$|GITHUB_)/.test(name)),
  )
  const child = spawn(process.execPath, [main, ...words], {
    cwd,
    env: { ...inherited, ...env },
    stdio: ['ignore', 'pipe', 'pipe'],
    detached: true,
  })
  const streams = [child.stdout, child.stderr].map((stream) => {
    const chunks: Buffer[] = []
    stream.on('data', (chunk: Buffer) => chunks.push(chunk))
    return chunks
  })
  const [stdout, stderr] = streams.map((chunks) => () => Buffer.concat(chunks).toString('utf8'))
  const ended = new Promise<number | null>((done) => child.on('close', done)).then((code) => ({
    code,
    stdout: stdout?.() ?? '',
    stderr: stderr?.() ?? '',
    seconds: (Date.now() - began) / 1000,
  }))
  return { child, ended, written: () => stdout?.() ?? '' }
}

/** Ctrl-C: every process of the terminal gets it. */
export function interrupt({ child }: Command): void {
  process.kill(-(child.pid ?? 0), 'SIGINT')
}

/** Writes a target file; its path. */
export function targetFile(folder: string, document: TargetDocument): string {
  const file = join(folder, 'target.yaml')
  writeFileSync(file, stringify(document, { lineWidth: 0 }), { mode: 0o600 })
  return file
}

export function reportOf(out: string): Report {
  return JSON.parse(readFileSync(join(out, 'report.json'), 'utf8')) as Report
}

/** Waits until a condition holds; throws when the command ends before. */
export async function until(
  holds: () => boolean,
  { child, ended }: Command,
  seconds = 60,
): Promise<void> {
  const end = Date.now() + seconds * 1000
  while (!holds()) {
    if (child.exitCode !== null) throw new Error(`it ended before: ${(await ended).stderr}`)
    if (Date.now() > end) throw new Error(`waited ${seconds} s`)
    await new Promise((done) => setTimeout(done, 20))
  }
}

/** Exchanges that a run has written down so far. */
export function exchangesIn(out: string): number {
  const file = join(out, 'exchanges.jsonl')
  return existsSync(file) ? readFileSync(file, 'utf8').split('\n').length - 1 : 0
}

/** The process that judges, as its journal names it. */
export function judgingProcess(out: string): number {
  const [line = ''] = readFileSync(join(out, 'judged.jsonl'), 'utf8').split('\n')
  return (JSON.parse(line) as { pid: number }).pid
}

/** Every file below a folder, with its content. */
export function filesIn(folder: string): [file: string, content: string][] {
  return readdirSync(folder, { recursive: true, withFileTypes: true })
    .filter((entry) => entry.isFile())
    .map((entry) => join(entry.parentPath, entry.name))
    .map((file) => [file, readFileSync(file, 'utf8')])
}
