import { readFileSync, writeFileSync } from 'node:fs'
import { join } from 'node:path'
import { type BankOptions, startBank } from '../bank/bank.ts'
import {
  createDirectory,
  type Directory,
  type DirectoryOptions,
} from '../bank/directory/directory.ts'
import {
  type DirectoryMaterial,
  packMaterial,
  unpackMaterial,
} from '../bank/directory/directory-material.ts'
import type { Bank } from '../bank/running-bank.ts'
import { madeOnce } from './once.ts'

/** A directory of the keys and certificates that are made once for all files. */
export async function openDirectory(options: DirectoryOptions = {}): Promise<Directory> {
  return createDirectory({ ...options, material: await material() })
}

/** A bank with such a directory, which ends with it. */
export async function openBank(options: BankOptions = {}): Promise<Bank> {
  const directory = await openDirectory()
  const bank = await startBank({ ...options, directory })
  const { close } = bank
  bank.close = async () => {
    await close()
    await directory.close()
  }
  return bank
}

async function material(): Promise<DirectoryMaterial> {
  const made = await madeOnce('directory', async (folder) => {
    const directory = await createDirectory()
    const packed = packMaterial(await directory.material())
    await directory.close()
    writeFileSync(join(folder, 'material.json'), JSON.stringify({ ...packed, port: 0 }))
  })
  return unpackMaterial(JSON.parse(readFileSync(join(made, 'material.json'), 'utf8')))
}
