import type { ClientDriver } from '../../engine/certification/client.ts'
import type { Conduct } from './conduct.ts'
import { pursue } from './reference-tpp.ts'
import { Refusal } from './refusal.ts'

/** A reference TPP in this process. */
export function inProcess(conduct: Conduct): ClientDriver {
  return {
    async pursue(briefing) {
      try {
        await pursue(briefing, conduct)
        return { end: 'done', words: '' }
      } catch (error) {
        if (!(error instanceof Refusal)) throw error
        return { end: 'refused', words: error.message }
      }
    },
    async close() {},
  }
}
