import type { Report } from '../report/report.ts'
import type { Exchange } from '../wire/exchange.ts'

/** Collects the response times of each endpoint. */
export function createLatency() {
  const times = new Map<string, number[]>()
  return {
    note({ endpoint, durationMs, response }: Exchange): void {
      if (!response) return
      const list = times.get(endpoint) ?? []
      times.set(endpoint, list)
      list.push(durationMs)
    },
    /** Per endpoint, the number of answers and the median, 95th and 99th percentile in milliseconds. */
    summary(): Report['latency'] {
      return [...times].map(([endpoint, list]) => {
        const sorted = [...list].sort((a, b) => a - b)
        const at = (share: number) => sorted[Math.floor((sorted.length - 1) * share)] ?? 0
        const round = (value: number) => Math.round(value * 10) / 10
        const percentile = (share: number) => round(at(share))
        const [p50, p95, p99] = [percentile(0.5), percentile(0.95), percentile(0.99)]
        return { endpoint, count: list.length, p50, p95, p99 }
      })
    },
  }
}
