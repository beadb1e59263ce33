import type { Consent, ConsentKind } from '../../../bank/state/consents.ts'
import { answeredWith, consentNamed } from '../../altering/consent-requests.ts'
import type { Fault } from '../../run/proof.ts'

/** Statuses of deletions by whoever may not delete, and of deletions in one situation. */

/** Deletions by another client are answered 404, not 403, where the consent is in this state. */
const notFound = (
  id: string,
  story: string,
  warns: string,
  isSo: (consent: Consent) => boolean,
): Fault => ({
  id,
  story,
  fails: [],
  warns: [warns],
  middleware: answeredWith('account-access', 'DELETE', (ctx) => {
    const consent = consentNamed(ctx)
    return ctx.status === 403 && consent && !consent.deleted && isSo(consent) ? 404 : undefined
  }),
})

/** Deletions of a deleted consent without a good token are answered 404, not 401. */
const lookedForFirst = (
  id: string,
  story: string,
  warns: string,
  kind: 'any' | 'funds-confirmation',
): Fault => ({
  id,
  story,
  fails: [],
  warns: [warns],
  middleware: answeredWith(kind, 'DELETE', (ctx) =>
    ctx.status === 401 && consentNamed(ctx)?.deleted ? 404 : undefined,
  ),
})

/** Deletions of a consent that another client has deleted are answered 204. */
const doneAlready = (id: string, story: string, fails: string, kind: ConsentKind): Fault => ({
  id,
  story,
  fails: [fails],
  middleware: answeredWith(kind, 'DELETE', (ctx) => {
    const consent = consentNamed(ctx)
    return ctx.status === 403 && consent?.kind === kind && consent.deleted ? 204 : undefined
  }),
})

const faults: Fault[] = [
  notFound(
    'foreign-denied-consent-is-not-found',
    "The delete of another client's denied consent gets 404 instead of 403.",
    'CLC-22/denied',
    ({ status }) => status === 'Rejected',
  ),
  notFound(
    'foreign-revoked-consent-is-not-found',
    "The delete of another client's revoked consent gets 404 instead of 403.",
    'CLC-22/revoked',
    ({ status }) => status === 'Revoked',
  ),
  notFound(
    'foreign-expired-consent-is-not-found',
    "The delete of another client's expired consent gets 404 instead of 403.",
    'CLC-22/expired',
    ({ status, ahead }) => status !== 'Revoked' && ahead.expiry > 0,
  ),
  lookedForFirst(
    'deletions-look-for-the-consent-first',
    'A delete without a valid token gets 404 instead of 401 if the consent is already deleted, because the consent is loaded before the token is checked.',
    'CLC-28/deleted',
    'any',
  ),
  lookedForFirst(
    'funds-deletions-look-for-the-consent-first',
    'A delete of a funds confirmation consent without a valid token gets 404 instead of 401 if it is already deleted, because the consent is loaded before the token is checked.',
    'FCC-30/deleted',
    'funds-confirmation',
  ),
  doneAlready(
    'deleted-consents-are-deleted-by-anybody',
    "The delete of another client's consent that is already deleted gets 204 instead of an error.",
    'CLC-08/deleted',
    'account-access',
  ),
  doneAlready(
    'deleted-funds-consents-are-deleted-by-anybody',
    "The delete of another client's funds confirmation consent that is already deleted gets 204 instead of an error.",
    'FCC-14/deleted',
    'funds-confirmation',
  ),
  {
    id: 'deletions-with-a-type-are-answered-200',
    story: 'A delete with a Content-Type gets status 200 instead of 204.',
    fails: ['CLC-01/answers-204'],
    middleware: answeredWith('account-access', 'DELETE', (ctx) =>
      ctx.status === 204 && ctx.get('content-type') !== '' ? 200 : undefined,
    ),
  },
]

export default faults
