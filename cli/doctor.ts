import { exposedFiles } from '../engine/configuration/exposed-files.ts'
import { targetFrom } from '../engine/configuration/resolve.ts'
import { TargetError } from '../engine/configuration/target-error.ts'
import { examineTarget } from '../engine/doctor/doctor.ts'
import { exitCodeOf, type Line, wrong } from '../engine/doctor/finding.ts'
import { WHOSE } from '../engine/report/counts.ts'
import { say, shown } from '../engine/report/terminal.ts'
import { DEFAULT_TARGET } from './folders.ts'
import { type OpenedTarget, openTarget } from './open-target.ts'

/** `assay doctor`: exit code 0 when nothing is wrong, 2 for your configuration, 3 for the network or the bank. */
export async function doctor(options: { target: string }): Promise<void> {
  const opened = await opening(options.target)
  if (!opened) return
  const { document, base, memory } = opened
  try {
    const target = targetFrom(document, base)
    const layout = target.layout === 'sandbox' ? 'a sandbox' : 'production'
    show({ name: 'file', level: 'ok', text: `${document.name}, addresses of ${layout}` })
    if (options.target === DEFAULT_TARGET) {
      const text = 'this is the reference bank of Assay: --target FILE names yours'
      show({ name: 'file', level: 'note', text })
    }
    for (const file of exposedFiles(opened.file)) {
      const text = `everybody on this machine can read ${file}: chmod 600 ${file}`
      show({ name: 'key files', level: 'note', text })
    }
    const lines = await examineTarget(target, memory, show)
    const count = (wanted: Line['level']) => lines.filter(({ level }) => level === wanted).length
    const found = count('wrong') === 0 ? 'Nothing is wrong.' : `${count('wrong')} wrong.`
    const left = count('skipped') === 0 ? '' : ` ${count('skipped')} skipped: their lines say why.`
    say(shown`\n${found}${left}`)
    process.exitCode = exitCodeOf(lines)
  } finally {
    await opened.close()
  }
}

/** Opens the target. If its file is wrong, reports that and returns undefined: nothing else can then be examined. */
async function opening(path: string): Promise<OpenedTarget | undefined> {
  try {
    return await openTarget(path)
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    for (const { text, line, column } of error.problems) {
      show({
        name: 'file',
        ...wrong('configuration', `${error.file}:${line}:${column}: ${text}`, ''),
      })
    }
    say(shown`skipped  everything else, because the file is wrong`)
    process.exitCode = 2
    return undefined
  }
}

function show(line: Line): void {
  say(shown`${line.level.padEnd(8)} ${line.name}  ${line.text}`)
  if (line.level !== 'wrong') return
  say(shown`${' '.repeat(8)} ${[WHOSE[line.whose], line.mend].filter(Boolean).join(': ')}`)
}
