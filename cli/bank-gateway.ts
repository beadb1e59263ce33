import { writeFileSync } from 'node:fs'
import type { Bank } from '../bank/running-bank.ts'
import { say, shown } from '../engine/report/terminal.ts'

/**
 * Prints what a gateway in front of the reference bank needs: where the bank listens and which headers it reads. Writes
 * beside the target file the certificate and key to serve with, and the authorities of clients' certificates.
 *
 * @param info the target file, as for `--info`.
 */
export function tellGateway(
  { listeners, services: { directory } }: Pick<Bank, 'listeners' | 'services'>,
  info: string | undefined,
): void {
  say(shown`The gateway serves, and passes on with the Host that it was asked for:`)
  for (const { address, port, mutual } of listeners) {
    const asks = mutual ? ', asks for a client certificate' : ''
    say(shown`  ${address} from http://127.0.0.1:${port}${asks}`)
  }
  say(
    shown`It sets Client-Cert (the client’s certificate), and Client-Verify where it is not valid.`,
  )
  if (info === undefined) return
  const beside = info.replace(/\.[^./]*$/, '')
  const files = {
    'server.pem': directory.server.certificate,
    'server.key': directory.server.key,
    'clients.pem': directory.transportAuthorities.join(''),
  }
  for (const [name, text] of Object.entries(files)) {
    writeFileSync(`${beside}.${name}`, text, { mode: 0o600 })
  }
  say(shown`For the gateway: ${beside}.{server.pem,server.key,clients.pem}`)
}
