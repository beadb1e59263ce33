import { curl } from './curl.ts'
import { brief } from './escape.ts'
import { headline } from './queries.ts'
import type { CheckResult, ExchangeRecord } from './report.ts'
import { stableUuid } from './stable-uuid.ts'

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
  exchanges: Map<string, ExchangeRecord>,
): AttachmentFile[] {
  const ids = check.exchanges.slice(0, MAX_ATTACHED)
  const files = ids.flatMap((id, i) =>
    attached(i === 0 ? 'exchange' : 'more evidence', exchanges.get(id)),
  )
  if (check.control) files.push(...attached('control', exchanges.get(check.control.exchange)))
  const first = exchanges.get(ids[0] ?? '')
  if (first) {
    files.push({
      name: `curl of ${first.id}`,
      type: 'text/plain',
      source: `${stableUuid(`curl ${first.hash}`)}-attachment.txt`,
      content: `${curl(first)}\n`,
    })
  }
  return files
}

function attached(role: string, exchange: ExchangeRecord | undefined): AttachmentFile[] {
  if (!exchange) return []
  const source = `${stableUuid(`exchange ${exchange.hash}`)}-attachment.json`
  const name = brief(`${role} ${exchange.id} ${headline(exchange)}`, 200)
  return [
    { name, type: 'application/json', source, content: `${JSON.stringify(exchange, null, 2)}\n` },
  ]
}
