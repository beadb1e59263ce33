import { cpSync, mkdtempSync, readFileSync, rmSync, writeFileSync } from 'node:fs'
import { tmpdir } from 'node:os'
import { join } from 'node:path'
import { afterAll, beforeAll, describe, expect, test } from 'vitest'
import { stringify } from 'yaml'
import { openTarget, openTargetOf } from '../../cli/open-target.ts'
import { UsageError } from '../../cli/usage.ts'
import { openBank } from '../directory.ts'
import { assay } from '../evidence/cli.ts'
import { recorded } from '../report/recorded.ts'

const folder = mkdtempSync(join(tmpdir(), 'assay-earlier-'))
const run = join(folder, 'run')
const file = join(folder, 'staging.yaml')

/** The run as if it had judged this target file. */
async function judged(target: string | undefined): Promise<void> {
  const report = JSON.parse(readFileSync(join(run, 'report.json'), 'utf8'))
  const opened = target === undefined ? undefined : await openTarget(target)
  report.target = { ...report.target, file: target, ...(opened && digest(opened)) }
  writeFileSync(join(run, 'report.json'), JSON.stringify(report))
}

const digest = ({ configurationDigest }: { configurationDigest: string }) => ({
  configurationDigest,
})

beforeAll(async () => {
  cpSync((await recorded('faulty')).dir, run, { recursive: true })
  const bank = await openBank()
  writeFileSync(file, stringify({ ...bank.target, name: 'staging' }))
  await bank.close()
})
afterAll(() => rmSync(folder, { recursive: true, force: true }))

describe('what goes back to an earlier run asks the bank of that run', () => {
  test('its target file is remembered', async () => {
    await judged(file)
    const opened = await openTargetOf(undefined, run)
    expect(opened.file).toBe(file)
    await opened.close()
  })

  test('another file with the same name in its place is refused', async () => {
    await judged(file)
    writeFileSync(
      file,
      readFileSync(file, 'utf8').replace('clockTolerance: 60', 'clockTolerance: 5'),
    )
    const asking = openTargetOf(undefined, run)
    await expect(asking).rejects.toThrow(UsageError)
    await expect(asking).rejects.toThrow(/something has changed: .* Give --target FILE/)
  })

  test('without its file, or its name, nobody else is asked', async () => {
    await judged(undefined)
    await expect(openTargetOf(undefined, run)).rejects.toThrow(/report does not name the target/)
    const report = JSON.parse(readFileSync(join(run, 'report.json'), 'utf8'))
    report.target.file = join(folder, 'gone.yaml')
    writeFileSync(join(run, 'report.json'), JSON.stringify(report))
    await expect(openTargetOf(undefined, run)).rejects.toThrow(/gone\.yaml does not exist/)
  })

  test('whoever names a target is believed', async () => {
    const opened = await openTargetOf(file, run)
    expect(opened.document.name).toBe('staging')
    await opened.close()
  })

  test.each([
    ['reproduce', '--run', run],
    ['run', '--failed', run],
  ])('assay %s %s ends with 2', { timeout: 180_000 }, async (...words) => {
    const { code, stdout, stderr } = await assay(words).ended
    expect(stderr).toContain('gone.yaml does not exist')
    expect(stdout).toBe('')
    expect(code).toBe(2)
  })
})
