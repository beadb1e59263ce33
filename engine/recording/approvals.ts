import type { Exchange } from '../wire/exchange.ts'
import { claimsOf } from '../wire/jwt-decode.ts'
import { kept } from './kept.ts'
import { textIn } from './recorded.ts'
import type { Visit } from './visits.ts'

/** A customer's approval as far as a recording tells it: what one code, and the tokens that come of it, stand for. */
export interface Approval {
  name: string
  consentId?: string
  /** The authorisation request, and the claims of the ID token that came back of it. */
  visit?: Visit
  front?: Record<string, unknown>
  /** Milliseconds since the epoch at which what is remembered of its data began. */
  since?: number
  part: number
}

/** Milliseconds after which an answer is not compared with an earlier one: accounts are closed, old rows leave. */
const COMPARED = 3_600_000

/** The approvals behind codes, refresh tokens and access tokens. */
export function createApprovals(intentClaim: string) {
  const byCode = new Map<string, Approval>()
  const byRefreshToken = new Map<string, Approval>()
  const byToken = new Map<string, Approval>()
  let counted = 0

  const begun = (): Approval => {
    counted += 1
    return { name: `approval ${counted}`, part: 0 }
  }

  const ofForm = (form: URLSearchParams): Approval | undefined =>
    byCode.get(form.get('code') ?? '') ?? byRefreshToken.get(form.get('refresh_token') ?? '')

  return {
    ofForm,
    /** Of an access token; one that nobody saw issued stands for an approval of its own. */
    ofToken(token: string): Approval {
      const approval = byToken.get(token) ?? begun()
      kept(byToken, token, approval)
      return approval
    },
    /** Takes the code with which a visit ended. */
    learnCode(code: string, visit: Visit, idToken: string | undefined): void {
      const front = claimsOf(idToken ?? '')
      const consentId = visit.consentId ?? textIn(front, intentClaim)
      kept(byCode, code, {
        ...begun(),
        visit,
        ...(consentId !== undefined && { consentId }),
        ...(front && { front }),
      })
    },
    /** Takes the tokens of an answer. */
    learnTokens({ request, response }: Exchange): void {
      const form = new URLSearchParams(request.body ?? '')
      const grant = form.get('grant_type')
      if (grant === null || grant === 'client_credentials') return
      const text = (name: string) => textIn(response?.json, name)
      const approval = ofForm(form) ?? begun()
      approval.consentId ??= textIn(claimsOf(text('id_token') ?? ''), intentClaim)
      const [token, refreshToken] = [text('access_token'), text('refresh_token')]
      if (token !== undefined) kept(byToken, token, approval)
      if (refreshToken !== undefined) kept(byRefreshToken, refreshToken, approval)
    },
    /** The key under which rules remember what an approval showed: another one where too much time has passed. */
    keyOf(approval: Approval, at: number): string {
      if (approval.since === undefined || at - approval.since > COMPARED) {
        approval.since = at
        approval.part += 1
      }
      return `${approval.consentId ?? 'consent'} of ${approval.name}, part ${approval.part}`
    },
  }
}
