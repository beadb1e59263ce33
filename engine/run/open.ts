import { existsSync, rmSync } from 'node:fs'
import { join } from 'node:path'
import { chooseDriver, type DriverOptions } from '../authorisation-drivers/choose.ts'
import { openClientStore } from '../client-session/client-store.ts'
import { createDeadline } from '../client-session/deadline.ts'
import { openResumeFile } from '../client-session/resume-file.ts'
import { type ResumableRun, resumableRun } from '../client-session/resume-run.ts'
import { createSession, type Session } from '../client-session/session.ts'
import type { Target } from '../configuration/resolve.ts'
import { DAY } from '../record/durations.ts'
import { shown, write } from '../report/terminal.ts'
import type { Exchange } from '../wire/exchange.ts'
import { createWire } from '../wire/wire.ts'
import type { Suites } from './suites.ts'

type SessionParts = Parameters<typeof createSession>[0]

/** Opens a session with a target: its wire, its driver, its rules. */
export function openSession(
  parts: Pick<SessionParts, 'target' | 'onExchange' | 'operator'> & {
    suites: Suites
    /** Folder that stores a bank's clients and leftovers; without it nothing is stored. */
    memory?: string
    /** Removes the run's secrets from what is stored. */
    redact?: (text: string) => string
    /** Saves the run where the target says so; without it nothing outlives the process. */
    keep?: { binding: string; fresh: boolean }
    /** What the run tells its driver; without it nobody learns that the run waits. */
    approvals?: DriverOptions
    /** Minutes after which nothing more is sent to the bank. */
    deadline?: number
  },
): Session {
  const { target, suites, onExchange, operator, memory, keep } = parts
  const keptPath = memory === undefined ? undefined : join(memory, `${target.name}.visits`)
  const resumable = keep && keptPath ? keptRunOf(target, keptPath, keep) : undefined
  const sent = (resumable?.earlier.exchanges ?? []).map(numberOf)
  const wire = createWire(target, Math.max(0, ...sent))
  const deadline = createDeadline(parts.deadline)
  const onWaiting = (what?: string) => {
    deadline.waiting(what)
    parts.approvals?.onWaiting?.(what)
  }
  const driver = chooseDriver(target, wire, { ...parts.approvals, onWaiting })
  const remembered = memory !== undefined && {
    clients: openClientStore(join(memory, `${target.name}.clients.json`), target, parts.redact),
    leftovers: join(memory, `${target.name}.leftovers.jsonl`),
  }
  return createSession({
    ...suites,
    ...{ target, onExchange, operator },
    ...{ wire, driver, onWaiting, deadline, resumable },
    keeps: () => keptPath !== undefined && existsSync(keptPath),
    ...remembered,
  })
}

/** In milliseconds: approvals in an older file are requested again. */
const LIFETIME = DAY

function keptRunOf(
  target: Target,
  path: string,
  { binding, fresh }: { binding: string; fresh: boolean },
): ResumableRun | undefined {
  if (target.document.authorisation.keep !== 'file') {
    rmSync(path, { force: true })
    return undefined
  }
  const secret = target.clients.first.signingKey
  const file = openResumeFile(path, { secret, binding, lifetime: LIFETIME, fresh })
  if (file) return resumableRun(file)
  write(process.stderr, shown`Another run has ${path}: approvals of this one are not kept.`)
  return undefined
}

/** The 7 of x7; 0 if a browser or a person saw a redirect, because Assay sent no request then. */
const numberOf = ({ id }: Exchange) => (id.startsWith('x') ? Number(id.slice(1)) : 0)
