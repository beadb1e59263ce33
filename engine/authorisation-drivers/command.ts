import { type Driver, ourStop, type VisitEnd, type VisitRequest } from './driver.ts'
import { complaintOf, failureOf, lastLine, run } from './program.ts'

/**
 * Passes the link to a program of the user's, which prints the final redirect on its last line. A line `stopped: why`
 * says that the bank's pages end without a redirect. The link is the last argument and ASSAY_URL; ASSAY_DECISION is
 * approve or deny, ASSAY_CUSTOMER first or second, ASSAY_PURPOSE a sentence.
 *
 * @param redact removes secrets from the program's complaint before it is shown.
 */
export function commandDriver(options: {
  command: string[]
  /** Directory that the program is relative to, and in which it runs. */
  base: string
  /** Maximum milliseconds for one visit. */
  patience: number
  redact: (text: string) => string
}): Driver {
  const { command, base, patience, redact } = options
  const interruption = new AbortController()
  const [name = ''] = command
  return {
    async visit(request) {
      const ran = await run({
        command: [...command, request.url],
        base,
        patience,
        signal: interruption.signal,
        env: {
          ASSAY_URL: request.url,
          ASSAY_DECISION: request.decision,
          ASSAY_CUSTOMER: request.customerName,
          ASSAY_PURPOSE: request.purpose,
          ASSAY_ACCOUNTS: request.oneAccount ? 'one' : 'all',
        },
      })
      const failure = failureOf(ran)
      if (failure !== undefined) return ourStop(`${name} ${failure}${complaintOf(ran, redact)}`)
      return endOf(name, lastLine(ran.stdout), request)
    },
    interrupt: () => interruption.abort(),
    async close() {
      interruption.abort()
    },
  }
}

function endOf(name: string, line: string, { url }: VisitRequest): VisitEnd {
  const stopped = /^stopped:(.*)/is.exec(line)?.[1]?.trim()
  if (stopped !== undefined)
    return { kind: 'stopped', why: stopped || 'the bank stopped', pages: [] }
  if (line === '') return ourStop(`${name} printed nothing: its last line is the final redirect`)
  if (!/^https?:\/\/\S+$/.test(line) || !URL.canParse(line)) {
    return ourStop(`the last line that ${name} printed is not an address: print the final redirect`)
  }
  if (line === url) return ourStop(`${name} printed the link that it was given, not the redirect`)
  return { kind: 'redirected', url: line, pages: [] }
}
