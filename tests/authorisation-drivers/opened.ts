import { startBank } from '../../bank/bank.ts'
import type { Directory } from '../../bank/directory/directory.ts'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { Bank } from '../../bank/running-bank.ts'
import { chooseDriver, type DriverOptions } from '../../engine/authorisation-drivers/choose.ts'
import { findBrowser } from '../../engine/authorisation-drivers/find-browser.ts'
import { createSession, type Session } from '../../engine/client-session/session.ts'
import { targetFrom } from '../../engine/configuration/resolve.ts'
import type { AuthorisationDocument, TargetDocument } from '../../engine/configuration/target.ts'
import { createWire } from '../../engine/wire/wire.ts'
import { owners } from '../../suites/owners.ts'

export const executablePath = findBrowser()

/** Why tests that need a browser are skipped; empty when there is one. */
export const noBrowser = executablePath
  ? ''
  : ' (skipped: no Chromium, Chrome or Edge was found on this machine)'

/** The steps of the reference bank's own pages. */
export const STEPS: NonNullable<AuthorisationDocument['steps']> = [
  {
    when: 'input[name=password]',
    fill: { 'input[name=username]': '{username}', 'input[name=password]': '{password}' },
    click: 'button[type=submit]',
  },
  {
    when: 'button[name=decision]',
    only: 'approve',
    waitFor: 'button[value=approve]',
    tickAll: 'input[name=accounts]',
    click: 'button[value=approve]',
  },
  { when: 'button[name=decision]', only: 'deny', click: 'button[value=deny]' },
]

export interface Opened {
  bank: Bank
  session: Session
  close(): Promise<void>
}

/** A reference bank and a session with it, whose customers go through this driver, or its own. */
export async function open(
  authorisation: AuthorisationDocument | undefined,
  options: DriverOptions & {
    directory: Directory
    change?: (document: TargetDocument) => void
    alterations?: Alteration[]
  },
): Promise<Opened> {
  const bank = await startBank({ directory: options.directory, alterations: options.alterations })
  const document = structuredClone(bank.target) as TargetDocument
  if (authorisation) document.authorisation = authorisation
  options.change?.(document)
  const target = targetFrom(document)
  const wire = createWire(target)
  try {
    const session = createSession({
      owners,
      target,
      wire,
      driver: chooseDriver(target, wire, options),
      schemas: [],
      rules: [],
    })
    return {
      bank,
      session,
      async close() {
        await session.close()
        await bank.close()
      },
    }
  } catch (error) {
    await bank.close()
    throw error
  }
}
