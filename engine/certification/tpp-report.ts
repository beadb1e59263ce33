import type { Report, ReportedCause } from '../report/report.ts'

/** What is wrong is the TPP's to mend, where a bank's run says that it is the bank's. */
export function ofTpp(report: Report): Report {
  const mended = (cause: ReportedCause): ReportedCause => ({
    ...cause,
    title: cause.title.replace('the customers’ data do not show it: ', ''),
    whose: cause.whose === 'bank' ? 'TPP' : cause.whose,
  })
  const target = { ...report.target, side: 'TPP' as const }
  return { ...report, target, causes: report.causes.map(mended) }
}
