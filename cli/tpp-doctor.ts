import { loadCatalogue } from '../engine/catalogue/catalogue.ts'
import { certify } from '../engine/certification/certify.ts'
import { loadTppSuites } from '../engine/certification/suite.ts'
import { readTppFile, type Tpp } from '../engine/certification/tpp-file.ts'
import { TargetError } from '../engine/configuration/target-error.ts'
import type { Exchange } from '../engine/wire/exchange.ts'
import { TPP_SUITES } from './folders.ts'
import { openParties } from './tpp-client.ts'

const line = (level: 'ok' | 'wrong', text: string) => console.log(`${level.padEnd(8)} ${text}`)

/** `assay doctor --tpp`: does the client read from the correct bank? What the bank saw, line by line. */
export async function doctorTpp(path: string): Promise<void> {
  const tpp = opened(path)
  if (!tpp) return
  const { document, goals } = tpp
  const { driver } = document.client
  line('ok', `file  ${document.name}, driven by ${driver}; it can ${goals.join(', ')}`)
  const catalogue = loadCatalogue(undefined, 'TPP')
  const { scenarios, rules } = await loadTppSuites(TPP_SUITES, catalogue)
  const control = scenarios.filter(({ control: first }) => first).slice(0, 1)
  const { close, ...parties } = await openParties(tpp, new AbortController().signal)
  try {
    const { results } = await certify({
      ...parties,
      suites: { scenarios: control, rules },
      catalogue,
      selected: (id) => id === control[0]?.id,
      goals,
      parallel: 1,
      patience: 0,
      onExchange: told,
    })
    const result = results.get(control[0]?.id ?? '')
    if (result?.outcome === 'pass') {
      line('ok', 'the client reads from the correct bank: assay tpp can judge it')
      return
    }
    line('wrong', result?.message || 'nothing came of it')
    process.exitCode = result?.because?.kind === 'environment' ? 2 : 1
  } finally {
    await close()
  }
}

function told({ endpoint, request, response, failure, about }: Exchange, broken: string[]): void {
  if (endpoint === 'elsewhere' && request.method !== 'CONNECT') return
  const { refusal } = about.seen ?? {}
  const place = URL.canParse(request.url) ? new URL(request.url).pathname : request.url
  const answer = response?.status ?? failure?.code ?? ''
  const why = refusal ? `: ${refusal.detail}` : ''
  const rules = broken.length > 0 ? `  breaks ${broken.join(', ')}` : ''
  line(why || rules ? 'wrong' : 'ok', `${request.method} ${place} ${answer}${why}${rules}`)
}

function opened(path: string): Tpp | undefined {
  try {
    return readTppFile(path)
  } catch (error) {
    if (!(error instanceof TargetError)) throw error
    for (const problem of error.message.split('\n')) line('wrong', `file  ${problem}`)
    process.exitCode = 2
    return undefined
  }
}
