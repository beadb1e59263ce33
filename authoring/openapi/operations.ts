import { join } from 'node:path'
import { root } from '../../engine/record/root.ts'
import type { Endpoint } from '../../engine/wire/exchange.ts'
import { readList } from '../../engine/yaml/list.ts'

/** One operation of an interface, as the table of endpoints lists it. */
export interface Operation {
  id: Exclude<Endpoint, 'jwks' | 'elsewhere'>
  document: 'account-information' | 'product-information'
  /** Words of its row, within one line of the document. */
  quote: string
  /** Placeholder of the base address of the path. */
  server: string
  method: string
  path: string
  operationId: string
  summary: string
  description?: string
  /**
   * A second path that a document allows for it, with an operationId and summary of its own, as these must be unique.
   */
  also?: { path: string; operationId: string; summary: string }
  tag: string
  authentication: 'none' | 'mutual-tls' | 'client-token' | 'customer-token'
  parameters?: {
    name: string
    in: 'path' | 'query' | 'header'
    required?: boolean
    description: string
    format?: string
    enum?: string[]
  }[]
  request?: { type: string; schema: string }
  /** Status of a successful answer. */
  success: string
  /** Status or family of statuses → what it means. */
  refusals?: Record<string, string>
}

/**
 * Reads specs/operations.yaml.
 *
 * @throws Error that lists each mistake as `file:line:column: what is wrong. mend.`
 */
export function loadOperations(file = join(root, 'specs', 'operations.yaml')): Operation[] {
  const problems: string[] = []
  const operations = readList<Operation>(file, 'operations', problems)
  if (problems.length > 0) throw new Error(problems.join('\n'))
  return operations.map(({ value }) => value)
}

/** Each operation at each of its paths. */
export function placed(operations: Operation[]): Operation[] {
  return operations.flatMap(({ also, ...operation }) =>
    also ? [operation, { ...operation, ...also }] : [operation],
  )
}
