import { existsSync, readFileSync } from 'node:fs'
import { SourceMap } from 'node:module'
import { dirname, relative, resolve } from 'node:path'
import { fileURLToPath } from 'node:url'
import { root } from './root.ts'

/** Where something stands, for an editor and for a link. */
export interface Place {
  /** Relative to the folder of the package, with slashes. */
  file: string
  /** From 1. */
  line: number
}

/** Stacks of the calls that defined each id: an error, of which the stack is made when somebody reads it. */
const calls = new Map<string, Error>()

/** Frames between what a file of suites says and this module: helpers of helpers. */
const DEPTH = 30

/** Takes down who is defining an id: the first who did, where a rule judges under the id of a check. */
export function noteDefinition(id: string): void {
  if (calls.has(id)) return
  calls.set(id, callStack())
}

/** Where an id was defined first; undefined where no file of suites did, or its source is not there. */
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

/** A frame in a file of suites: `at file:///…/data.check.js:12:3`, `at build (/…/data.check.ts?x:12:3)`. */
const FRAME =
  /^at (?:async )?(?:[^()]*\()?([^()?]+\.(?:check|rule|scenario|conduct)\.[jt]s)(?:\?[^:)]*)?:(\d+):(\d+)\)?$/

/** The outermost frame in a file of suites: the statement there, by whatever helpers it defines. */
function placeOf({ stack = '' }: Error): Place | undefined {
  const frames = stack.split('\n').map((line) => FRAME.exec(line.trim()))
  const frame = frames.findLast((found) => found !== null)
  if (!frame) return undefined
  const [, path = '', line, column] = frame
  const file = path.startsWith('file:') ? fileURLToPath(path) : path
  return sourceOf(file, Number(line), Number(column))
}

/** The place in TypeScript, also where it is the built file that ran. */
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
