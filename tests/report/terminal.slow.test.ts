import { describe, expect, test } from 'vitest'
import { createProgress, screen } from '../../cli/progress.ts'
import { consoleSummary } from '../../engine/report/console-summary.ts'
import { type BankName, type Recording, recorded } from './recorded.ts'

const LONG = { timeout: 300_000 }
const correct = await recorded('correct')

/** Values of a table that broke as well: which of them were drawn differs from run to run. */
const MORE =
  /\d+\s+more:\s+[\w-]+(?:\s+at\s+[\w-]+)?(?:,\s+(?:…|[\w-]+(?:\s+at\s+[\w-]+)?(?:\s+client)?))*(?:\s+…\s+\(\d+\s+more\s+characters\))?/g

/** Escape codes of colours; nothing else of a terminal may be written. */
// biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
const COLOUR = /\u001b\[\d+m/g

type Run = Pick<Recording, 'report' | 'exchanges'>

/** Makes it once for each run. */
function once(make: (name: BankName) => Promise<Run>) {
  const known = new Map<BankName, Promise<Run>>()
  return (name: BankName) => {
    const run = known.get(name) ?? make(name)
    known.set(name, run)
    return run
  }
}

const read = once(recorded)

/** A run without what differs from run to run: instants, ids, ports, and how much there is of all. */
const settled = once(async (name) => {
  const { report, exchanges } = await read(name)
  // Exchanges that are named on the terminal, by their order there.
  const evidence = new Map<string, string>()
  for (const id of report.causes.flatMap(({ findings }) => findings)) {
    const check = report.checks.find((each) => each.id === id)
    for (const exchange of [check?.exchanges[0], check?.control?.exchange]) {
      if (exchange !== undefined) evidence.set(exchange, `y${100 + evidence.size}`)
    }
  }
  const text = JSON.stringify({ report, exchanges })
    .replace(/\d{4}-\d\d-\d\dT\d\d(:|%3A)\d\d\1\d\d(?:\.\d+)?Z/g, '2026-03-02T02:00:00Z')
    .replace(/(\\?")[\w-]{22}\1/g, `$1${'I'.repeat(22)}$1`)
    .replace(/("AccountId |AccountId )[\w-]{22}/g, `$1${'I'.repeat(22)}`)
    .replace(/127\.0\.0\.1:\d+/g, '127.0.0.1:4443')
    .replace(/[0-9a-f]{8}(-[0-9a-f]{4}){3}-[0-9a-f]{12}/g, 'c0ffee00-0000-4000-8000-000000000000')
    .replace(/"(x\d+)"/g, (_, id: string) => `"${evidence.get(id) ?? id}"`)
  return JSON.parse(text)
})

async function shown(name: BankName, width: number, colour: boolean): Promise<string> {
  return summary(await read(name), width, colour)
}

function summary({ report, exchanges }: Run, width: number, colour: boolean): string {
  const where = { path: 'reports/tonight/report.html', folder: 'reports/tonight' }
  return consoleSummary(report, exchanges, { width, colour, ...where })
}

/** As it is shown, but for figures that grow with the suite. */
async function snapshot(name: BankName, width: number, colour: boolean): Promise<string> {
  const text = summary(await settled(name), width, colour)
  return (
    text
      .replace(
        /(?<!\d)\d[\d,]*(?= (of|musts|checks?|requests|visits?|clients?|approvals?)\b)/g,
        'N',
      )
      .replace(/(?<!\d)\d[\d,]*(?= (passed|pass|blocked|observed|not-run|not\s+run)\b)/g, 'N')
      .replace(/(?<!\d)\d+(?=\s+more\s+ha)/g, 'N')
      .replace(/\bof [\d,]+ (?=checks|test values)/g, 'of N ')
      // Not every random AccountId has every near miss.
      .replace(MORE, 'N more: …')
      // In colour a line may end behind the number.
      .replace(/\d+(?= more:)/g, 'N')
  )
}

/** Conformant, nonconformant, known deviations, a selection, interrupted, not judged. */
const NAMES = ['correct', 'faulty', 'known', 'selected', 'interrupted', 'absent'] as const

describe('what the terminal shows at the end', () => {
  const SIZES = [80, 120].flatMap((width) => [
    { width, colour: false },
    { width, colour: true },
  ])

  test.each(SIZES)(
    '$width columns, colour $colour: no line is wider, and nothing but colours',
    LONG,
    async ({ width, colour }) => {
      for (const name of NAMES) {
        const text = await shown(name, width, colour)
        const plain = text.replace(COLOUR, '')
        for (const line of plain.split('\n')) expect(line.length, line).toBeLessThanOrEqual(width)
        // biome-ignore lint/suspicious/noControlCharactersInRegex: finding them is the purpose
        expect(plain).not.toMatch(/[\u0000-\u0009\u000b-\u001f\u007f-\u009f]/)
        expect(text !== plain, name).toBe(colour)
      }
    },
  )

  describe.each(NAMES)('%s', (name) => {
    test.each(SIZES)('$width columns, colour $colour', LONG, async ({ width, colour }) => {
      await expect(await snapshot(name, width, colour)).toMatchFileSnapshot(
        `snapshots/${name}-${width}${colour ? '-colour' : ''}.txt`,
      )
    })
  })

  test('each failure stands there once', LONG, async () => {
    const { report } = await recorded('faulty')
    const text = await shown('faulty', 120, false)
    for (const { id, outcome } of report.checks) {
      if (outcome !== 'fail' && outcome !== 'warn') continue
      const lines = text.split('\n').filter((line) => line.includes(id) && !line.includes('repeat'))
      expect(lines, id).toHaveLength(1)
    }
  })

  test('what an interrupted run did not come to is no lack of data', LONG, async () => {
    const { report } = await recorded('interrupted')
    expect(report.summary.notRun).toBeGreaterThan(100)
    expect(report.causes.filter(({ whose }) => whose === 'configuration')).toEqual([])
  })

  test('what is left at a bank that lasts is said once', LONG, async () => {
    const { report, exchanges } = await recorded('correct')
    expect(report.leftBehind.length).toBeGreaterThan(0)
    const left = consoleSummary(report, exchanges).match(/^left behind.*$/gm)
    expect(left).toHaveLength(1)
  })
})

/** A terminal that remembers what was written on it. */
function terminal(columns: number): { stream: NodeJS.WriteStream; written(): string } {
  const parts: string[] = []
  const stream = {
    isTTY: true,
    columns,
    rows: 40,
    write: (text: string) => parts.push(text) > 0,
  } as unknown as NodeJS.WriteStream
  return { stream, written: () => parts.join('') }
}

describe('what it shows meanwhile', () => {
  const [check] = correct.report.checks
  if (!check) throw new Error('no check')
  const failed = { ...check, outcome: 'fail' as const }

  test.each([40, 80, 120])('one live line of at most %i columns', (columns) => {
    const { stream, written } = terminal(columns)
    const progress = createProgress({ stream, live: true, colour: false, width: columns })
    progress.doing('Checking that staging answers')
    progress.follows(() => ({ total: 289, requests: 1032, waiting: 'everything, first customer' }))
    progress.judged('account-information/authorisation', failed)
    progress.doing('')
    progress.end()
    // biome-ignore lint/suspicious/noControlCharactersInRegex: what moves the cursor
    const lines = written().split(/\n|\u001b\[[\d;?]*[A-Za-z]/)
    for (const line of lines) expect(line.length, line).toBeLessThan(columns)
    expect(written()).toContain('1/289')
    if (columns > 100) {
      expect(written()).toContain('1 failure')
      expect(written()).toContain('waiting for a person')
    }
  })

  test('without a terminal a line a chapter, with the ids of what failed', () => {
    const { stream, written } = terminal(80)
    const progress = createProgress({ stream, live: false, colour: false, width: 80 })
    progress.doing('Opening the target', true)
    progress.doing('Judging staging')
    progress.judged('account-information/general', check)
    progress.judged('account-information/discovery', failed)
    progress.judged('account-information/general', check)
    progress.end()
    const [head, ...lines] = written().trimEnd().split('\n')
    expect(head).toBe('Judging staging')
    expect(lines).toHaveLength(3)
    expect(lines[2]).toMatch(/account-information\/general, continued +1 passed$/)
    expect(lines[1]).toMatch(new RegExp(`discovery +1 failed \\(${failed.id}\\)$`))
    expect(written()).not.toContain('\u001b')
  })

  test.each([
    { env: { NO_COLOR: '1' }, colour: false, live: true },
    { env: { TERM: 'dumb' }, colour: false, live: false },
    { env: { CI: 'true' }, colour: true, live: false },
    { env: {}, colour: true, live: true },
  ])('$env: colour $colour, live $live', ({ env, colour, live }) => {
    const names = ['NO_COLOR', 'TERM', 'CI', 'FORCE_COLOR']
    const before = Object.fromEntries(names.map((name) => [name, process.env[name]]))
    for (const name of names) delete process.env[name]
    Object.assign(process.env, { TERM: 'xterm' }, env)
    try {
      expect(screen(terminal(80).stream)).toMatchObject({ colour, live, width: 80 })
    } finally {
      for (const name of names) {
        if (before[name] === undefined) delete process.env[name]
        else process.env[name] = before[name]
      }
    }
  })
})
