import { existsSync, mkdirSync, readFileSync, renameSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { createDirectory, type Directory, type DirectoryOptions } from '../bank/directory.ts'
import { packMaterial, unpackMaterial } from '../bank/directory-material.ts'
import { type KeptState, packState, unpackState } from '../bank/kept-state.ts'
import type { Bank } from '../bank/running-bank.ts'
import { UsageError } from './usage.ts'

/** A folder that keeps directory, keys, clients, consents and tokens over restarts. */
export interface StateFolder {
  directory: Directory
  /** What the bank knew when it ended; undefined the first time. */
  kept?: KeptState
  /** Writes down what the bank knows, as soon as it changes. */
  follow(bank: Bank): { stop(): Promise<void> }
}

/** Milliseconds between two looks at what a bank knows. */
const EVERY = 1000

/** @throws UsageError when the folder cannot be used */
export async function openStateFolder(
  folder: string,
  options: DirectoryOptions = {},
): Promise<StateFolder> {
  makeFolder(folder)
  const directoryFile = join(folder, 'directory.json')
  const bankFile = join(folder, 'bank.json')
  const material = read(directoryFile, (json) => unpackMaterial(json as never))
  const kept = read(bankFile, (json) => {
    unpackState(json as KeptState)
    return json as KeptState
  })
  const directory = await createDirectory({ ...options, material }).catch((error) => {
    if ((error as NodeJS.ErrnoException).code !== 'EADDRINUSE') throw error
    throw new UsageError(`${folder} is in use: another bank serves its directory. End that one.`)
  })
  write(directoryFile, JSON.stringify(packMaterial(await directory.material())))
  return {
    directory,
    kept,
    follow(bank) {
      let last = ''
      const save = () => {
        const now = JSON.stringify(packState(bank.services))
        if (now === last) return
        last = now
        write(bankFile, now)
      }
      const timer = setInterval(save, EVERY)
      return {
        async stop() {
          clearInterval(timer)
          save()
          write(directoryFile, JSON.stringify(packMaterial(await directory.material())))
        },
      }
    },
  }
}

function makeFolder(folder: string): void {
  try {
    mkdirSync(folder, { recursive: true, mode: 0o700 })
  } catch (error) {
    const { code } = error as NodeJS.ErrnoException
    if (code === 'EEXIST' || code === 'ENOTDIR') {
      throw new UsageError(`--state takes a folder, and ${folder} is none`)
    }
    throw error
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
