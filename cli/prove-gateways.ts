import { writeFileSync } from 'node:fs'
import { say, shown } from '../engine/report/terminal.ts'
import { gatewaysPage } from '../proof/gateways/gateways-page.ts'
import { GATEWAYS, type GatewayProof, proveGateways } from '../proof/gateways/prove-gateways.ts'
import { writeMatrix } from './prove-output.ts'
import { called } from './usage.ts'

interface GatewayOptions {
  /** Ids; `true` means all. */
  gateways: string[] | true
  json?: string
  page?: string
}

/** `assay prove --gateways`: exit code 0 when the bank is judged correctly behind each gateway, else 1. */
export async function proveGatewaysOnly(options: GatewayOptions): Promise<void> {
  const chosen =
    options.gateways === true
      ? GATEWAYS
      : options.gateways.map((id) => called('gateway', GATEWAYS, id))
  let done = 0
  const tell = ({ gateway, taken, lacks, complaints }: GatewayProof) => {
    done += 1
    const word = lacks ? 'skip' : complaints.length === 0 ? 'ok  ' : 'FAIL'
    const said = taken
      ? `exit ${taken.exit}, ${taken.whose ?? 'no cause'}, ${taken.seconds.toFixed(0)} s${taken.title ? `: ${taken.title}` : ''}`
      : `no ${lacks ?? 'answer'} here`
    say(shown`${word}  ${done}/${chosen.length} ${gateway.id} (${said})`)
    for (const complaint of complaints) say(shown`      ${complaint}`)
  }
  const proofs = await proveGateways(chosen, tell)
  const tried = proofs.filter(({ lacks }) => !lacks)
  const held = tried.filter(({ complaints }) => complaints.length === 0).length
  const skipped = proofs.filter(({ lacks }) => lacks).length
  say(shown`${held} of ${tried.length} gateways are judged as they should be, ${skipped} not tried`)
  process.exitCode = held === tried.length ? 0 : 1
  if (options.json) writeFileSync(options.json, `${JSON.stringify(proofs)}\n`)
  if (options.page) writeMatrix(options.page, 'gateways.md', gatewaysPage(proofs))
}
