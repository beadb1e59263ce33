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

/** Milliseconds between two looks at what a bank knows. */
const EVERY = 1000

/**
 * Opens a folder that keeps directory, keys, clients, consents and tokens over restarts.
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
    /** What the bank knew when it ended; undefined the first time. */
    kept,
    /** Writes down what the bank knows, as soon as it changes. */
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

/** @throws UsageError where it is no JSON, or not what a bank wrote there */
function read<Value>(file: string, unpacked: (json: unknown) => Value): Value | undefined {
  if (!existsSync(file)) return undefined
  try {
    return unpacked(JSON.parse(readFileSync(file, 'utf8')))
  } catch (error) {
    const why = error instanceof SyntaxError ? error.message : 'a bank did not write it so'
    throw new UsageError(`${file} cannot be read: ${why}. Remove it.`)
  }
}

/** Written beside its place and moved there: none is ever half there. It holds private keys. */
function write(file: string, text: string): void {
  writeFileSync(`${file}.tmp`, text, { mode: 0o600 })
  renameSync(`${file}.tmp`, file)
}
