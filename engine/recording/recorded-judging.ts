import { parseRedirect } from '../client/redirect.ts'
import { signatureOf } from '../client/signature.ts'
import { member } from '../judge/data-rows.ts'
import { createRuleEngine, type RuleEngine } from '../judge/rule-engine.ts'
import type { Suites } from '../run/suites.ts'
import { type Exchange, header } from '../wire/exchange.ts'
import { createExchanges } from './exchanges.ts'
import type { Judgeable, Recorded } from './recorded.ts'
import { recordingRules } from './recording-rules.ts'
import type { RecordingTarget } from './recording-target.ts'
import { viewOf } from './view.ts'

/** The result of judging one exchange. */
export interface Judged extends Judgeable {
  /** True if it is an operation of the documents, or ends a visit. Nothing else is judged. */
  counts: boolean
  /** Ids of the rules that it breaks. */
  broken: string[]
}

/** Judges recorded exchanges by the rules, one after the other, and notes what the recording does not show. */
export function createRecordedJudging(
  target: RecordingTarget,
  suites: Pick<Suites, 'rules' | 'schemas'>,
) {
  const at = recordingRules(suites)
  const engine = createRuleEngine(at.schemas, at.rules, target.literals, target)
  const exchanges = createExchanges(target)
  return {
    engine,
    operations: exchanges.operations,
    lacksByRule: at.lacksByRule,
    /** Judges the next exchange. Must not be called again before the promise settles. */
    async judge(recorded: Recorded, id: string): Promise<Judged> {
      const { counts, ...found } = exchanges.judgeable(recorded, id)
      const { exchange, lacks } = found
      if (!counts) return { ...found, counts, broken: [] }
      const idToken = engine.bank.jwks && idTokenOf(exchange)
      if (idToken !== undefined) await withSignature(exchange, idToken, engine)
      at.comparing(!lacks.has('the order of requests at the same time'))
      const broken = engine.judge(viewOf(found, at.note, at.names))
      exchanges.learn(exchange)
      return { ...found, counts, broken }
    },
  }
}

/** The ID token of an answer; undefined if there is none, or it is redacted. */
function idTokenOf(exchange: Exchange): string | undefined {
  const location = header(exchange, 'location')
  const idToken =
    exchange.endpoint === 'token'
      ? member(exchange.response?.json, 'id_token')
      : location?.includes('id_token=')
        ? parseRedirect(location)?.idToken
        : undefined
  return typeof idToken === 'string' && !idToken.startsWith('<') ? idToken : undefined
}

/** Verifies an ID token with the keys that the recording has shown so far. */
async function withSignature(
  exchange: Exchange,
  idToken: string,
  { bank }: RuleEngine,
): Promise<void> {
  if (!bank.jwks) return
  const said = await signatureOf(idToken, bank.jwks)
  // Otherwise the keys may have changed since they were read.
  if (said !== 'no such key') exchange.signature = said
}
