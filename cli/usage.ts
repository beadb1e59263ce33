import { readPlain } from '../engine/record/read-plain.ts'

/** What the user typed cannot be meant. */
export class UsageError extends Error {}

/** The text of a file that an option names. */
export function textOf(option: string, file: string): string {
  try {
    return readPlain(file).toString('utf8')
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    throw new UsageError(`${option} ${file} can't be read: ${code ?? (error as Error).message}`)
  }
}

/** Catches what opening a port ends with: where it is taken, that is a mistake of usage. */
export function portTaken(say: (port: number | undefined) => string) {
  return (error: NodeJS.ErrnoException & { port?: number }): never => {
    throw error.code === 'EADDRINUSE' ? new UsageError(say(error.port)) : error
  }
}

/** A whole number of an option, within bounds. */
export function number(option: string, text: string | undefined, most: number): number | undefined {
  if (text === undefined) return undefined
  const value = Number(text)
  if (Number.isInteger(value) && value >= 0 && value <= most) return value
  throw new UsageError(`${option} takes a whole number from 0 to ${most}, not ${text}`)
}
