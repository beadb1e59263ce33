import { renameSync } from 'node:fs'
import { openResumeFile } from '../client-session/resume-file.ts'
import { lasting } from '../client-session/resume-run.ts'
import type { TokenSet } from '../client-session/tokens.ts'
import type { Target } from '../configuration/resolve.ts'
import type { ClientName } from '../configuration/target.ts'
import type { ConsentFacts } from '../wire/exchange.ts'

/** A consent that a customer approved for the monitor. */
export interface KeptApproval {
  /** Name of the row in suites/consents.ts. */
  name: string
  client: ClientName
  /** client_id of the client that requested it. */
  clientId: string
  permissions: readonly string[]
  facts: ConsentFacts
}

type Entry = { approved: KeptApproval } | { of: string; tokens: TokenSet }

export type KeptApprovals = NonNullable<ReturnType<typeof openKeptApprovals>>

/** Number of records above which the file is rewritten with current entries only. */
const MOST = 200

/**
 * Opens the approvals of a monitor and their tokens: encrypted under the signing key of the first client, readable by
 * this user only. Starts an empty file if the existing one belongs to another token endpoint or key.
 *
 * @returns undefined while another live process has it open
 */
export function openKeptApprovals(path: string, target: Target) {
  const options = {
    secret: target.clients.first.signingKey,
    binding: `monitor ${target.endpoints.token}`,
    lifetime: Number.POSITIVE_INFINITY,
  }
  let file = openResumeFile(path, options)
  if (!file) return undefined
  const approvals = new Map<string, KeptApproval>()
  /** By consent. */
  const tokens = new Map<string, TokenSet>()
  for (const entry of file.records as Entry[]) {
    if ('approved' in entry) approvals.set(entry.approved.name, entry.approved)
    else tokens.set(entry.of, lasting(entry.tokens))
  }
  if (file.records.length > MOST) {
    const fresh = openResumeFile(`${path}.new`, { ...options, fresh: true })
    if (fresh) {
      for (const approved of approvals.values()) {
        fresh.append({ approved })
        fresh.append({ of: approved.facts.id, tokens: tokens.get(approved.facts.id) })
      }
      fresh.close()
      file.close()
      renameSync(`${path}.new`, path)
      const again = openResumeFile(path, options)
      if (!again) return undefined
      file = again
    }
  }
  const kept = file
  return {
    all: () =>
      [...approvals.values()].flatMap((approval) => {
        const held = tokens.get(approval.facts.id)
        return held ? [{ approval, tokens: held }] : []
      }),
    add(approved: KeptApproval, held: TokenSet): void {
      approvals.set(approved.name, approved)
      kept.append({ approved } satisfies Entry)
      this.hold(approved.facts.id, held)
    },
    /** Replaces the current tokens. */
    hold(of: string, held: TokenSet): void {
      tokens.set(of, held)
      kept.append({ of, tokens: held } satisfies Entry)
    },
    close: () => kept.close(),
  }
}
