import { startBank } from '../bank/bank.ts'
import { createDirectory } from '../bank/directory/directory.ts'

/**
 * The reference bank in a process of its own, as banks are: `open` starts a fresh one and answers with its
 * target, anything else is answered with the milliseconds of processor that were spent so far.
 */
const directory = await createDirectory()
let close = async () => {}

process.on('message', async (word: string) => {
  if (word === 'open') {
    await close()
    const bank = await startBank({ directory })
    close = bank.close
    process.send?.(bank.target)
    return
  }
  const { user, system } = process.cpuUsage()
  process.send?.((user + system) / 1000)
})
