import { dirname } from 'node:path'
import type { Document } from 'yaml'
import { filledSource, reason } from '../configuration/interpolate.ts'
import { throwProblems } from '../configuration/target-error.ts'
import { ASSAY, word } from '../record/program.ts'
import { validatorOf } from '../record/validators.ts'
import type { Source } from '../yaml/source.ts'
import { noteViolations } from '../yaml/validate.ts'
import { customerFor } from './client.ts'
import { GOALS, type Goal } from './scenario.ts'

/** How a web application shows the beginning and the end of a goal. */
export interface BrowserPage {
  open: string
  /** Does the application read here as it does while the customer is absent? */
  absent?: boolean
  steps?: { when: string; fill?: Record<string, string>; click?: string }[]
  done: string
  refused: string
}

interface BrowserClient {
  driver: 'browser'
  pages: Partial<Record<Goal, BrowserPage>>
  executable?: string
  trust?: string
}

/** In seconds. */
interface Times {
  settle?: number
  timeout?: number
}

/** A TPP as its file describes it; schemas/assay/tpp.schema.json. */
export interface TppDocument {
  name: string
  client:
    | { driver: 'command'; command: string[]; timeout?: number }
    | (BrowserClient & Times)
    | ({ driver: 'ask' } & Times)
  goals?: Goal[]
  redirectUris?: string[]
  jwks?: string
  transport?: string
  parallel?: number
  port?: number
  state?: string
}

/** The content of a TPP's file, with the folder to which its paths are relative. */
export interface Tpp {
  document: TppDocument
  base: string
  /** Goals that it supports. */
  goals: Goal[]
}

/** Members that a target file has, and the file of a TPP never. */
const OF_A_BANK = ['bank', 'addresses', 'clients', 'customers']

/**
 * Reads a file that describes a TPP.
 *
 * @throws TargetError with all problems as `file:line:column: what is wrong. fix.`
 */
export function readTppFile(path: string, env = process.env): Tpp {
  const unread = (error: NodeJS.ErrnoException) => {
    const absent = error.code === 'ENOENT'
    const why = absent ? 'there is no such file. Correct --tpp' : reason(error)
    return `the file of the TPP cannot be read: ${why}. ${ASSAY} init --tpp ${word(path)} writes one.`
  }
  const ofABank = (document: Document) =>
    !document.has('client') && OF_A_BANK.some((name) => document.has(name))
      ? `this file describes a bank, not a TPP. Name it with --target: ${ASSAY} run --target ${word(path)} judges it.`
      : undefined
  const { source } = filledSource(path, env, unread, ofABank)
  const value: unknown = source.document.toJS()
  const { client } = (value ?? {}) as { client?: { driver?: string } }
  const driver = client?.driver ?? ''
  const known = ['command', 'browser', 'ask']
  if (client && !known.includes(driver)) {
    const found = driver === '' ? 'is missing' : `${driver} is not known`
    const text = `client.driver ${found}. Write one of ${known.join(', ')}.`
    source.complain(['client', 'driver'], text)
    throwProblems(source)
  }
  // Validates against the form of the named driver, so that problems refer to that form.
  if (client) {
    const within: Source = {
      ...source,
      complain: (place, words) => source.complain(['client', ...place], words),
      complainOfKey: (place, words) => source.complainOfKey(['client', ...place], words),
    }
    noteViolations(within, client, validatorOf('tpp', driver))
    throwProblems(source)
  }
  noteViolations(source, value, validatorOf('tpp'))
  throwProblems(source)
  const document = value as TppDocument
  const pages = document.client.driver === 'browser' ? document.client.pages : undefined
  const able = (Object.keys(pages ?? GOALS) as Goal[]).filter(
    (goal) => document.goals?.includes(goal) ?? customerFor(goal) === 'first',
  )
  return { document, base: dirname(path), goals: able }
}
