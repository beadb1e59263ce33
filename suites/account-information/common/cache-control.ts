import type { Exchange } from '../../../engine/suite-api/responses.ts'

/** The directives of Cache-Control in small letters, without their values (RFC 9111 5.2); those of several lines are one list. */
export function directivesOf({ response }: Exchange): string[] {
  const lines = response?.headers.filter(([name]) => name.toLowerCase() === 'cache-control') ?? []
  return lines
    .flatMap(([, value]) => value.split(','))
    .map((directive) => (directive.split('=')[0] ?? '').trim().toLowerCase())
    .filter((directive) => directive !== '')
}
