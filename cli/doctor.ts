import { exposedFiles } from '../engine/configuration/exposed-files.ts'
import { targetFrom } from '../engine/configuration/resolve.ts'
import { TargetError } from '../engine/configuration/target-error.ts'
import { examineTarget } from '../engine/doctor/doctor.ts'
import { exitCodeOf, type Line } from '../engine/doctor/finding.ts'
import { type OpenedTarget, openTarget } from './open-target.ts'

/** `assay doctor`: exit code 0 when nothing is wrong, 2 your configuration, 3 network or bank. */
export async function doctor(options: { target: string }): Promise<void> {
  const opened = await opening(options.target)
  if (!opened) return
  const { document, base, memory } = opened
  try {
    const target = targetFrom(document, base)
    show({ name: 'file', level: 'ok', text: `${document.name}, ${words[target.layout]}` })
    for (const file of exposedFiles(opened.file)) {
      const text = `everybody on this machine can read ${file}: chmod 600 ${file}`
      show({ name: 'key files', level: 'note', text })
    }
    const lines = await examineTarget({ target, memory, tell: show })
    console.log(summary(lines))
    process.exitCode = exitCodeOf(lines)
  } finally {
    await opened.close()
  }
}

const words = {
  production: 'addresses of production',
  sandbox: 'addresses of a sandbox',
}

/** The target, or what is wrong with its file: then nothing else can be looked at. */
async function opening(path: string): Promise<OpenedTarget | undefined> {
  try {
    return await openTarget(path)
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    for (const { text, line, column } of error.problems) {
      console.log(`${mark('wrong')} file  ${error.file}:${line}:${column}: ${text}`)
      console.log(`${' '.repeat(8)} your configuration`)
    }
    console.log(`${mark('skipped')} everything else, because the file is wrong`)
    process.exitCode = 2
    return undefined
  }
}

function show(line: Line): void {
  console.log(`${mark(line.level)} ${line.name}  ${line.text}`)
  if (line.level === 'wrong') console.log(`${' '.repeat(8)} ${line.whose}: ${line.mend}`)
}

function mark(level: Line['level']): string {
  return level.padEnd(8)
}

function summary(lines: Line[]): string {
  const wrong = lines.filter(({ level }) => level === 'wrong').length
  const skipped = lines.filter(({ level }) => level === 'skipped').length
  const found = wrong === 0 ? 'Nothing is wrong.' : `${wrong} wrong.`
  return `\n${found}${skipped > 0 ? ` ${skipped} not looked at.` : ''}`
}
