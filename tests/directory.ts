import { createDirectory, type Directory } from '../bank/directory.ts'
import type { DirectoryMaterial } from '../bank/directory-material.ts'

let material: Promise<DirectoryMaterial> | undefined

/** A directory whose keys and certificates are made once for all tests of a file. */
export async function openDirectory(): Promise<Directory> {
  material ??= madeOnce()
  return createDirectory({ material: await material })
}

async function madeOnce(): Promise<DirectoryMaterial> {
  const directory = await createDirectory()
  const made = await directory.material()
  await directory.close()
  return { ...made, port: 0 }
}
