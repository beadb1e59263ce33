import { afterAll } from 'vitest'
import { type BankOptions, startBank } from '../../bank/bank.ts'
import type { Directory } from '../../bank/directory/directory.ts'
import type { Bank } from '../../bank/running-bank.ts'
import { openDirectory } from '../directory.ts'
import { createTpp, type Tpp } from './tpp.ts'

/** One directory for the file; banks and TPPs are closed after its tests. */
export async function directoryOfFile(): Promise<Directory> {
  const directory = await openDirectory()
  afterAll(() => directory.close())
  return directory
}

export interface Opened {
  bank: Bank
  first: Tpp
  second: Tpp
}

/** A bank with both TPPs registered. */
export async function open(options: BankOptions & { directory: Directory }): Promise<Opened> {
  const bank = await startBank(options)
  const first = createTpp(bank)
  const second = createTpp(bank, 'second')
  for (const tpp of [first, second]) {
    const answer = await tpp.register()
    if (answer.status !== 201) throw new Error(answer.text)
  }
  return { bank, first, second }
}

export async function shut({ bank, first, second }: Opened): Promise<void> {
  await Promise.all([first.close(), second.close()])
  await bank.close()
}

/** A bank for the whole file. */
export async function openForFile(
  options: BankOptions & { directory: Directory },
): Promise<Opened> {
  const opened = await open(options)
  afterAll(() => shut(opened))
  return opened
}
