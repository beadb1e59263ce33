import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './root.ts'

/** A position in a source file, for an editor or a link. */
export interface Place {
  /** Relative to the folder of the package, with slashes. */
  file: string
  /** Starts at 1. */
  line: number
}

/** Stacks of the calls that defined each id: errors, whose stack text is only built when it is read. */
const calls = new Map<string, Error>()

/** Maximum number of frames between a file of the suites and this module: helpers can be nested. */
const DEPTH = 30

/** Records who defines an id: the first call counts, where a rule judges under the id of a check. */
export function noteDefinition(id: string): void {
  if (calls.has(id)) return
  calls.set(id, callStack())
}

/** Where an id was defined first; undefined if no file of the suites did, or its source is absent. */
export function definitionOf(id: string): Place | undefined {
  const call = calls.get(id)
  return call && placeOf(call)
}

/** `ID is defined twice`, with both places where they are known. */
export function definedTwice(id: string): Error {
  const [place, before] = [placeOf(callStack()), definitionOf(id)]
  const here = place ? `${place.file}:${place.line}: ` : ''
  const there = before ? `, before this in ${before.file}:${before.line}.` : ''
  return new Error(`${here}${id} is defined twice${there}`)
}

function callStack(): Error {
  const { stackTraceLimit } = Error
  Error.stackTraceLimit = DEPTH
  const call = new Error()
  Error.stackTraceLimit = stackTraceLimit
  return call
}

/** A frame in a file of the suites: `at file:///…/data.check.js:12:3`, `at build (/…/data.check.ts?x:12:3)`. */
const FRAME =
  /^at (?:async )?(?:[^()]*\()?([^()?]+\.(?:check|rule|scenario|conduct)\.[jt]s)(?:\?[^:)]*)?:(\d+):(\d+)\)?$/

/** The outermost frame in a file of the suites: the statement there, whatever helpers it uses. */
function placeOf({ stack = '' }: Error): Place | undefined {
  const frames = stack.split('\n').map((line) => FRAME.exec(line.trim()))
  const frame = frames.findLast((found) => found !== null)
  if (!frame) return undefined
  const [, path = '', line, column] = frame
  const file = path.startsWith('file:') ? fileURLToPath(path) : path
  return sourceOf(file, Number(line), Number(column))
}

/** The position in TypeScript, even where the built file ran. */
function sourceOf(file: string, line: number, column: number): Place | undefined {
  if (file.endsWith('.ts')) return { file: fromRoot(file), line }
  const map = `${file}.map`
  if (!existsSync(map)) return undefined
  const entry = mapOf(map).findEntry(line - 1, column - 1)
  if (!('originalSource' in entry)) return undefined
  const source = resolve(dirname(file), entry.originalSource)
  return existsSync(source) ? { file: fromRoot(source), line: entry.originalLine + 1 } : undefined
}

const maps = new Map<string, SourceMap>()

function mapOf(file: string): SourceMap {
  const known = maps.get(file) ?? new SourceMap(JSON.parse(readFileSync(file, 'utf8')))
  maps.set(file, known)
  return known
}

const fromRoot = (file: string) => relative(root, file).replaceAll('\\', '/')
