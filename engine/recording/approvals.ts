import { HOUR } from '../record/durations.ts'
import type { Exchange } from '../wire/exchange.ts'
import { claimsOf } from '../wire/jwt-decode.ts'
import { kept } from './kept.ts'
import { textIn } from './recorded.ts'
import type { Visit } from './visits.ts'

/** A customer's approval as far as a recording shows it: the meaning of a code and of the tokens issued for it. */
export interface Approval {
  name: string
  consentId?: string
  /** The authorisation request, and the claims of the ID token in its answer. */
  visit?: Visit
  front?: Record<string, unknown>
  /** Milliseconds since the epoch from which its data are remembered. */
  since?: number
  part: number
}

/** Milliseconds after which answers are no longer compared: accounts are closed and old rows disappear. */
const COMPARED = HOUR

/** Finds the approvals of codes, refresh tokens and access tokens. */
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
    /** The approval of an access token; a token whose issue was not recorded gets a new approval. */
    ofToken(token: string): Approval {
      const approval = byToken.get(token) ?? begun()
      kept(byToken, token, approval)
      return approval
    },
    /** Records the code that ended a visit. */
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
    /** Records the tokens of an answer. */
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
    /** The key under which rules remember the data of an approval; it changes after too much time. */
    keyOf(approval: Approval, at: number): string {
      if (approval.since === undefined || at - approval.since > COMPARED) {
        approval.since = at
        approval.part += 1
      }
      return `${approval.consentId ?? 'consent'} of ${approval.name}, part ${approval.part}`
    },
  }
}
