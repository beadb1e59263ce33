import { existsSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDirectory, type DirectoryOptions } from '../bank/directory/directory.ts'
import { packMaterial, unpackMaterial } from '../bank/directory/directory-material.ts'
import type { Bank } from '../bank/running-bank.ts'
import { type KeptState, packState, unpackState } from '../bank/state/kept-state.ts'
import { every } from '../engine/record/every.ts'
import { makeFolder } from '../engine/record/make-folder.ts'
import { portTaken, UsageError } from './usage.ts'

export type StateFolder = Awaited<ReturnType<typeof openStateFolder>>

/** Milliseconds between two checks for a changed state of the bank. */
const EVERY = 1000

/**
 * Opens a folder that keeps directory, keys, clients, consents and tokens when the bank restarts.
 *
 * @throws UsageError when the folder cannot be used
 */
export async function openStateFolder(folder: string, options: DirectoryOptions = {}) {
  stateFolder(folder)
  const directoryFile = join(folder, 'directory.json')
  const bankFile = join(folder, 'bank.json')
  const material = read(directoryFile, (json) => unpackMaterial(json as never))
  const kept = read(bankFile, (json) => {
    unpackState(json as KeptState)
    return json as KeptState
  })
  const taken = () => `${folder} is in use: another bank serves its directory. End that one.`
  const directory = await createDirectory({ ...options, material }).catch(portTaken(taken))
  const keepDirectory = async () => {
    write(directoryFile, JSON.stringify(packMaterial(await directory.material())))
  }
  await keepDirectory()
  return {
    directory,
    /** The bank's state when it ended; undefined the first time. */
    kept,
    /** Saves the bank's state whenever it changes. */
    follow(bank: Bank) {
      let last = ''
      const save = () => {
        const now = JSON.stringify(packState(bank.services))
        if (now === last) return
        write(bankFile, now)
        last = now
      }
      const timer = every(EVERY, save)
      return {
        async stop() {
          clearInterval(timer)
          save()
          await keepDirectory()
        },
      }
    },
  }
}

function stateFolder(folder: string): void {
  try {
    makeFolder(folder, 0o700)
  } catch (error) {
    throw new UsageError(
      `--state takes a folder, and ${folder} is none: ${(error as Error).message}`,
    )
  }
}

/** @throws UsageError when the file is not JSON, or not in the form that a bank writes */
function read<Value>(file: string, unpacked: (json: unknown) => Value): Value | undefined {
  if (!existsSync(file)) return undefined
  try {
    return unpacked(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'a bank did not write it so'
    throw new UsageError(`${file} cannot be read: ${why}. Remove it.`)
  }
}

/** Writes a temporary file and renames it, so that the file is never incomplete. It contains private keys. */
function write(file: string, text: string): void {
  writeFileSync(`${file}.tmp`, text, { mode: 0o600 })
  renameSync(`${file}.tmp`, file)
}
