import { endpointsOf, layoutOf } from '../configuration/addresses.ts'
import { settlingTimeOf, type Target, USUAL_INTENT_CLAIM } from '../configuration/resolve.ts'
import { secretsOf } from '../configuration/secrets.ts'
import type { TargetDocument } from '../configuration/target.ts'

/** The parts of a target that are needed to judge a recording: no key, because nothing is sent. */
export interface RecordingTarget
  extends Pick<
    Target,
    'layout' | 'endpoints' | 'clockTolerance' | 'settlingTime' | 'intentClaim' | 'secrets'
  > {
  literals: NonNullable<TargetDocument['literals']>
  /** Names of the target's clients by client_id. */
  clients: ReadonlyMap<string, string>
}

export function recordingTarget(document: TargetDocument): RecordingTarget {
  const { clients, literals = {} } = document
  const named = Object.entries(clients).flatMap(([name, client]): [string, string][] =>
    client?.clientId === undefined ? [] : [[client.clientId, name]],
  )
  return {
    layout: layoutOf(document.addresses),
    endpoints: endpointsOf(document),
    clockTolerance: document.clockTolerance ?? 60,
    settlingTime: settlingTimeOf(document),
    intentClaim: literals.intentClaim ?? USUAL_INTENT_CLAIM,
    secrets: secretsOf(document),
    literals,
    clients: new Map(named),
  }
}
