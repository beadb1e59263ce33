import type { Context } from 'koa'
import { tokenInfoOf } from '../../bank/authorisation-server/token-info.ts'
import { currentRequest } from '../../bank/listeners/request-context.ts'
import type { Alteration } from '../../bank/operator/alteration.ts'
import type { Policies } from '../../bank/policies.ts'
import type { Scope } from '../../engine/run/scope.ts'
import { OF_SECOND } from '../../engine/suite-api/each-client.ts'
import { decoded, tokenForm } from '../altering/jwt-rewrites.ts'
import { clientIs } from '../cells/token-cells.ts'
import { judgeBank, type ProofContext, summed } from '../run/judge-bank.ts'
import { loadFaults } from '../run/load.ts'
import type { Fault } from '../run/proof.ts'
import type { Proof } from '../run/prove.ts'

/**
 * A check that is judged for each client: a fault that affects only the second client is reported, and attributed to
 * that client.
 */
export async function proveSecondClient(context: ProofContext, owner: string): Promise<Proof> {
  const wrong = (await loadFaults()).filter(
    ({ fails, warns = [], settings, target }) =>
      [...fails, ...warns].includes(owner) && settings === undefined && target === undefined,
  )
  const proofs: Proof[] = []
  for (const fault of wrong) {
    const scope: Scope = { profile: 'exhaustive', only: [owner] }
    const run = await judgeBank(context, [metBySecondAlone(fault)], { scope })
    const { outcome, message = '' } = run.results.get(owner) ?? {}
    const told = outcome === 'fail' || outcome === 'warn'
    const complaints =
      told && message.startsWith(OF_SECOND)
        ? []
        : [`${fault.id}, for the second client alone: ${outcome} ${message}`]
    const judged = { ...summed(fault.id, run), fails: [owner] }
    proofs.push({ id: owner, kind: 'table', judged, complaints })
    if (complaints.length === 0) break
  }
  const [last = noneOf(owner)] = proofs.reverse()
  return last
}

/** The proof when no fault of this check can affect only the second client. */
function noneOf(owner: string): Proof {
  const none = { fails: [], warns: [], blocks: [], errors: [], messages: {} }
  const figures = { fired: 0, exitCode: 0, requests: 0, milliseconds: 0, leftBehind: 0 }
  const complaints = ['there is no fault of it that can meet the second client alone']
  return { id: owner, kind: 'table', judged: { id: owner, ...none, ...figures }, complaints }
}

/** The same fault, limited to requests of the second client. */
function metBySecondAlone({ id, story, middleware, policies }: Fault): Alteration {
  return {
    id,
    story,
    ...(middleware && {
      middleware: (ctx, next) => (isSecond(ctx) ? middleware(ctx, next) : next()),
    }),
    ...(policies && {
      policies: (correct, tools) => gated(correct, policies(correct, tools)),
    }),
  }
}

/** Each policy decides wrongly for the second client, and rightly otherwise. */
function gated(correct: Policies, wrong: Partial<Policies>): Partial<Policies> {
  const entries = Object.entries(wrong).map(([name, decide]) => {
    const right = correct[name as keyof Policies]
    if (typeof decide !== 'function') return [name, decide]
    return [
      name,
      (...args: unknown[]) => {
        const ctx = currentRequest()
        return Reflect.apply(ctx && isSecond(ctx) ? decide : (right as typeof decide), null, args)
      },
    ]
  })
  return Object.fromEntries(entries)
}

/** Recognised by the access token, or by the content of a token request. */
function isSecond(ctx: Context): boolean {
  const form = tokenForm(ctx)
  if (!form) return tokenInfoOf(ctx)?.client === 'second'
  const { sub, iss } = decoded(form.get('client_assertion')).claims
  return clientIs(ctx, sub ?? iss ?? form.get('client_id'), 'second')
}
