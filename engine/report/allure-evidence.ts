import { curl } from './curl.ts'
import { brief } from './escape.ts'
import { headline } from './queries.ts'
import type { CheckResult, ExchangeRecord } from './report.ts'
import { stableUuid } from './status-map.ts'

/** Exchanges that are attached to one check. */
const MAX_ATTACHED = 5

export interface AttachmentFile {
  name: string
  type: string
  source: string
  content: string
}

/**
 * Exchanges, control and curl command of a check, as files of allure-results/. An exchange stands once
 * in the folder, however many checks it is evidence of.
 */
export function evidence(
  check: CheckResult,
  exchanges: ReadonlyMap<string, ExchangeRecord>,
): AttachmentFile[] {
  const attached = (role: string, id = ''): AttachmentFile[] => {
    const exchange = exchanges.get(id)
    if (!exchange) return []
    const source = `${stableUuid(`exchange ${exchange.hash}`)}-attachment.json`
    const name = brief(`${role} ${exchange.id} ${headline(exchange)}`, 200)
    const content = `${JSON.stringify(exchange, null, 2)}\n`
    return [{ name, type: 'application/json', source, content }]
  }
  const ids = check.exchanges.slice(0, MAX_ATTACHED)
  const files = ids.flatMap((id, i) => attached(i === 0 ? 'exchange' : 'more evidence', id))
  files.push(...attached('control', check.control?.exchange))
  const first = exchanges.get(ids[0] ?? '')
  if (!first) return files
  const source = `${stableUuid(`curl ${first.hash}`)}-attachment.txt`
  const name = `curl of ${first.id}`
  return [...files, { name, type: 'text/plain', source, content: `${curl(first)}\n` }]
}
