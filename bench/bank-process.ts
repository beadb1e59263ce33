import { startBank } from '../bank/bank.ts'
import { createDirectory } from '../bank/directory/directory.ts'

/**
 * The reference bank in its own process, like a real bank. `open` starts a new bank and answers with its target; any
 * other message is answered with the CPU time so far in milliseconds.
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
