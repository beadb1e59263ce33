import { ASSAY } from '../engine/record/program.ts'

/** What the exit codes of run, tpp and reproduce mean, and what to do; docs/ci.md has the table for pipelines. */
export const EXIT_CODES = [
  { code: 0, means: 'conformant', todo: 'pass' },
  {
    code: 1,
    means: 'nonconformant, or a list of known deviations that is out of date',
    todo: 'fail the pipeline; the report names each cause',
  },
  {
    code: 2,
    means:
      'the command line, the target file or another file that is read is wrong, or what it names: a certificate, a key, a software statement',
    todo: 'correct the line that the message names',
  },
  {
    code: 3,
    means: 'the bank cannot be reached, or refuses our credentials; nothing was judged',
    todo: `run ${ASSAY} doctor, retry later, tell operations`,
  },
  {
    code: 4,
    means:
      'incomplete: no must failed, but at least one has no verdict, or none was judged at all, for example because --only named only shoulds',
    todo: 'open report.html: its lines that begin with blocked say what to do',
  },
  {
    code: 5,
    means: 'an error of Assay itself, or something could not be written, as on a full disk',
    todo: 'make room where a line names a file; else report it, with the output',
  },
  {
    code: 130,
    means: 'interrupted; everything so far is reported',
    todo: 'run the same command again: where authorisation.keep is file, approvals are used again',
  },
] as const
