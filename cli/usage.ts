import type { Command } from 'commander'
import { DAY, HOUR } from '../engine/record/durations.ts'
import { readText } from '../engine/record/read-plain.ts'
import { nearest } from '../engine/yaml/nearest.ts'

/** What the user typed is not valid. */
export class UsageError extends Error {}

/** @throws UsageError if an option has an empty value: shells pass a variable that is not set as one */
export function requireValues(command: Command): void {
  for (const option of command.options) {
    const values = [command.getOptionValue(option.attributeName())].flat()
    if (!values.includes('')) continue
    const name = option.long ?? option.flags
    throw new UsageError(
      `${name} is empty: its variable may not be set. Leave ${name} out, or give a value.`,
    )
  }
}

const UNREAD: Record<string, string> = {
  ENOENT: 'there is no such file',
  EACCES: 'permission is denied',
}

/** The text of a file that an option names. */
export function textOf(option: string, file: string): string {
  try {
    return readText(file)
  } catch (error) {
    const { code = '', message } = error as NodeJS.ErrnoException
    throw new UsageError(`${option} ${file} can't be read: ${UNREAD[code] ?? message}`)
  }
}

/** A full or broken disk is not a mistake of usage. */
const OF_THE_DISK = ['ENOSPC', 'EDQUOT', 'EIO', 'EFBIG', 'EMFILE', 'ENFILE']

/** Writes to the path of an option. A path that cannot be written is a mistake of usage. */
export async function written<T>(
  option: string,
  path: string,
  write: () => T | Promise<T>,
): Promise<T> {
  try {
    return await write()
  } catch (error) {
    const { code, syscall, message } = error as NodeJS.ErrnoException
    const isUsage = syscall !== undefined && !OF_THE_DISK.includes(code ?? '')
    throw isUsage ? new UsageError(`${option} ${path} can't be written to: ${message}`) : error
  }
}

/** Handles an error when a port is opened: a port in use is a mistake of usage. */
export function portTaken(say: (port: number | undefined) => string) {
  return (error: NodeJS.ErrnoException & { port?: number }): never => {
    throw error.code === 'EADDRINUSE' ? new UsageError(say(error.port)) : error
  }
}

/** A whole number of an option, within limits. */
export function number(option: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0 && value <= most) return value
  throw new UsageError(`${option} takes a whole number from 0 to ${most}, not ${text}`)
}

const UNITS: Record<string, number> = { s: 1000, m: 60_000, h: HOUR, d: DAY }

/** A duration of an option in milliseconds: `30s`, `5m`, `6h` or `2d`. */
export function duration(option: string, text: string | undefined): number | undefined {
  if (text === undefined) return undefined
  const [, digits = '', unit = ''] = /^(\d{1,6})([smhd])$/.exec(text) ?? []
  const value = Number(digits) * (UNITS[unit] ?? Number.NaN)
  if (!Number.isNaN(value)) return value
  throw new UsageError(`${option} takes a duration such as 30s, 5m, 6h or 2d, not ${text}`)
}

/**
 * An instant of an option, in milliseconds since the epoch: UTC, `2027-01-31T06:00:00Z`, or a duration from now.
 *
 * @param from now, in milliseconds since the epoch
 */
export function instantAfter(
  option: string,
  text: string | undefined,
  from: number,
): number | undefined {
  if (text === undefined) return undefined
  if (/^\d+[smhd]$/.test(text)) return from + (duration(option, text) ?? 0)
  const value = /^\d{4}-\d\d-\d\dT\d\d:\d\d(:\d\d)?Z$/.test(text) ? Date.parse(text) : Number.NaN
  if (value > from) return value
  const why = Number.isNaN(value) ? '' : ', which is over'
  throw new UsageError(
    `${option} takes a duration such as 8h, or an instant to come such as 2027-01-31T06:00:00Z, not ${text}${why}`,
  )
}

/** Maximum number of names on one line. */
const MOST_LISTED = 12

/** The element with this id. The error suggests the closest one. */
export function called<Each extends { id: string }>(
  what: string,
  all: readonly Each[],
  id: string,
): Each {
  const found = all.find((each) => each.id === id)
  if (found) return found
  const ids = all.map((each) => each.id)
  const meant = nearest(id, ids)
  const few = ids.length > MOST_LISTED ? '' : `. There are ${ids.join(', ')}`
  throw new UsageError(`no ${what} is called ${id}${meant ? `, did you mean ${meant}?` : few}`)
}
