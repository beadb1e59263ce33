import type { Target } from '../configuration/resolve.ts'
import type { Authority } from './authority.ts'
import { createBeside } from './beside.ts'
import { openHosts } from './hosts.ts'
import { openParties, type PartiesParts } from './parties.ts'
import { openProxy } from './server.ts'

export interface JudgedProxyParts extends Omit<PartiesParts, 'onTrouble'> {
  target: Target
  authority: Authority
  /** Where clients find it; port 0: any free port. */
  listen: { host: string; port: number }
  /** Authorities whose tunnels are passed on unread. */
  pass: readonly string[]
  /** Called with events that concern neither party: refused hosts, a bank that gave no answer. Without secrets. */
  onBeside(text: string): void
}

/** A proxy that judges both parties by what passes through it. */
export type JudgedProxy = Awaited<ReturnType<typeof openJudgedProxy>>

/** Opens a proxy between a TPP and a target that judges both. */
export async function openJudgedProxy(parts: JudgedProxyParts) {
  const { target, authority, listen, pass, onBeside } = parts
  const parties = openParties({
    ...parts,
    onTrouble: ({ message }) => beside.count(`not judged, by a mistake of Assay: ${message}`),
  })
  const beside = createBeside((text) => onBeside(parties.redact(text)))
  const hosts = openHosts(target, pass, (host) =>
    beside.count(`the bank names one more host of its own, which is read too: ${host}`),
  )
  const proxy = await openProxy({
    ...{ target, authority, hosts, ...listen },
    onPassed(passed) {
      hosts.learn(passed)
      beside.passed(passed)
      parties.take(passed)
    },
    onBeside: beside.note,
  })
  return {
    url: proxy.url,
    folders: parties.folders,
    hosts: hosts.all,
    /** Closes the proxy, and writes both reports. */
    async finish() {
      await proxy.close()
      return parties.finish(beside.notes())
    },
  }
}
